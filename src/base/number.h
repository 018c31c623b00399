/* SPDX-License-Identifier: MIT */
/* Numbers in text. */
#ifndef PINFOLD_BASE_NUMBER_H
#define PINFOLD_BASE_NUMBER_H

#include <stdint.h>

/* Decimal digits only, no sign, no space, at most max.  -EINVAL otherwise. */
int number_parse(const char *text, uint64_t max, uint64_t *ret);

#endif
