/* SPDX-License-Identifier: MIT */
/* Options, from tables: one parser for every verb, and the help from the same tables. */
#ifndef PINFOLD_CLI_OPT_H
#define PINFOLD_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#define EXIT_USAGE 64
#define EXIT_POLICY 65
#define EXIT_REFUSED 77
#define EXIT_NEEDS_APPROVAL 78
#define EXIT_NOT_OURS 79
#define EXIT_NOT_CONFINED 125

/* One option.  `set` stores value (NULL for a flag) into data; a negative result is an error that
 * it has printed.  Tables end with a NULL long name. */
struct option_row {
	const char *name;     /* without the dashes */
	char letter;          /* '\0': none */
	const char *argument; /* NULL: a flag */
	const char *help;
	int (*set)(void *data, const char *value);
};

struct verb {
	const char *name;
	const char *synopsis; /* what follows the options */
	const char *summary;
	const struct option_row *options;
	int (*run)(int argc, char **argv); /* argv[0] is the verb */
};

extern const struct verb VERBS[]; /* ends with a NULL name */

/* Reads options up to the first word that is none, or up to and including "--".  Returns the index
 * of the first word after them; -1: usage error, printed; -2: help was asked for and printed. */
int opt_parse(const struct verb *v, int argc, char **argv, void *data);

/* For verbs whose words may stand before, between and after their options: stores up to max words
 * and returns their number (max + 1 when there are more); negative as opt_parse. */
int opt_parse_words(const struct verb *v, int argc, char **argv, void *data, const char **words,
		    int max);

/* For verbs without words: any word is a usage error. */
int opt_parse_all(const struct verb *v, int argc, char **argv, void *data);

/* Prints "pinfold: text" on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

const struct verb *find_verb(const char *name);

#endif
