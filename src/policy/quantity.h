/* SPDX-License-Identifier: MIT */
/* Amounts with a unit: "2G", "200%", "30m". */
#ifndef PINFOLD_POLICY_QUANTITY_H
#define PINFOLD_POLICY_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity { QUANTITY_PIDS, QUANTITY_MEMORY, QUANTITY_CPU, QUANTITY_TIME, QUANTITY_MAX };

/* "none" is POLICY_NO_LIMIT.  bare: the text was a number without quotes, which memory and pids
 * take.  Memory is in bytes, time in milliseconds.  -EINVAL: malformed or out of range. */
int quantity_parse(enum quantity q, const char *text, bool bare, uint64_t *ret);

/* What is wanted, in words. */
const char *quantity_form(enum quantity q);

/* The shortest text that gives the value again; size 32 is enough. */
void quantity_format(enum quantity q, uint64_t value, char *ret, size_t size);

/* Whether quantity_format's text stands without quotes. */
bool quantity_is_bare(enum quantity q, uint64_t value);

#endif
