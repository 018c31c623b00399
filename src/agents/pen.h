/* SPDX-License-Identifier: MIT */
/* From a resolved sandbox to what a pen needs: a policy, and a private directory. */
#ifndef PINFOLD_AGENTS_PEN_H
#define PINFOLD_AGENTS_PEN_H

#include "agents/place.h"
#include "agents/sandbox.h"

struct pinfold_error;
struct policy;

/* The policy of the pen that a call would run in.  policy_done() it.  -EINVAL with file, line,
 * column and JSON path. */
int pen_policy(const struct agents_config *c, const struct agents_sandbox *s,
	       const struct agents_place *p, struct policy *ret, struct pinfold_error *e);

/* Makes place->private_dir, unless it is there, with copies of what of AGENTS.md and its kin the
 * agent's workspace has; complete or not at all, also when several do it at once.  Where the key
 * has no private directory nothing is done. */
int pen_seed(const struct agents_sandbox *s, const struct agents_place *p, struct pinfold_error *e);

#endif
