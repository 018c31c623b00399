/* SPDX-License-Identifier: MIT */
/* What the two halves of the judgement share: approval_judge.c judges commands, approval_line.c
 * takes lines apart and goes through the list of what is still to be judged. */
#ifndef PINFOLD_AGENTS_APPROVAL_INNER_H
#define PINFOLD_AGENTS_APPROVAL_INNER_H

#include <limits.h>

#include "agents/approval.h"
#include "agents/approval_names.h"
#include "pinfold.h"

#define JUDGE_ITEMS_MAX 16384

struct shell_command;
struct shell_line;

struct judge_item {
	char *line; /* or NULL: */
	char **words;
	size_t n;
	bool guess;  /* it only might run: of interest for what is denied */
	bool suffix; /* its own ends are on the list already */
};

struct judge {
	const struct approval_rules *rules;
	struct approval_place place;
	char cwd[PLACE_CWDS_MAX][PATH_MAX];
	size_t moves; /* times that a "cd" was seen */
	struct judge_item *item;
	size_t n;
	size_t next;
	bool guess; /* of the item at hand */
	bool suffix;
	struct pinfold_answer *answer;
	const struct approval_rule *approved; /* the first that approved something */
};

/* Replaces the answer if this verdict is stricter. */
void judge_find(struct judge *j, enum pinfold_verdict verdict, const struct approval_rule *rule,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* -ENOMEM; -E2BIG: there is too much of it. */
int judge_words(struct judge *j, char *const *words, size_t n);
void judge_surroundings(struct judge *j, const struct shell_command *c);

/* 1: it is what this part of a pattern means; 0; -ENOMEM. */
int judge_meets(struct judge *j, char *const *words, size_t n, const struct pattern_part *part);

/* Puts what the command starts, one level of it, on the list. */
int judge_open(struct judge *j, char *const *words, size_t n);

/* Put a copy on the list; callbacks of wrap_open(). */
int judge_put_words(void *data, char *const *words, size_t n, bool guess);
int judge_put_line(void *data, const char *text, bool guess);

/* Judges words that only might run; a shell_visit. */
int judge_guess(void *data, char *const *words, size_t n);

/* Frees the list. */
void judge_items_free(struct judge_item *item, size_t n);

/* ---- approval_tie.c: patterns that tie several commands together ---------------------------- */

/* What a line's commands make together.  line->doubt: of everything in text that could become a
 * command, as it stands there. */
int judge_ties(struct judge *j, const struct shell_line *line, const char *text);

#endif
