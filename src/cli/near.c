/* SPDX-License-Identifier: MIT */
#include "cli/near.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 31

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* The number of bytes to insert, remove or replace. */
static size_t distance(const char *a, const char *b, size_t len_b)
{
	size_t row[WORD_MAX + 1];

	for (size_t k = 0; k <= len_b; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t k = 0; k < len_b; k++) {
			size_t above = row[k + 1];

			row[k + 1] = least(above + 1, row[k] + 1, corner + (a[i] != b[k]));
			corner = above;
		}
	}
	return row[len_b];
}

/* Two neighbours that changed places: the commonest slip. */
static bool is_swapped(const char *a, const char *b, size_t len)
{
	size_t at = 0;

	while (at < len && a[at] == b[at])
		at++;
	return at + 1 < len && a[at] == b[at + 1] && a[at + 1] == b[at] &&
	       strcmp(a + at + 2, b + at + 2) == 0;
}

bool near_is(const char *word, const char *wanted)
{
	size_t a = strlen(word);
	size_t b = strlen(wanted);

	if (a > WORD_MAX || b > WORD_MAX || a < 2)
		return false;
	if (a == b && is_swapped(word, wanted, a))
		return true;
	return distance(word, wanted, b) <= (b < 5 ? 1 : 2);
}
