/* SPDX-License-Identifier: MIT */
/* What the readers of single members share. */
#ifndef PINFOLD_POLICY_READ_H
#define PINFOLD_POLICY_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/json5.h"
#include "policy/policy.h"

struct cJSON;
struct word;

struct reader {
	const char *file; /* as told in messages and origins */
	const char *dir;  /* what relative paths are relative to; absolute */
	const struct policy_context *ctx;
	struct policy *p;
	size_t entries; /* of all lists so far */
	struct pinfold_error *e;
};

/* -EINVAL with "FILE:LINE:COLUMN: JSON.path: words". */
int read_fail(const struct reader *r, const struct json5 *v, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for words that another function has put into why; other codes than -EINVAL pass. */
int read_fail_why(const struct reader *r, const struct json5 *v, int code,
		  const struct pinfold_error *why);

/* A string that is not empty; borrowed from v. */
int read_string(const struct reader *r, const struct json5 *v, const char **ret);

/* A whole number from low to high. */
int read_number(const struct reader *r, const struct json5 *v, uint64_t low, uint64_t high,
		uint64_t *ret);

/* One word of a table. */
int read_word(const struct reader *r, const struct json5 *v, const struct word *words, int *ret);

/* Whether v is a list, and its elements still fit the limit over all lists. */
int read_list(struct reader *r, const struct json5 *v);

/* "FILE:LINE (JSON path)"; free() it.  NULL: out of memory. */
char *read_origin(const struct reader *r, const struct json5 *v);

/* array is the address of a pointer to n elements of size bytes; grows it by one zeroed element
 * and returns that, or NULL. */
void *grow(void *array, size_t n, size_t size);

int list_add(struct string_list *l, const char *s);
void list_done(struct string_list *l);

/* The readers and printers of schema.c's KIND_OWN members. */
#define OWN_MEMBER(name)                                                                           \
	int read_##name(struct reader *r, const struct json5 *v);                                  \
	int print_##name(const struct policy *p, struct cJSON *object, const char *key)

OWN_MEMBER(version);
OWN_MEMBER(workspace);
OWN_MEMBER(lane);
OWN_MEMBER(rw);
OWN_MEMBER(ro);
OWN_MEMBER(rox);
OWN_MEMBER(deny);
OWN_MEMBER(allow_outbound);
OWN_MEMBER(deny_outbound);
OWN_MEMBER(inbound);
OWN_MEMBER(upstream);
OWN_MEMBER(unix_allow);
OWN_MEMBER(uid);
OWN_MEMBER(gid);
OWN_MEMBER(home);
OWN_MEMBER(path);
OWN_MEMBER(keep_env);
OWN_MEMBER(set_env);
OWN_MEMBER(families);
OWN_MEMBER(pids);
OWN_MEMBER(memory);
OWN_MEMBER(cpu);
OWN_MEMBER(timeout);
OWN_MEMBER(unavailable);
OWN_MEMBER(audit_path);
OWN_MEMBER(quiet);

#undef OWN_MEMBER

#endif
