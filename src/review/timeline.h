/* SPDX-License-Identifier: MIT */
/* How much happened when, in a fixed number of intervals that widen as the record goes on. */
#ifndef PINFOLD_REVIEW_TIMELINE_H
#define PINFOLD_REVIEW_TIMELINE_H

#include <stdint.h>

#define TIMELINE_SLOTS 96 /* even */

enum timeline_series { TIMELINE_DENIED = 0, TIMELINE_WOULD_DENY, TIMELINE_ALLOWED, TIMELINE_MAX };

struct timeline {
	int64_t start_us;
	int64_t width_us; /* of one slot; 0: nothing was added */
	uint64_t count[TIMELINE_MAX][TIMELINE_SLOTS];
};

/* time_us lies between the years 1970 and 9999, in whatever order. */
void timeline_add(struct timeline *t, enum timeline_series s, uint64_t weight, int64_t time_us);

#endif
