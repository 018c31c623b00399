/* SPDX-License-Identifier: MIT */
#ifndef PINFOLD_TESTS_DNS_POLICY_DOUBLE_H
#define PINFOLD_TESTS_DNS_POLICY_DOUBLE_H

#include <string.h>

#include "base/name.h"
#include "policy/names.h"

/* Stand-ins for policy/names.c, for builds in which it is absent. */
__attribute__((weak)) bool name_is_metadata(const char *name)
{
	return strcmp(name, "metadata.google.internal") == 0;
}

__attribute__((weak)) bool net_rule_matches_name(const struct net_rule *r, const char *name)
{
	bool same = r->name && strcmp(r->name, name) == 0;
	bool below = r->name && name_is_below(name, r->name);

	return r->host == HOST_ANY || (r->host == HOST_NAME && same) ||
	       (r->host == HOST_BELOW && below) || (r->host == HOST_BELOW_SELF && (same || below));
}

__attribute__((weak)) bool policy_may_resolve(const struct policy *p, const char *name,
					      const struct net_rule **ret_rule)
{
	*ret_rule = NULL;
	for (size_t i = 0; i < p->net.deny.n; i++)
		if (net_rule_matches_name(&p->net.deny.rule[i], name)) {
			*ret_rule = &p->net.deny.rule[i];
			return false;
		}
	if (name_is_metadata(name) && !p->net.allow_metadata)
		return false;
	for (size_t i = 0; i < p->net.allow.n; i++)
		if (net_rule_matches_name(&p->net.allow.rule[i], name)) {
			*ret_rule = &p->net.allow.rule[i];
			return true;
		}
	return false;
}

#endif
