/* SPDX-License-Identifier: MIT */
/* The state of shell_skim(), and its knowledge of variables. */
#ifndef PINFOLD_AGENTS_SHELL_SKIM_H
#define PINFOLD_AGENTS_SHELL_SKIM_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/shell.h"
#include "agents/shell_inner.h"

#define SKIM_DEPTH_MAX 64
#define SKIM_VARIABLES_MAX 64
#define SKIM_VALUE_MAX 256 /* longer values stay unknown, so that they can't grow by each other */

struct skim_frame {
	char closer; /* ')' or '`'; '\0': the whole text */
	bool yields; /* its output becomes part of a word around it */
	bool quoted; /* inside "..." */
	bool skip;   /* the next word is a redirection's */
	bool in_word;
	bool brace; /* the word has an unquoted "{" */
	size_t start;
	struct shell_text word;
	char **words;
	size_t n;
};

struct skim {
	const char *text;
	size_t pos;
	bool blind; /* for quotes and backslashes */
	size_t depth;
	struct skim_frame frames[SKIM_DEPTH_MAX];
	char *variables[SKIM_VARIABLES_MAX]; /* "NAME=value" */
	size_t n_variables;
	shell_visit *visit;
	void *data;
	int result;
};

void skim_add(struct skim *s, char c);
void skim_end_word(struct skim *s);
void skim_end_command(struct skim *s);
void skim_push(struct skim *s, char closer, bool yields);

/* Whether word is NAME=value; then remembers it. */
bool skim_assign(struct skim *s, const char *word);
/* "$" at pos; leaves pos on the last byte that it took. */
void skim_dollar(struct skim *s);
void skim_forget(struct skim *s);

#endif
