/* SPDX-License-Identifier: MIT */
/* What a learning has seen so far. */
#ifndef PINFOLD_REVIEW_LEARN_SEEN_H
#define PINFOLD_REVIEW_LEARN_SEEN_H

#include <stdint.h>

#include "review/learn.h"

struct pinfold_policy;

struct pinfold_learning {
	const struct pinfold_policy *base; /* borrowed */
	struct learn_uses files;
	struct learn_uses sockets;
	struct learn_dsts dsts;
	struct {
		unsigned uses; /* PINFOLD_USE_ bits, allowed ones too */
		uint64_t count;
		char who[LEARN_WHO_MAX]; /* who wrote */
	} workspace;
	struct string_list ran; /* names of programs, in the order met */
	size_t n_more;          /* starts of programs that did not fit in there */
	uint32_t *slot;         /* by the path's hash: number in files, from 1 */
	uint64_t lost;
};

#endif
