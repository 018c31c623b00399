/* SPDX-License-Identifier: MIT */
/*
 * A rule's pattern: words, in which "*" stands for any run of characters inside one simple command;
 * a last word "*" stands for no argument, too.  Quotes and backslashes are those of a shell.  Words
 * such as "|" and "&&" tie several commands together.  What is no plain command line ("> /dev/sda",
 * a fork bomb) is looked for in the line as it is written.
 */
#ifndef PINFOLD_AGENTS_APPROVAL_PATTERN_H
#define PINFOLD_AGENTS_APPROVAL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/shell.h"

struct approval_place;
struct approval_names;
struct pinfold_error;

#define PATTERN_MAX 1024     /* bytes */
#define PATTERN_WORDS_MAX 32 /* of one command */
#define PATTERN_COMMANDS_MAX 8

/* In compiled words: any run of characters, and what lies between words and commands. */
#define PATTERN_STAR '\x02'
#define PATTERN_GAP '\x1f'
#define PATTERN_JOINT '\x03'

struct pattern_part {
	enum shell_joint joint; /* to the part before */
	char **words;           /* compiled, NULL-terminated, never empty */
	size_t n;
	bool open;  /* its last word is "*" */
	char *flat; /* the words with gaps between */
	char *stem; /* flat without the last gap and star, if it is open; else NULL */
	char *tail; /* flat without the first word */
	char *tail_stem;
};

struct pattern {
	struct pattern_part *part; /* none: text is looked for in the line as written */
	size_t n;
	char *raw; /* compiled from the text without blanks, to be found anywhere */
};

/* -EINVAL: empty, too long, or with a quote that is not closed. */
int pattern_compile(const char *text, struct pattern *ret, struct pinfold_error *e);
void pattern_done(struct pattern *p);

/* Does a compiled word or flat text match?  A star matches no joint. */
bool pattern_glob(const char *pattern, const char *text);

/* n words with gaps between; free() it.  NULL: out of memory. */
char *pattern_flatten(char *const *words, size_t n);

/* The command's flat words, in this order, and nothing else: what an approval needs. */
bool pattern_matches(const struct pattern_part *p, const char *flat);
/* The same without the first word. */
bool pattern_matches_tail(const struct pattern_part *p, const char *tail);

/* A command that a deny could mean. */
struct pattern_subject {
	char *const *words; /* NULL-terminated */
	size_t n;           /* at least 1 */
	const char *flat;
	const char *tail;                   /* flat without the first word */
	const struct approval_names *names; /* by which words[0] is known */
	const struct approval_place *place;
};

/* The same command by whatever spelling: options in any order, bundled, long or short, more of
 * them; paths that lead to the same place; another name of the program. */
bool pattern_meets(const struct pattern_part *p, const struct pattern_subject *s);

/* The same, and more operands don't help: what reads a pipe is no better for what it reads
 * besides. */
bool pattern_meets_or_more(const struct pattern_part *p, const struct pattern_subject *s);

/* A line as it is written, for pattern_meets_text(). */
struct pattern_text {
	char *flat;    /* blanks squeezed to gaps, operators replaced by joints */
	char *dense;   /* without blanks */
	bool doubtful; /* it could not be taken apart */
};

/* -ENOMEM. */
int pattern_text_prepare(const char *line, struct pattern_text *ret);
void pattern_text_done(struct pattern_text *t);

/* Whether what is written matches: a pattern with one part the whole line, one without parts a
 * piece of it, and one with several a piece of a doubtful line. */
bool pattern_meets_text(const struct pattern *p, const struct pattern_text *t);

#endif
