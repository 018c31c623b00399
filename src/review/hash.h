/* SPDX-License-Identifier: MIT */
/* Where a text belongs in a hash table of this module. */
#ifndef PINFOLD_REVIEW_HASH_H
#define PINFOLD_REVIEW_HASH_H

#include <stdint.h>

/* FNV-1a, folded so that the low bits depend on all. */
static inline uint64_t hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

#endif
