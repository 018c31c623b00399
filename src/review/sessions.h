/* SPDX-License-Identifier: MIT */
/* What a record tells of each session, for the newest of them. */
#ifndef PINFOLD_REVIEW_SESSIONS_H
#define PINFOLD_REVIEW_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinfold_log_line;

#define SESSIONS_MAX 2048
#define SESSIONS_PLACES 4096 /* a power of two */

/* Texts are fit for a terminal; "" and 0 where nothing is known. */
struct session_row {
	char name[64];
	char agent[64];
	char lane[96];
	char command[200];
	char end[48]; /* "exit 1", "signal 9", "not started" */
	bool observed;
	int64_t start_us;
	int64_t end_us;
	int64_t last_us;
	uint64_t denied;
	uint64_t would_deny;
	uint64_t allowed;
};

struct sessions {
	struct session_row *row[SESSIONS_PLACES]; /* a hash table */
	size_t n;
	uint64_t dropped; /* the oldest, when there was no more room */
};

/* -ENOMEM. */
int sessions_add(struct sessions *s, const struct pinfold_log_line *l);

/* All, the one that spoke last first.  free() *ret, not the rows.  Returns how many, or -ENOMEM. */
int sessions_list(const struct sessions *s, struct session_row ***ret);

void sessions_done(struct sessions *s);

#endif
