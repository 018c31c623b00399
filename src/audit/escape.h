/* SPDX-License-Identifier: MIT */
/* Text as the inside of a JSON string. */
#ifndef PINFOLD_AUDIT_ESCAPE_H
#define PINFOLD_AUDIT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of U+2026, with which a cut text ends. */
#define ESCAPE_CUT_LEN 3

/* Writes text to dst, at most room (>= ESCAPE_CUT_LEN) bytes and without a terminating NUL, and
 * returns how many.  Invalid UTF-8 becomes U+FFFD; controls, and characters that reorder or hide
 * what a terminal shows, become \uXXXX.  *ret_cut is set, and never cleared, when text did not
 * fit: what was written then ends with the mark. */
size_t escape_json(char *dst, size_t room, const char *text, bool *ret_cut);

/* Decodes one character of UTF-8, which ends at a byte that continues none (a NUL, a newline); an
 * invalid byte counts as one U+FFFD.  Returns the bytes consumed. */
size_t escape_decode(const char *text, uint32_t *ret);

/* C0, DEL and C1 steer terminals; others reorder or hide text (bidirectional marks, line
 * separators, zero width, byte order mark). */
bool escape_wants(uint32_t c);

#endif
