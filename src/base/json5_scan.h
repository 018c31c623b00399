/* SPDX-License-Identifier: MIT */
/* The lexical half of the JSON5 reader: bytes, blanks, strings, numbers. */
#ifndef PINFOLD_BASE_JSON5_SCAN_H
#define PINFOLD_BASE_JSON5_SCAN_H

#include <stdbool.h>

struct json5;
struct pinfold_error;

struct scan {
	const char *at;
	const char *end;
	const char *line_start;
	unsigned line;
	const char *file;
	struct json5 *top;  /* the container being read, or NULL */
	struct json5 *last; /* its newest child */
	unsigned depth;
	struct pinfold_error *e;
};

/* -EINVAL with "FILE:LINE:COLUMN: what"; the position of the scan, or a given one. */
int json5_fail(const struct scan *s, const char *what);
int json5_fail_at(const struct scan *s, unsigned line, unsigned column, const char *what);

unsigned json5_column(const struct scan *s);

/* Refuses what may stand nowhere in a text: bytes that are not UTF-8, NULs, lone CRs. */
int json5_check_bytes(struct scan s);

bool json5_starts(const struct scan *s, const char *word);
bool json5_is_digit(const struct scan *s);
bool json5_is_word_byte(const struct scan *s);

/* White space and comments. */
int json5_skip_blank(struct scan *s);

/* The scan stands on the quote, and behind the closing one afterwards.  free() the result. */
int json5_read_string(struct scan *s, char **ret);

/* A number as JSON writes it: no sign but minus, no leading zero, no hexadecimal.  Fills v. */
int json5_read_number(struct scan *s, struct json5 *v);

#endif
