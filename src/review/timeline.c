/* SPDX-License-Identifier: MIT */
#include "review/timeline.h"

#include <stddef.h>
#include <string.h>

#define FIRST_WIDTH_US 1000000LL
#define HALF (TIMELINE_SLOTS / 2)

/* Two slots become one; the result fills the half that begins at `to`. */
static void widen(struct timeline *t, size_t to)
{
	for (int s = 0; s < TIMELINE_MAX; s++) {
		uint64_t old[TIMELINE_SLOTS];

		memcpy(old, t->count[s], sizeof(old));
		memset(t->count[s], 0, sizeof(old));
		for (size_t i = 0; i < HALF; i++)
			t->count[s][to + i] = old[2 * i] + old[2 * i + 1];
	}
	if (to > 0)
		t->start_us -= TIMELINE_SLOTS * t->width_us;
	t->width_us *= 2;
}

void timeline_add(struct timeline *t, enum timeline_series s, uint64_t weight, int64_t time_us)
{
	if (t->width_us == 0) {
		t->width_us = FIRST_WIDTH_US;
		t->start_us = time_us - time_us % FIRST_WIDTH_US;
	}
	while (time_us < t->start_us)
		widen(t, HALF);
	while ((time_us - t->start_us) / t->width_us >= TIMELINE_SLOTS)
		widen(t, 0);
	t->count[s][(time_us - t->start_us) / t->width_us] += weight;
}
