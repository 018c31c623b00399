/* SPDX-License-Identifier: MIT */
/* Counts by text, in bounded space.  When more different texts come than there is room for, the
 * rarest half is counted together, so that what is frequent stays, whatever a program throws at it.
 */
#ifndef PINFOLD_REVIEW_TALLY_H
#define PINFOLD_REVIEW_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_MAX 8192 /* entries of a tally whose max is 0 */

/* Separates the parts of a key; texts that were cleaned for a terminal never hold it. */
#define TALLY_SEPARATOR '\t'

struct tally_entry {
	char *key;
	char *detail; /* of the first line with this key; may be NULL */
	uint64_t hash;
	uint64_t count;
	int64_t first_us;
	int64_t last_us;
};

struct tally {
	struct tally_entry *entry; /* a hash table of `space` places */
	size_t space;
	size_t n;
	size_t max;
	uint64_t others; /* counted together */
};

/* Adds weight to key.  The detail is copied when the key is new.  -ENOMEM. */
int tally_add(struct tally *t, const char *key, const char *detail, uint64_t weight,
	      int64_t time_us);

/* The entry of that key, or NULL. */
const struct tally_entry *tally_find(const struct tally *t, const char *key);

/* The most frequent entries first (of equals: by key), at most max.  Returns how many; free()
 * *ret, whose entries live until the tally changes.  -ENOMEM. */
int tally_top(const struct tally *t, size_t max, const struct tally_entry ***ret);

/* The sum of all counts. */
uint64_t tally_sum(const struct tally *t);

/* Any state. */
void tally_done(struct tally *t);

/* Part number n of a key, cut to fit; empty when there is none. */
void tally_part(const char *key, unsigned n, char *ret, size_t size);

#endif
