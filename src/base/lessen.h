/* SPDX-License-Identifier: MIT */
/* A process that stays root gives up what it does not need any more. */
#ifndef PINFOLD_BASE_LESSEN_H
#define PINFOLD_BASE_LESSEN_H

#include <stddef.h>

struct lessen_cap {
	unsigned cap;
	const char *why; /* for readers of the table */
};

/* Of the capabilities it has, the calling thread keeps those in the table, for good: the others
 * leave its bounding set too, and no program that it runs gains any.  Returns -errno; then some
 * may be gone. */
int lessen_to(const struct lessen_cap *keep, size_t n);

#endif
