/* SPDX-License-Identifier: MIT */
/* Entries of denyOutbound that can't bind: what they name is refused anyway. */
#include <string.h>

#include "net/world.h"
#include "policy/names.h"
#include "policy/narrow.h"
#include "policy/policy.h"
#include "review/lint.h"

static bool is_of_names(const struct net_rule *r)
{
	return r->name || r->host == HOST_ANY;
}

/* Hosts alone: whether one of the two holds the other, or a part of it. */
static bool hosts_meet(const struct net_rule *a, const struct net_rule *b)
{
	struct net_rule x = { .host = a->host, .name = a->name, .addr = a->addr };
	struct net_rule y = { .host = b->host, .name = b->name, .addr = b->addr };

	x.prefix_len = a->prefix_len;
	y.prefix_len = b->prefix_len;
	return net_rule_covers(&x, &y) || net_rule_covers(&y, &x);
}

static bool ports_meet(const struct net_rule *a, const struct net_rule *b)
{
	return (a->protos & b->protos) && a->port_low <= b->port_high &&
	       b->port_low <= a->port_high;
}

static int class_of(const struct net_rule *r)
{
	const union pf_addr a = net_addr(&r->addr);
	union pf_addr inner;

	pf_inner(&a, &inner);
	return pf_classify(&inner);
}

/* Answers for allowed names can lead to any public address, and so does the star. */
static bool may_be_led_to(const struct policy *p, const struct net_rule *deny)
{
	const int class = class_of(deny);

	if (class != PF_CLASS_PUBLIC && class != PF_CLASS_DOCUMENTATION)
		return false;
	for (size_t i = 0; i < p->net.allow.n; i++)
		if (is_of_names(&p->net.allow.rule[i]) && ports_meet(deny, &p->net.allow.rule[i]))
			return true;
	return false;
}

static bool binds(const struct policy *p, const struct net_rule *deny)
{
	/* Of loopback the session's own listeners are open without an entry. */
	if (deny->host == HOST_LOCALHOST ||
	    (deny->host == HOST_PREFIX && class_of(deny) == PF_CLASS_LOOPBACK))
		return true;
	/* A short prefix lies in several classes. */
	if (deny->host == HOST_PREFIX && (deny->prefix_len < 100 || may_be_led_to(p, deny)))
		return true;
	for (size_t i = 0; i < p->net.allow.n; i++) {
		const struct net_rule *r = &p->net.allow.rule[i];

		/* Whatever its ports, a denied name is not resolved. */
		if (hosts_meet(deny, r) && (is_of_names(deny) || ports_meet(deny, r)))
			return true;
	}
	return false;
}

void lint_denies(struct lint *l)
{
	const struct net_rules *rules = &l->policy->net.deny;

	for (size_t i = 0; i < rules->n; i++) {
		const struct net_rule *r = &rules->rule[i];
		const struct lint_entry at = { r->text, r->origin };

		if (r->more || !lint_is_own(l, r->origin))
			continue;
		if (!binds(l->policy, r))
			lint_tell(l, LINT_DENY_UNBOUND, &at, LINT_BY_HAND,
				  "nothing that the policy allows meets this deny: it is refused "
				  "anyway",
				  "remove it, or mend its spelling if it was to bind");
		else if (is_of_names(r) && (r->port_low > 1 || r->port_high < UINT16_MAX))
			lint_tell(l, LINT_DENY_PORT, &at, LINT_BY_HAND,
				  "a denied name is not resolved at all: the port makes no "
				  "difference",
				  "leave the port out; or allow the name with the ports that are "
				  "wanted, and remove the deny");
	}
}
