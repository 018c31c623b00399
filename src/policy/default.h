/* SPDX-License-Identifier: MIT */
#ifndef PINFOLD_POLICY_DEFAULT_H
#define PINFOLD_POLICY_DEFAULT_H

struct policy;

/* Fills p, which is zeroed, with what holds where a text says nothing.  On failure p may be half
 * filled; policy_done() it.  -EINVAL: workspace is no clean absolute path; -ENOMEM. */
int policy_init(struct policy *p, const char *source, const char *workspace);

#endif
