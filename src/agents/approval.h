/* SPDX-License-Identifier: MIT */
/*
 * The judgement of a command: deny > requireApproval > autoApprove > ask.
 *
 * A line is taken apart (shell.h) and every simple command of it is judged, through the programs
 * that only start another one; the strictest verdict holds.  What can't be taken apart is asked
 * for, and denied when any of it, read generously, meets a deny.
 */
#ifndef PINFOLD_AGENTS_APPROVAL_H
#define PINFOLD_AGENTS_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agents/approval_pattern.h"

struct json5;
struct pinfold_answer;
struct pinfold_error;

#define APPROVAL_RULES_MAX 4096 /* of one list */
#define APPROVAL_TIMEOUT_DEFAULT_MS 300000
#define APPROVAL_TIMEOUT_MAX_MS 86400000

enum approval_list { APPROVAL_DENY = 0, APPROVAL_REQUIRE, APPROVAL_AUTO, APPROVAL_LISTS };

struct approval_rule {
	struct pattern pattern;
	char *text; /* as written */
	char *origin;
};

struct approval_rules {
	struct approval_rule *rule[APPROVAL_LISTS];
	size_t n[APPROVAL_LISTS];
	uint64_t timeout_ms;
	bool skip_in_pen; /* inside a pen nothing is asked; what is denied stays denied */
};

/* Reads an `exec-approvals` object; NULL is the absent one.  -EINVAL with file, line, column and
 * JSON path.  Free with approval_rules_free(). */
int approval_rules_parse(const struct json5 *node, struct approval_rules **ret,
			 struct pinfold_error *e);

/* Accepts NULL. */
void approval_rules_free(struct approval_rules *r);

/* What is asked about: a line for a shell, or the words of a command.  All borrowed. */
struct approval_query {
	const char *line;  /* or NULL: */
	char *const *argv; /* NULL-terminated, not empty */
	const char *path;  /* PATH as the command will have it; NULL: the system's */
	const char *home;  /* NULL: not known */
	const char *cwd;   /* absolute */
	bool in_pen;
};

/* PINFOLD_ALLOW, PINFOLD_DENY or PINFOLD_ASK, with all texts.  -ENOMEM. */
int approval_judge(const struct approval_rules *rules, const struct approval_query *q,
		   struct pinfold_answer *ret);

#endif
