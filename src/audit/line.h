/* SPDX-License-Identifier: MIT */
/* One line of a record, looked at in place: checked as JSON, its members found, nothing copied. */
#ifndef PINFOLD_AUDIT_LINE_H
#define PINFOLD_AUDIT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pinfold_review.h"

#define LINE_MEMBERS_MAX 64
#define LINE_DEPTH_MAX 16

enum line_type {
	LINE_NONE = 0,
	LINE_STRING,
	LINE_NUMBER,
	LINE_WORD, /* true, false, null */
	LINE_OBJECT,
	LINE_ARRAY,
};

struct line_value {
	const char *at; /* of a string: behind its quote */
	uint16_t len;
	bool escaped; /* a string that holds backslashes */
	enum line_type type;
};

struct line_member {
	const char *key;
	uint16_t key_len;
	struct line_value value;
};

struct pinfold_log_line {
	const char *text; /* borrowed from the reader */
	size_t len;
	bool odd; /* holds characters that steer terminals, or hide or reorder text */
	unsigned n;
	struct line_member member[LINE_MEMBERS_MAX];
	int64_t time_us; /* since 1970; of lines that passed line_check() */
};

/* text[0, len) is the line, text[len] its newline; len fits 16 bits.  -EINVAL: it is no JSON
 * object; -EBADMSG: it is one that nothing of ours writes (a member twice, a key with escapes or
 * hidden characters, too many members). */
int line_scan(const char *text, size_t len, struct pinfold_log_line *ret);

/* Has it what every line has: schema, time, event?  Fills time_us.  -EBADMSG: no. */
int line_check(struct pinfold_log_line *l);

/* The member, or NULL. */
const struct line_value *line_find(const struct pinfold_log_line *l, const char *key);

/* Copies the text of a string, or the digits of a number, decoded and cut to fit; what is cut ends
 * between characters.  NULs become U+FFFD.  False, with an empty ret: there is none. */
bool line_text(const struct pinfold_log_line *l, const char *key, char *ret, size_t size);

/* The whole number, or fallback. */
int64_t line_number(const struct pinfold_log_line *l, const char *key, int64_t fallback);

bool line_text_is(const struct pinfold_log_line *l, const char *key, const char *want);

/* The strings of a list, one after the other: *at is 0 for the first, and false is the end. */
bool line_list_next(const struct line_value *list, size_t *at, char *ret, size_t size);

/* What could steer a terminal becomes '?'. */
void line_clean(char *text);

/* How many denials (or allowed things) the line stands for. */
uint64_t line_weight(const struct pinfold_log_line *l);

#endif
