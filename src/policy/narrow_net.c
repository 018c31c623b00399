/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/name.h"
#include "policy/names.h"
#include "policy/narrow.h"
#include "policy/net_entry.h"
#include "policy/read.h"

static bool is_loopback_address(const struct net_rule *r)
{
	static const struct addr v4 = { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0,
					  1 } };
	static const struct addr v6 = { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } };

	return r->host == HOST_PREFIX && r->prefix_len == 128 &&
	       (addr_equal(&r->addr, &v4) || addr_equal(&r->addr, &v6));
}

static bool is_wildcard(const struct net_rule *r)
{
	return r->host == HOST_BELOW || r->host == HOST_BELOW_SELF;
}

/* "*" covers names only: a literal also opens private space and the host's own addresses. */
static bool host_covers(const struct net_rule *ceiling, const struct net_rule *r)
{
	switch (r->host) {
	case HOST_NAME:
		return net_rule_matches_name(ceiling, r->name);
	case HOST_BELOW:
		return ceiling->host == HOST_ANY ||
		       (is_wildcard(ceiling) && (strcmp(r->name, ceiling->name) == 0 ||
						 name_is_below(r->name, ceiling->name)));
	case HOST_BELOW_SELF:
		return ceiling->host != HOST_NAME && net_rule_matches_name(ceiling, r->name);
	case HOST_PREFIX:
		if (ceiling->host == HOST_LOCALHOST)
			return is_loopback_address(r);
		return ceiling->host == HOST_PREFIX && r->prefix_len >= ceiling->prefix_len &&
		       addr_in_prefix(&r->addr, &ceiling->addr, ceiling->prefix_len);
	case HOST_LOCALHOST:
	case HOST_ANY:
		return ceiling->host == r->host;
	case HOST_NONE:
		break;
	}
	return false;
}

bool net_rule_covers(const struct net_rule *ceiling, const struct net_rule *r)
{
	return host_covers(ceiling, r) && r->port_low >= ceiling->port_low &&
	       r->port_high <= ceiling->port_high && (r->protos & ~ceiling->protos) == 0 &&
	       (r->verify_sni || !ceiling->verify_sni);
}

static int check_outbound(const struct narrowing *n)
{
	const struct net_rules *site = &n->site->net.allow;

	for (size_t i = 0; i < n->p->net.allow.n; i++) {
		const struct net_rule *r = &n->p->net.allow.rule[i];
		size_t k = 0;

		while (k < site->n && !net_rule_covers(&site->rule[k], r))
			k++;
		if (k == site->n)
			return narrow_fail(n, r->text, r->origin, "network.allowOutbound");
	}
	return 0;
}

static bool inbound_covers(const struct inbound_rule *ceiling, const struct inbound_rule *r)
{
	return r->port == ceiling->port && (r->protos & ~ceiling->protos) == 0 &&
	       (r->loopback_only || !ceiling->loopback_only);
}

static int check_inbound(const struct narrowing *n)
{
	const struct net_policy *site = &n->site->net;

	for (size_t i = 0; i < n->p->net.n_inbound; i++) {
		const struct inbound_rule *r = &n->p->net.inbound[i];
		size_t k = 0;

		while (k < site->n_inbound && !inbound_covers(&site->inbound[k], r))
			k++;
		if (k == site->n_inbound)
			return narrow_fail(n, r->text, r->origin, "network.allowInbound");
	}
	return 0;
}

static int add_denies(struct narrowing *n)
{
	const struct net_rules *site = &n->site->net.deny;
	struct net_rules *to = &n->p->net.deny;

	for (size_t i = 0; i < site->n; i++) {
		struct net_rule *r = grow(&to->rule, to->n, sizeof(*r));

		if (!r)
			return -ENOMEM;
		*r = site->rule[i];
		r->name = r->name ? strdup(r->name) : NULL;
		r->text = strdup(r->text);
		r->origin = strdup(r->origin);
		to->n++;
		if ((site->rule[i].name && !r->name) || !r->text || !r->origin)
			return -ENOMEM;
	}
	return 0;
}

static bool same_servers(const struct dns_policy *a, const struct dns_policy *b)
{
	if (a->n_upstream != b->n_upstream)
		return false;
	for (size_t i = 0; i < a->n_upstream; i++)
		if (!addr_equal(&a->upstream[i].addr, &b->upstream[i].addr) ||
		    a->upstream[i].port != b->upstream[i].port)
			return false;
	return true;
}

/* Servers are not wider or narrower: the site's hold, and a policy may only repeat them. */
static int take_upstream(const struct narrowing *n)
{
	const struct dns_policy *site = &n->site->net.dns;
	struct dns_policy *dns = &n->p->net.dns;

	if (policy_gives(n->p, M_DNS_UPSTREAM))
		return same_servers(dns, site) ? 0
					       : narrow_fail(n, "network.dns.upstream",
							     n->p->source, "network.dns.upstream");
	for (size_t i = 0; i < site->n_upstream; i++) {
		if (!grow(&dns->upstream, i, sizeof(*dns->upstream)))
			return -ENOMEM;
		dns->upstream[i] = site->upstream[i];
		dns->n_upstream = i + 1;
	}
	return 0;
}

int narrow_net(struct narrowing *n)
{
	int rc = 0;

	if (policy_gives(n->site, M_NET_ALLOW))
		rc = check_outbound(n);
	if (rc == 0 && policy_gives(n->site, M_NET_INBOUND))
		rc = check_inbound(n);
	if (rc == 0 && policy_gives(n->site, M_DNS_UPSTREAM))
		rc = take_upstream(n);
	return rc < 0 ? rc : add_denies(n);
}
