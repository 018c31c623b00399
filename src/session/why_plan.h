/* SPDX-License-Identifier: MIT */
/* What the view shows beyond the policy's own entries. */
#ifndef PINFOLD_SESSION_WHY_PLAN_H
#define PINFOLD_SESSION_WHY_PLAN_H

#include <stdbool.h>

#include "policy/policy.h"

struct path_set;
struct pinfold_policy;

/* Where a granted tree is a linked worktree: whether path is of the main repository's metadata that
 * it needs, and what may be done there. */
bool why_plan_grants(const struct pinfold_policy *p, const struct path_set *set, const char *path,
		     enum path_right *ret);

#endif
