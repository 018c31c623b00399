/* SPDX-License-Identifier: MIT */
#include "session/quiet.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/names.h"
#include "policy/net_entry.h"
#include "policy/policy.h"

int quiet_read(const struct policy *p, struct net_rules *ret, struct pinfold_error *e)
{
	int r = 0;

	for (size_t i = 0; i < p->audit.quiet.n && r == 0; i++) {
		struct net_rule rule = { 0 };

		r = net_entry_parse(p->audit.quiet.s[i], NET_USE_DENY, &rule, e);
		if (r == 0)
			r = net_rules_add(ret, &rule);
	}
	return r < 0 ? err_wrap(e, r, "audit.quiet") : 0;
}

static bool has_addr(const struct net_rule *r, const struct addr *a)
{
	if (r->host == HOST_PREFIX)
		return addr_in_prefix(a, &r->addr, r->prefix_len);
	if (r->host == HOST_LOCALHOST) {
		static const struct addr V6 = { .b = { [15] = 1 } };
		static const struct addr V4 = { .b = { [10] = 0xff, 0xff, 127, 0, 0, 1 } };

		return addr_equal(a, &V4) || addr_equal(a, &V6);
	}
	return false;
}

bool quiet_has(const struct net_rules *quiet, const char *name, const struct addr *a)
{
	for (size_t i = 0; i < quiet->n; i++)
		if ((name && net_rule_matches_name(&quiet->rule[i], name)) ||
		    (a && has_addr(&quiet->rule[i], a)))
			return true;
	return false;
}

void quiet_done(struct net_rules *quiet)
{
	for (size_t i = 0; i < quiet->n; i++)
		net_rule_done(&quiet->rule[i]);
	free(quiet->rule);
	*quiet = (struct net_rules){ 0 };
}
