/* SPDX-License-Identifier: MIT */
/* Points in time as people and records write them, in microseconds since 1970 (UTC). */
#ifndef PINFOLD_AUDIT_WHEN_H
#define PINFOLD_AUDIT_WHEN_H

#include <stddef.h>
#include <stdint.h>

struct pinfold_error;

#define WHEN_TEXT_MAX 32

/* RFC 3339, "2026-01-31T12:00:00.123456Z" or with an offset; text needs no end of its own but one
 * byte behind it.  -EINVAL. */
int when_parse_stamp(const char *text, size_t len, int64_t *ret_us);

/* What a person writes: the same (a blank for the T), a date, "now", or how long before now_us:
 * "2h", "1d12h", "90s". -EINVAL with words. */
int when_parse(const char *text, int64_t now_us, int64_t *ret_us, struct pinfold_error *e);

/* "2026-01-31 12:00:00" */
void when_format(int64_t us, char ret[static WHEN_TEXT_MAX]);

int64_t when_now_us(void);

#endif
