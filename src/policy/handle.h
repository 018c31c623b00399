/* SPDX-License-Identifier: MIT */
/* What the public handle of a policy holds, for every module that takes one. */
#ifndef PINFOLD_POLICY_HANDLE_H
#define PINFOLD_POLICY_HANDLE_H

#include "policy/policy.h"

/* Who launches: the caller, or under sudo the user behind it. */
struct context {
	struct policy_context policy; /* what paths and variables in a policy mean */
	char *home;
	char *cwd;
};

struct pinfold_policy {
	struct context context;
	struct policy policy;
	struct policy site;
	bool has_site;
};

#endif
