/* SPDX-License-Identifier: MIT */
#include "policy/names.h"

#include <string.h>

#include "base/clean.h"
#include "base/name.h"

bool net_rule_matches_name(const struct net_rule *r, const char *name)
{
	switch (r->host) {
	case HOST_NAME:
		return strcmp(r->name, name) == 0;
	case HOST_BELOW:
		return name_is_below(name, r->name);
	case HOST_BELOW_SELF:
		return strcmp(r->name, name) == 0 || name_is_below(name, r->name);
	case HOST_ANY:
		return true;
	case HOST_NONE:
	case HOST_PREFIX:
	case HOST_LOCALHOST:
		break;
	}
	return false;
}

static const struct net_rule *first_match(const struct net_rules *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (net_rule_matches_name(&l->rule[i], name))
			return &l->rule[i];
	return NULL;
}

bool name_is_metadata(const char *name)
{
	static const char *const names[] = { "metadata.google.internal", "metadata",
					     "instance-data" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0 || name_is_below(name, names[i]))
			return true;
	/* instance-data.ec2.internal and instance-data.REGION.compute.internal */
	return strncmp(name, "instance-data.", strlen("instance-data.")) == 0 ||
	       strncmp(name, "instance-data-", strlen("instance-data-")) == 0;
}

/* Names that mean this host, and what a resolver reads as an address. */
static bool never_resolves(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;

	if (strncmp(last, "0x", 2) == 0 && strspn(last + 2, "0123456789abcdef") == strlen(last + 2))
		return true;
	return strcmp(name, "localhost") == 0 || name_is_below(name, "localhost") ||
	       strspn(last, "0123456789") == strlen(last);
}

bool policy_may_resolve(const struct policy *p, const char *name, const struct net_rule **ret_rule)
{
	const struct net_rule *deny = first_match(&p->net.deny, name);
	const struct net_rule *allow = first_match(&p->net.allow, name);

	*ret_rule = NULL;
	if (never_resolves(name) || (name_is_metadata(name) && !p->net.allow_metadata))
		return false;
	*ret_rule = deny ? deny : allow;
	return allow && !deny;
}
