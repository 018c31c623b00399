/* SPDX-License-Identifier: MIT */
/* Reads and writes DNS messages.  Both sides remember the first thing that went wrong: getters
 * then yield zero, putters do nothing, and one look at `bad` or `full` at the end is enough. */
#ifndef PINFOLD_DNS_MSG_H
#define PINFOLD_DNS_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/name.h"

#define DNS_NAME_WIRE_MAX 255
#define DNS_NAME_PRINT_MAX 256 /* a printed name with its NUL, cut to fit */

/* A name without compression, its case kept.  len counts the root label: never 0. */
struct dns_name {
	uint8_t len;
	uint8_t wire[DNS_NAME_WIRE_MAX];
};

struct dns_reader {
	const uint8_t *msg;
	size_t len;
	size_t at;
	bool bad;
};

struct dns_header {
	uint16_t id;
	uint16_t flags;
	uint16_t n_question;
	uint16_t n_answer;
	uint16_t n_authority;
	uint16_t n_additional;
};

struct dns_rr {
	struct dns_name owner;
	uint16_t type;
	uint16_t class;
	uint32_t ttl;
	size_t rdata; /* offset in the message */
	uint16_t rdlen;
};

struct dns_reader dns_reader_over(const uint8_t *msg, size_t len);
uint8_t dns_get_u8(struct dns_reader *r);
uint16_t dns_get_u16(struct dns_reader *r);
uint32_t dns_get_u32(struct dns_reader *r);
/* NULL when fewer than n bytes are left. */
const uint8_t *dns_get_bytes(struct dns_reader *r, size_t n);
void dns_get_header(struct dns_reader *r, struct dns_header *ret);
/* Follows compression pointers, each of which has to lead strictly before the part it ends. */
void dns_get_name(struct dns_reader *r, struct dns_name *ret);
/* Leaves the reader behind the record. */
void dns_get_rr(struct dns_reader *r, struct dns_rr *ret);

/* A reader that sees one record's data, with all before it for compression pointers. */
struct dns_reader dns_rdata_reader(const struct dns_reader *r, const struct dns_rr *rr);

bool dns_name_equal(const struct dns_name *a, const struct dns_name *b); /* ignores case */
void dns_name_lower(struct dns_name *name);

/* -EINVAL: bytes that no canonical name has, or the root. */
int dns_name_canonical(const struct dns_name *name, char ret[static NAME_BUF]);

/* Canonical text to wire form. */
int dns_name_from_text(const char *text, struct dns_name *ret);

/* Printable ASCII whatever the name holds: other bytes, dots inside labels and backslashes become
 * \DDD. */
void dns_name_print(const struct dns_name *name, char ret[static DNS_NAME_PRINT_MAX]);

struct dns_writer {
	uint8_t *buf;
	size_t cap;
	size_t len;
	bool full;
};

struct dns_writer dns_writer_over(uint8_t *buf, size_t cap);
void dns_put_u8(struct dns_writer *w, uint8_t v);
void dns_put_u16(struct dns_writer *w, uint16_t v);
void dns_put_u32(struct dns_writer *w, uint32_t v);
void dns_put_bytes(struct dns_writer *w, const void *bytes, size_t n);
void dns_put_name(struct dns_writer *w, const struct dns_name *name);
void dns_put_header(struct dns_writer *w, const struct dns_header *h);
/* Overwrites what was put at offset `at`. */
void dns_set_u16(struct dns_writer *w, size_t at, uint16_t v);

#endif
