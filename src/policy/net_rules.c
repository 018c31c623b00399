/* SPDX-License-Identifier: MIT */
/* Lists of network entries, and their canonical text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "policy/net_entry.h"
#include "policy/read.h"

/* Below this length a prefix of zeros holds the IPv4-mapped space and unicast IPv6 both; all of
 * ::/16 is special. */
#define SPECIAL_BITS 16

static int append(struct net_rules *l, struct net_rule *r)
{
	struct net_rule *slot = grow(&l->rule, l->n, sizeof(*l->rule));

	if (!slot) {
		net_rule_done(r);
		return -ENOMEM;
	}
	*slot = *r;
	*r = (struct net_rule){ 0 };
	l->n++;
	return 0;
}

static bool holds_mapped(const struct net_rule *r)
{
	static const struct addr zero = { { 0 } };

	return r->host == HOST_PREFIX && r->prefix_len < SPECIAL_BITS &&
	       addr_equal(&r->addr, &zero);
}

/* [::/N] without ::/16: for each bit in between, the half that has it set. */
int net_rules_add(struct net_rules *l, struct net_rule *r)
{
	unsigned first = r->prefix_len;
	bool more = false;

	if (!holds_mapped(r))
		return append(l, r);
	for (unsigned bit = first; bit < SPECIAL_BITS; bit++) {
		struct net_rule part = *r;
		int rc;

		part.text = strdup(r->text);
		part.origin = r->origin ? strdup(r->origin) : NULL;
		part.addr.b[bit / 8] = (uint8_t)(0x80u >> (bit % 8));
		part.prefix_len = bit + 1;
		part.more = more;
		if (!part.text || (r->origin && !part.origin)) {
			net_rule_done(&part);
			net_rule_done(r);
			return -ENOMEM;
		}
		rc = append(l, &part);
		if (rc < 0) {
			net_rule_done(r);
			return rc;
		}
		more = true;
	}
	net_rule_done(r);
	return 0;
}

static size_t format_prefix(const struct net_rule *r, bool split, char *ret, size_t size)
{
	static const struct addr zero = { { 0 } };
	const struct addr *net = split ? &zero : &r->addr;
	unsigned len = r->prefix_len - (split ? 1 : 0);
	char addr[ADDR_TEXT_MAX];
	int n;

	addr_format(net, addr);
	if (addr_is_v4(net))
		n = len == 128 ? snprintf(ret, size, "%s", addr)
			       : snprintf(ret, size, "%s/%u", addr, len - 96);
	else
		n = len == 128 ? snprintf(ret, size, "[%s]", addr)
			       : snprintf(ret, size, "[%s/%u]", addr, len);
	return n > 0 ? (size_t)n : 0;
}

static size_t format_host(const struct net_rule *r, bool split, char *ret, size_t size)
{
	static const char *const before[] = {
		[HOST_NONE] = "",          [HOST_NAME] = "",   [HOST_BELOW] = "*.",
		[HOST_BELOW_SELF] = "**.", [HOST_PREFIX] = "", [HOST_LOCALHOST] = "localhost",
		[HOST_ANY] = "*"
	};
	int n;

	_Static_assert(ARRAY_SIZE(before) == HOST_ANY + 1, "every kind of host has its text");
	if (r->host == HOST_PREFIX)
		return format_prefix(r, split, ret, size);
	n = snprintf(ret, size, "%s%s", before[r->host], r->name ? r->name : "");
	return n > 0 ? (size_t)n : 0;
}

void net_entry_format(const struct net_rule *r, bool split, unsigned default_protos,
		      char ret[static NET_ENTRY_TEXT_MAX])
{
	size_t used = format_host(r, split, ret, NET_ENTRY_TEXT_MAX);
	char ports[16] = "";

	if (r->port_low == r->port_high)
		snprintf(ports, sizeof(ports), ":%u", r->port_low);
	else if (r->port_low != 0 || r->port_high != UINT16_MAX)
		snprintf(ports, sizeof(ports), ":%u-%u", r->port_low, r->port_high);
	snprintf(ret + used, NET_ENTRY_TEXT_MAX - used, "%s%s", ports,
		 r->protos == default_protos ? ""
		 : r->protos == PROTO_UDP    ? "/udp"
					     : "/tcp");
}
