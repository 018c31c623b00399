/* SPDX-License-Identifier: MIT */
#include "review/tally.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "review/hash.h"

#define SPACE_FIRST 64

/* The place of that key, or the free one where it belongs.  There is always a free one. */
static struct tally_entry *place_of(const struct tally *t, const char *key, uint64_t hash)
{
	size_t i = hash & (t->space - 1);

	while (t->entry[i].key && (t->entry[i].hash != hash || strcmp(t->entry[i].key, key) != 0))
		i = (i + 1) & (t->space - 1);
	return &t->entry[i];
}

static int move_to(struct tally *t, size_t space, uint64_t more_than)
{
	struct tally old = *t;

	assert(space > 0);
	t->entry = calloc(space, sizeof(*t->entry));
	if (!t->entry) {
		t->entry = old.entry;
		return -ENOMEM;
	}
	t->space = space;
	t->n = 0;
	for (size_t i = 0; i < old.space; i++) {
		struct tally_entry *from = &old.entry[i];

		if (from->key && from->count <= more_than) {
			t->others += from->count;
			free(from->key);
			free(from->detail);
		} else if (from->key) {
			*place_of(t, from->key, from->hash) = *from;
			t->n++;
		}
	}
	free(old.entry);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* Drops at least the rarer half. */
static int prune(struct tally *t)
{
	uint64_t *counts = calloc(t->n, sizeof(*counts));
	size_t n = 0;
	uint64_t middle;

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < t->space; i++)
		if (t->entry[i].key)
			counts[n++] = t->entry[i].count;
	qsort(counts, n, sizeof(*counts), by_number);
	middle = counts[n / 2];
	free(counts);
	return move_to(t, t->space, middle);
}

static int make_room(struct tally *t)
{
	if (t->n == (t->max ? t->max : TALLY_MAX))
		return prune(t);
	if (2 * (t->n + 1) <= t->space)
		return 0;
	return move_to(t, t->space ? 2 * t->space : SPACE_FIRST, 0);
}

int tally_add(struct tally *t, const char *key, const char *detail, uint64_t weight,
	      int64_t time_us)
{
	uint64_t hash = hash_text(key);
	struct tally_entry *at = t->space ? place_of(t, key, hash) : NULL;

	if (!at || !at->key) {
		auto_free char *own = strdup(key);
		auto_free char *own_detail = detail ? strdup(detail) : NULL;

		if (!own || (detail && !own_detail) || make_room(t) < 0)
			return -ENOMEM;
		at = place_of(t, key, hash);
		*at = (struct tally_entry){ .key = take_ptr(own),
					    .detail = take_ptr(own_detail),
					    .hash = hash,
					    .first_us = time_us,
					    .last_us = time_us };
		t->n++;
	}
	at->count += weight;
	if (time_us < at->first_us)
		at->first_us = time_us;
	if (time_us > at->last_us)
		at->last_us = time_us;
	return 0;
}

const struct tally_entry *tally_find(const struct tally *t, const char *key)
{
	const struct tally_entry *at = t->space ? place_of(t, key, hash_text(key)) : NULL;

	return at && at->key ? at : NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct tally_entry *const *x = a;
	const struct tally_entry *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return strcmp((*x)->key, (*y)->key);
}

int tally_top(const struct tally *t, size_t max, const struct tally_entry ***ret)
{
	const struct tally_entry **list = calloc(t->n + 1, sizeof(struct tally_entry *));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < t->space; i++)
		if (t->entry[i].key)
			list[n++] = &t->entry[i];
	qsort(list, n, sizeof(struct tally_entry *), by_count);
	*ret = list;
	return (int)(n < max ? n : max);
}

uint64_t tally_sum(const struct tally *t)
{
	uint64_t sum = t->others;

	for (size_t i = 0; i < t->space; i++)
		if (t->entry[i].key)
			sum += t->entry[i].count;
	return sum;
}

void tally_done(struct tally *t)
{
	for (size_t i = 0; i < t->space; i++) {
		free(t->entry[i].key);
		free(t->entry[i].detail);
	}
	free(t->entry);
	*t = (struct tally){ 0 };
}

void tally_part(const char *key, unsigned n, char *ret, size_t size)
{
	const char *end;
	size_t len;

	for (; n > 0 && key; n--) {
		key = strchr(key, TALLY_SEPARATOR);
		key = key ? key + 1 : NULL;
	}
	ret[0] = '\0';
	if (!key)
		return;
	end = strchr(key, TALLY_SEPARATOR);
	len = end ? (size_t)(end - key) : strlen(key);
	if (len >= size)
		len = size - 1;
	memcpy(ret, key, len);
	ret[len] = '\0';
}
