/* SPDX-License-Identifier: MIT */
/* Limits of a session's cgroup. */
#ifndef PINFOLD_SESSION_CGROUP_LIMITS_H
#define PINFOLD_SESSION_CGROUP_LIMITS_H

#include <stdbool.h>

struct cgroup;
struct limits_policy;
struct pinfold_error;

/* Part of cgroup_prepare: c's cgroup2 directory exists. */
int cgroup_limit(struct cgroup *c, const char *mountinfo, const struct limits_policy *limits,
		 bool degrade, struct pinfold_error *e);

#endif
