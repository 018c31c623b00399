/* SPDX-License-Identifier: MIT */
/* Counts repeated lines instead of writing them, in bounded space and without losing a count. */
#ifndef PINFOLD_AUDIT_FOLD_H
#define PINFOLD_AUDIT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of different keys that are told apart within one second; what comes on top is counted per
 * event, and for events beyond FOLD_OTHERS_MAX under the event "other". */
#define FOLD_MAX 256
#define FOLD_OTHERS_MAX 16
#define FOLD_KEY_MAX 256
#define FOLD_EVENT_MAX 32
#define FOLD_WINDOW_MS 1000

struct fold_entry {
	char event[FOLD_EVENT_MAX]; /* empty: the entry is free */
	char key[FOLD_KEY_MAX];
	uint64_t hash;     /* of the whole event and key, also where these were cut */
	uint64_t since_ms; /* when a line of this key was last written */
	uint64_t count;    /* of those that were not, since then */
	char *body;        /* the first line's own members, or NULL */
};

struct fold_other {
	char event[FOLD_EVENT_MAX];
	uint64_t count;
};

struct fold {
	struct fold_entry entries[FOLD_MAX];
	size_t used; /* entries from here on were never touched */
	struct fold_other others[FOLD_OTHERS_MAX];
	struct fold_entry *fresh; /* was just told to be written: its body is still to come */
};

/* Writes one summary; entry->count is positive. */
typedef void fold_write(void *data, const struct fold_entry *entry);

/* True when the line is to be counted and not written. */
bool fold_count(struct fold *f, const char *event, const char *key, uint64_t now_ms);

/* Keeps a copy of the line's own members for the entry that fold_count() just made, if the event is
 * the same.  Without memory the entry stays without. */
void fold_give_body(struct fold *f, const char *event, const char *body, size_t len);

/* Hands every count to write() and starts counting anew; forgets keys that were quiet. */
void fold_flush(struct fold *f, uint64_t now_ms, fold_write *write, void *data);

void fold_done(struct fold *f);

#endif
