/* SPDX-License-Identifier: MIT */
/* Reads a record line by line, in bounded space.  What is no line of a record (torn by a full disk,
 * longer than a line may be, no JSON object, still being written) is passed over and counted. */
#ifndef PINFOLD_AUDIT_READER_H
#define PINFOLD_AUDIT_READER_H

#include <stdbool.h>
#include <stdint.h>

struct json5;
struct pinfold_error;
struct pinfold_log_line;
struct record_reader; /* heap object */

struct record_counts {
	uint64_t bytes;
	uint64_t lines;
	uint64_t broken;  /* torn, too long, no JSON object */
	uint64_t forged;  /* see line_scan() and line_check() */
	uint64_t damaged; /* the compressed data was */
};

/* path: a regular file, compressed or not; "-" is standard input.  -ENOTSUP: something else. */
int record_reader_open(const char *path, struct record_reader **ret, struct pinfold_error *e);

/* An open file, which is taken over, also on failure; path is for words. */
int record_reader_take(int fd, const char *path, struct record_reader **ret,
		       struct pinfold_error *e);

/* 1: *ret is the next line's object, which lives until the next call; 0: the end, for now; or a
 * negative errno. */
int record_reader_next(struct record_reader *r, const struct json5 **ret);

/* The same for a line as it stands, without a tree: much faster.  Lines that have not what every
 * line has are passed over as well. */
int record_reader_next_line(struct record_reader *r, struct pinfold_log_line *ret);

/* Whether there is more to come: at the end a line without its newline is then kept, and a later
 * call reads on. */
void record_reader_expect_more(struct record_reader *r, bool more);

/* Was the file cut shorter than what was read?  Then it is read from
 * its start again. */
bool record_reader_rewind_if_cut(struct record_reader *r);

bool record_reader_is_compressed(const struct record_reader *r);

/* The file itself, borrowed. */
int record_reader_fd(const struct record_reader *r);

const struct record_counts *record_reader_counts(const struct record_reader *r);

/* Lines that record_reader_next() passed over. */
uint64_t record_reader_skipped(const struct record_reader *r);

/* A member's text; NULL when it is absent or no text. */
const char *record_member_text(const struct json5 *line, const char *key);

/* A member's whole number; fallback when it is absent or none. */
int64_t record_member_number(const struct json5 *line, const char *key, int64_t fallback);

/* Accepts NULL. */
void record_reader_free(struct record_reader *r);

#endif
