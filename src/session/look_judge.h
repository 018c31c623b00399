/* SPDX-License-Identifier: MIT */
/* What enforcement would say to one use of a path. */
#ifndef PINFOLD_SESSION_LOOK_JUDGE_H
#define PINFOLD_SESSION_LOOK_JUDGE_H

#include <stdbool.h>

#include "policy/paths.h"
#include "policy/policy.h"
#include "session/why_view.h"

/* The rules that are judged by, and what the session has of its own. */
struct look_rules {
	const struct policy *policy; /* borrowed */
	const char *home;            /* borrowed; a private place; NULL: none */
	struct why_view view;        /* the policy's rules, where they lead */
	struct why_view shown;       /* what the session is shown, likewise */
	struct string_list own;      /* what it made, directories and the tops of /tmp */
};

struct look_use {
	const char *path; /* canonical */
	unsigned need;    /* CALL_ bits */
	bool is_dir;
	bool would_make; /* where the name is missing; it is not here, but may be inside */
};

enum look_said { LOOK_SHUT = 0, LOOK_WOULD_DENY, LOOK_ALLOWED };

struct look_verdict {
	enum look_said said;
	unsigned missing;             /* CALL_ bits; 0 when allowed */
	const struct path_rule *rule; /* NULL: nothing matches */
	const char *reason;           /* for the record */
	const char *list;             /* of the policy, which would open it */
};

void look_judge(const struct look_rules *l, const struct look_use *u, struct look_verdict *ret);

/* Paths that are the session's own whatever leads there: not to be resolved on the host. */
bool look_is_own_place(const struct look_rules *l, const char *clean_path);

/* A name was made.  -ENOMEM. */
int look_note_made(struct look_rules *l, const char *path, bool is_dir);

void look_rules_done(struct look_rules *l);

#endif
