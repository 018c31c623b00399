/* SPDX-License-Identifier: MIT */
/* Reads a record line by line, in bounded space.  What is no line of a record (torn by a full disk,
 * longer than a line may be, no JSON object, still being written) is passed over and counted. */
#ifndef PINFOLD_AUDIT_READER_H
#define PINFOLD_AUDIT_READER_H

#include <stdint.h>

struct json5;
struct pinfold_error;
struct record_reader; /* heap object */

/* path: a regular file; "-" is standard input.  -ENOTSUP: something else. */
int record_reader_open(const char *path, struct record_reader **ret, struct pinfold_error *e);

/* 1: *ret is the next line's object, which lives until the next call; 0: the end, for now; or a
 * negative errno. */
int record_reader_next(struct record_reader *r, const struct json5 **ret);

uint64_t record_reader_skipped(const struct record_reader *r);

/* A member's text; NULL when it is absent or no text. */
const char *record_member_text(const struct json5 *line, const char *key);

/* A member's whole number; fallback when it is absent or none. */
int64_t record_member_number(const struct json5 *line, const char *key, int64_t fallback);

/* Accepts NULL. */
void record_reader_free(struct record_reader *r);

#endif
