/* SPDX-License-Identifier: MIT */
/* What the parts of the shell reader share. */
#ifndef PINFOLD_AGENTS_SHELL_INNER_H
#define PINFOLD_AGENTS_SHELL_INNER_H

#include <stdbool.h>
#include <stddef.h>

struct shell_command;
struct shell_line;

/* A word, or any text, that grows. */
struct shell_text {
	char *bytes; /* NUL-terminated once something was added */
	size_t len;
	size_t size;
};

int shell_text_add(struct shell_text *t, char c);
int shell_text_put(struct shell_text *t, const char *bytes, size_t len);

/* Adds s, which it takes over in any case, to a NULL-terminated list of n strings. */
int shell_list_add(char ***list, size_t *n, char *s);

bool shell_is_blank(char c);
/* Ends a word that is not quoted; the end of the text does, too. */
bool shell_ends_word(char c);
/* NAME of NAME=value: the length of the identifier that text starts with. */
size_t shell_name_length(const char *text);

struct shell_reader {
	const char *text;
	size_t pos;
	struct shell_line *line;
	struct shell_command *now; /* the command that words go to; in line */
	size_t words;
	bool wants;      /* behind && || | or !, a command has to follow */
	bool after_time; /* the words so far are "time" and its option */
	const char *doubt;
	size_t doubt_at;
	int error;
};

/* One word as it stands. */
struct shell_word {
	struct shell_text text;
	size_t assign; /* where its first unquoted "=" stands; 0: nowhere */
	size_t brace;  /* behind its first unquoted "{"; 0: none */
	bool quoted;   /* some of it was */
};

void shell_doubt(struct shell_reader *r, const char *what);
/* Reads the word at pos; on doubt or error, what it holds is of no use. */
void shell_read_word(struct shell_reader *r, struct shell_word *ret);

#endif
