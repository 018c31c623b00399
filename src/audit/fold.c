/* SPDX-License-Identifier: MIT */
#include "audit/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(uint64_t h, const char *text)
{
	/* FNV-1a; the terminating NUL goes in, so that "a" "bc" is not "ab" "c". */
	do
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	while (*text++);
	return h;
}

static uint64_t hash_all(const char *event, const char *key)
{
	return hash_text(hash_text(0xcbf29ce484222325ULL, event), key);
}

/* Cutting is wanted: the hash tells keys apart, the text is for the reader. */
static void copy_cut(char *dst, size_t size, const char *src)
{
	size_t n = strnlen(src, size - 1);

	memcpy(dst, src, n);
	dst[n] = '\0';
}

static void entry_clear(struct fold_entry *n)
{
	free(n->body);
	*n = (struct fold_entry){ 0 };
}

static bool is_over(const struct fold_entry *n, uint64_t now_ms)
{
	return now_ms - n->since_ms >= FOLD_WINDOW_MS;
}

static void count_other(struct fold *f, const char *event)
{
	struct fold_other *o = f->others;

	for (; o < f->others + FOLD_OTHERS_MAX - 1; o++)
		if (o->count == 0 || strncmp(o->event, event, FOLD_EVENT_MAX - 1) == 0)
			break;
	if (o->count == 0)
		copy_cut(o->event, sizeof(o->event),
			 o < f->others + FOLD_OTHERS_MAX - 1 ? event : "other");
	o->count++;
}

/* The text too: a hash alone could be made to collide, which would hide a line behind another. */
static bool is_same(const struct fold_entry *n, const char *event, const char *key, uint64_t hash)
{
	return n->event[0] && n->hash == hash &&
	       strncmp(n->event, event, FOLD_EVENT_MAX - 1) == 0 &&
	       strncmp(n->key, key, FOLD_KEY_MAX - 1) == 0;
}

static struct fold_entry *find(struct fold *f, const char *event, const char *key, uint64_t now_ms,
			       bool *ret_known)
{
	uint64_t hash = hash_all(event, key);
	struct fold_entry *usable = NULL;

	for (struct fold_entry *n = f->entries; n < f->entries + f->used; n++) {
		if (is_same(n, event, key, hash)) {
			*ret_known = true;
			return n;
		}
		if (!usable && (!n->event[0] || (n->count == 0 && is_over(n, now_ms))))
			usable = n;
	}
	*ret_known = false;
	if (!usable && f->used < FOLD_MAX)
		usable = &f->entries[f->used++];
	return usable;
}

bool fold_count(struct fold *f, const char *event, const char *key, uint64_t now_ms)
{
	bool known;
	struct fold_entry *n = find(f, event, key, now_ms, &known);

	if (!n) {
		count_other(f, event);
		return true;
	}
	/* A count that nobody flushed yet keeps folding, or it would be told after newer lines. */
	if (known && (!is_over(n, now_ms) || n->count > 0)) {
		n->count++;
		return true;
	}
	entry_clear(n);
	copy_cut(n->event, sizeof(n->event), event);
	copy_cut(n->key, sizeof(n->key), key);
	n->hash = hash_all(event, key);
	n->since_ms = now_ms;
	f->fresh = n;
	return false;
}

void fold_give_body(struct fold *f, const char *event, const char *body, size_t len)
{
	struct fold_entry *n = f->fresh;

	f->fresh = NULL;
	if (n && !n->body && strncmp(n->event, event, FOLD_EVENT_MAX - 1) == 0)
		n->body = strndup(body, len);
}

void fold_flush(struct fold *f, uint64_t now_ms, fold_write *write, void *data)
{
	f->fresh = NULL;
	for (struct fold_entry *n = f->entries; n < f->entries + f->used; n++) {
		if (n->count > 0) {
			write(data, n);
			n->count = 0;
			n->since_ms = now_ms;
		} else if (n->event[0] && is_over(n, now_ms)) {
			entry_clear(n);
		}
	}
	for (struct fold_other *o = f->others; o < f->others + FOLD_OTHERS_MAX; o++) {
		struct fold_entry as_entry = { .key = "other", .count = o->count };

		if (o->count == 0)
			continue;
		copy_cut(as_entry.event, sizeof(as_entry.event), o->event);
		write(data, &as_entry);
		*o = (struct fold_other){ 0 };
	}
}

void fold_done(struct fold *f)
{
	for (struct fold_entry *n = f->entries; n < f->entries + f->used; n++)
		entry_clear(n);
}
