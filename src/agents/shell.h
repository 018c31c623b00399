/* SPDX-License-Identifier: MIT */
/*
 * A shell line, taken apart into simple commands, where that is certain.
 *
 * Certain means: bash and dash, given the line with -c, would run exactly these words, whatever
 * files exist and whatever their variables hold.  Everything else is a doubt, and a doubt is never
 * resolved by guessing.  Two things only are not the reader's to know: whether a command is reached
 * (`a && b`, `exit; a`), and that dash refuses a line with `|&`, where bash runs it.
 */
#ifndef PINFOLD_AGENTS_SHELL_H
#define PINFOLD_AGENTS_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#define SHELL_LINE_MAX 65536 /* bytes of text */
#define SHELL_COMMANDS_MAX 256
#define SHELL_WORDS_MAX 4096 /* of all commands together */

/* How a command is tied to the one before it. */
enum shell_joint {
	SHELL_FIRST = 0,
	SHELL_THEN,       /* ; or a newline */
	SHELL_AND,        /* && */
	SHELL_OR,         /* || */
	SHELL_PIPE,       /* | */
	SHELL_PIPE_BOTH,  /* |& */
	SHELL_BACKGROUND, /* &: the one before runs on */
	SHELL_JOINTS,
};

enum shell_direction {
	SHELL_INPUT = 0,  /* < */
	SHELL_OUTPUT,     /* > */
	SHELL_APPEND,     /* >> */
	SHELL_CLOBBER,    /* >| */
	SHELL_READ_WRITE, /* <> */
	SHELL_DUP_INPUT,  /* <&: target is a digit or "-" */
	SHELL_DUP_OUTPUT, /* >&: the same */
	SHELL_DIRECTIONS,
};

struct shell_redirect {
	enum shell_direction direction;
	int fd; /* -1: the direction's own */
	char *target;
};

struct shell_command {
	enum shell_joint joint;
	bool negated;   /* behind a "!" */
	char **words;   /* NULL-terminated; may be empty */
	char **assigns; /* "NAME=value", NULL-terminated */
	struct shell_redirect *redirects;
	size_t n_words;
	size_t n_assigns;
	size_t n_redirects;
};

struct shell_line {
	struct shell_command *commands;
	size_t n;
	const char *doubt; /* NULL: taken apart.  Else what it holds that can't be, for "it holds
			      %s"; there are no commands then */
	size_t doubt_at;   /* offset in the text */
};

/* Free with shell_line_done().  -ENOMEM. */
int shell_read(const char *text, struct shell_line *ret);

void shell_line_done(struct shell_line *line);

/* What makes a command change how the shell reads or finds what follows ("eval", "alias", ...), or
 * NULL. */
const char *shell_doubtful_command(const char *name);

/* "&&" and so on; "" for the first. */
const char *shell_joint_text(enum shell_joint joint);

/* Calls visit with the words of everything in text that could become a simple command, read so far
 * as it can be, with and without a look at quotes: more than a shell would run, and for judging
 * what is refused only.  What can't be known stands as SHELL_UNKNOWN in a word; words that visit
 * gets are NULL-terminated and borrowed for the call.  Stops at the first result that is not 0 and
 * yields it; -ENOMEM; -E2BIG: the text is too long or too deeply nested to be read. */
typedef int shell_visit(void *data, char *const *words, size_t n);
int shell_skim(const char *text, shell_visit *visit, void *data);

/* One of the two ways only, so that commands come in the order in which they stand. */
int shell_skim_once(const char *text, bool blind, shell_visit *visit, void *data);

#define SHELL_UNKNOWN '\x1a'
#define SHELL_HOME "~" /* what $HOME is read as */

#endif
