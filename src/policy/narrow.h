/* SPDX-License-Identifier: MIT */
/* The parts of policy_narrow(), by kind of member. */
#ifndef PINFOLD_POLICY_NARROW_H
#define PINFOLD_POLICY_NARROW_H

#include <stdbool.h>

#include "policy/policy.h"
#include "policy/schema.h"

struct pinfold_error;

struct narrowing {
	struct policy *p;
	const struct policy *site;
	struct pinfold_error *e;
};

/* Whether a policy's text held the member. */
bool policy_gives(const struct policy *p, enum member_id id);

/* -EPERM naming both: what of p, and from where, is wider than what of the site. */
int narrow_fail(const struct narrowing *n, const char *wider, const char *origin,
		const char *ceiling);

int narrow_net(struct narrowing *n);
int narrow_fs(struct narrowing *n);

/* Whether everything that r lets through is let through by ceiling. */
bool net_rule_covers(const struct net_rule *ceiling, const struct net_rule *r);

#endif
