/* SPDX-License-Identifier: MIT */
/* Keeps the quarantine small. */
#ifndef PINFOLD_FS_GUARD_PRUNE_H
#define PINFOLD_FS_GUARD_PRUNE_H

#include <stdint.h>
#include <time.h>

struct guard_keep {
	time_t seconds; /* older ones go */
	uint64_t bytes; /* of all together: the oldest go first */
};

/* Removes what is beyond keep from all, a directory with one entry for each session (opened for
 * reading).  What a living session has locked (flock) stays.  Changes the working directory. */
int guard_prune(int all, const struct guard_keep *keep);

#endif
