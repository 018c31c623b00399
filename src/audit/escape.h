/* SPDX-License-Identifier: MIT */
/* Text as the inside of a JSON string. */
#ifndef PINFOLD_AUDIT_ESCAPE_H
#define PINFOLD_AUDIT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* The length of U+2026, with which a cut text ends. */
#define ESCAPE_CUT_LEN 3

/* Writes text to dst, at most room (>= ESCAPE_CUT_LEN) bytes and without a terminating NUL, and
 * returns how many.  Invalid UTF-8 becomes U+FFFD; controls, and characters that reorder or hide
 * what a terminal shows, become \uXXXX.  *ret_cut is set, and never cleared, when text did not
 * fit: what was written then ends with the mark. */
size_t escape_json(char *dst, size_t room, const char *text, bool *ret_cut);

#endif
