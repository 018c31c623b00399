/* SPDX-License-Identifier: MIT */
/* Reads JSON and the everyday part of JSON5 (comments, trailing commas, single quotes, unquoted
 * keys) into a tree that remembers where each value stood.  Strict otherwise: duplicate keys,
 * control characters, NULs, bad UTF-8, lone surrogates and anything after the value are errors.
 * A byte order mark at the start is skipped; CR is white space only in front of LF. */
#ifndef PINFOLD_BASE_JSON5_H
#define PINFOLD_BASE_JSON5_H

#include <stdbool.h>
#include <stddef.h>

struct pinfold_error;

#define JSON5_NESTING_MAX 32

enum json5_type {
	JSON5_NULL = 0,
	JSON5_FALSE,
	JSON5_TRUE,
	JSON5_NUMBER,
	JSON5_STRING,
	JSON5_ARRAY,
	JSON5_OBJECT,
};

struct json5 {
	enum json5_type type;
	unsigned line;       /* of the value's first byte, from 1 */
	unsigned column;     /* in bytes, from 1 */
	unsigned index;      /* among its parent's children, from 0 */
	char *key;           /* in an object; else NULL */
	char *string;        /* JSON5_STRING: without NULs inside; JSON5_NUMBER: as written */
	double number;       /* JSON5_NUMBER */
	struct json5 *child; /* first member or element, in the order written */
	struct json5 *next;
	struct json5 *parent;
	/* Borrowed, and both NULL as parsed (json5_tree.h): the file that the value stands in,
	 * where a tree is made of several; and what this is a copy of, for json5_path(). */
	const char *file;
	const struct json5 *origin;
};

/* file is the name used in messages ("FILE:LINE:COLUMN: ...").  Free with json5_free().  -EINVAL:
 * not valid; -ENOMEM. */
int json5_parse(const char *text, size_t len, const char *file, struct json5 **ret,
		struct pinfold_error *e);

/* The root; accepts NULL. */
void json5_free(struct json5 *v);

/* The member of that key, or NULL. */
struct json5 *json5_member(const struct json5 *object, const char *key);

/* "network.allowOutbound[3]" for messages; the root is "(root)"; of a copy, where the original
 * stands.  Cut to fit. */
void json5_path(const struct json5 *v, char *ret, size_t size);

#endif
