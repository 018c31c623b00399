/* SPDX-License-Identifier: MIT */
/* What a change of policy opens and closes: by what is decided, never by how it is written. */
#ifndef PINFOLD_REVIEW_DIFF_H
#define PINFOLD_REVIEW_DIFF_H

#include <stddef.h>

struct pinfold_change;
struct pinfold_error;
struct policy;
struct policy_context;

enum diff_side { DIFF_OLD = 0, DIFF_NEW, DIFF_SIDES };

struct diff {
	const struct policy *side[DIFF_SIDES];
	const struct policy_context *context;
	void (*fn)(void *data, const struct pinfold_change *c); /* NULL: they are counted only */
	void *data;
	size_t opens;
	size_t closes;
	size_t changes; /* neither wider nor narrower */
};

/* Fills the counters, and hands each change to fn.  The policies share one context.  -errno with
 * words. */
int diff_policies(struct diff *d, struct pinfold_error *e);

/* For the parts below: one change.  Strings live for the call. */
void diff_tell(struct diff *d, const struct pinfold_change *c);

int diff_names(struct diff *d);
int diff_addresses(struct diff *d, struct pinfold_error *e);
int diff_files(struct diff *d, struct pinfold_error *e);
void diff_members(struct diff *d);
int diff_lists(struct diff *d);

#endif
