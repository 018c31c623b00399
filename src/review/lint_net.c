/* SPDX-License-Identifier: MIT */
/* What allowOutbound opens: too much, in vain, or in the clear. */
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "net/judge.h"
#include "net/world.h"
#include "policy/names.h"
#include "policy/narrow.h"
#include "policy/policy.h"
#include "review/lint.h"

#define TEXT_MAX 512
#define WIDE_PORTS 1024 /* a range of more than so many is wide */
#define V4_BITS_BEFORE 96
#define BROAD_V4 16 /* a public prefix that is shorter is broad */
#define BROAD_V6 32

/* Protocols whose usual port carries everything in the clear, passwords too. */
static const struct {
	uint16_t port;
	unsigned proto;
	const char *name;
	const char *instead;
} PLAIN_TEXT[] = {
	{ 20, PROTO_TCP, "FTP", "SFTP on 22" },
	{ 21, PROTO_TCP, "FTP", "SFTP on 22" },
	{ 23, PROTO_TCP, "Telnet", "SSH on 22" },
	{ 25, PROTO_TCP, "SMTP", "submission over TLS on 465" },
	{ 69, PROTO_UDP, "TFTP", "HTTPS on 443" },
	{ 79, PROTO_TCP, "finger", "HTTPS on 443" },
	{ 80, PROTO_TCP, "HTTP", "HTTPS on 443" },
	{ 110, PROTO_TCP, "POP3", "POP3 over TLS on 995" },
	{ 119, PROTO_TCP, "NNTP", "NNTP over TLS on 563" },
	{ 143, PROTO_TCP, "IMAP", "IMAP over TLS on 993" },
	{ 161, PROTO_UDP, "SNMP", "SNMP over TLS on 10161" },
	{ 389, PROTO_TCP, "LDAP", "LDAP over TLS on 636" },
	{ 512, PROTO_TCP, "rexec", "SSH on 22" },
	{ 513, PROTO_TCP, "rlogin", "SSH on 22" },
	{ 514, PROTO_TCP, "rsh", "SSH on 22" },
	{ 514, PROTO_UDP, "syslog", "syslog over TLS on 6514" },
	{ 873, PROTO_TCP, "rsync", "rsync over SSH on 22" },
	{ 1883, PROTO_TCP, "MQTT", "MQTT over TLS on 8883" },
	{ 2049, PROTO_TCP, "NFS", "a file service over TLS or SSH" },
	{ 5900, PROTO_TCP, "VNC", "VNC over SSH on 22" },
	{ 6379, PROTO_TCP, "Redis", "Redis over TLS on 6380" },
	{ 8080, PROTO_TCP, "HTTP", "HTTPS on 443" },
	{ 11211, PROTO_TCP, "memcached", "a cache over TLS" },
};

static bool is_any_port(const struct net_rule *r)
{
	return r->port_low <= 1 && r->port_high == UINT16_MAX;
}

static int class_of(const struct net_rule *r)
{
	const union pf_addr a = net_addr(&r->addr);
	union pf_addr inner;

	if (r->host == HOST_LOCALHOST)
		return PF_CLASS_LOOPBACK;
	if (r->host != HOST_PREFIX)
		return PF_CLASS_PUBLIC;
	pf_inner(&a, &inner);
	return pf_classify(&inner);
}

static bool has_port(const struct net_rule *r, uint16_t port, unsigned proto)
{
	return (r->protos & proto) && port >= r->port_low && port <= r->port_high;
}

static void check_ports(struct lint *l, const struct net_rule *r, const struct lint_entry *at)
{
	char reason[TEXT_MAX];
	char fix[TEXT_MAX];

	if (is_any_port(r)) {
		lint_tell(l, LINT_ANY_PORT, at, LINT_BY_HAND,
			  "without a port the entry opens all 65535 of them",
			  "write the port that is needed behind a colon, HOST:443");
		return;
	}
	if (r->port_high - r->port_low >= WIDE_PORTS) {
		snprintf(reason, sizeof(reason), "the range opens %d ports",
			 r->port_high - r->port_low + 1);
		lint_tell(l, LINT_WIDE_PORTS, at, LINT_BY_HAND, reason,
			  "write an entry for each port or small range that is needed");
		return;
	}
	if (class_of(r) == PF_CLASS_LOOPBACK) /* it does not leave the host */
		return;
	for (size_t i = 0; i < ARRAY_SIZE(PLAIN_TEXT); i++) {
		if (!has_port(r, PLAIN_TEXT[i].port, PLAIN_TEXT[i].proto))
			continue;
		snprintf(reason, sizeof(reason),
			 "port %u is %s: whoever is on the way reads and changes it",
			 PLAIN_TEXT[i].port, PLAIN_TEXT[i].name);
		snprintf(fix, sizeof(fix), "use %s", PLAIN_TEXT[i].instead);
		lint_tell(l, LINT_PLAIN_TEXT, at, LINT_BY_HAND, reason, fix);
		return;
	}
}

static void check_steered(struct lint *l, const struct net_rule *r, const struct lint_entry *at)
{
	if (r->port_low == NET_STEERED_PORT && r->port_high == NET_STEERED_PORT)
		lint_tell(l, LINT_STEERED_PORT, at, LINT_REMOVE,
			  "port 53 of every server is the session's own resolver, with or without "
			  "an entry",
			  "remove it; network.dns.upstream says which servers are asked");
}

static void check_suffix(struct lint *l, const struct net_rule *r, const struct lint_entry *at)
{
	bool of_registry = false;
	char reason[TEXT_MAX];

	if ((r->host != HOST_BELOW && r->host != HOST_BELOW_SELF) ||
	    !lint_is_public_suffix(r->name, &of_registry))
		return;
	snprintf(reason, sizeof(reason), "anyone can %s below %.260s",
		 of_registry ? "register a domain" : "get a name of their own", r->name);
	lint_tell(l, LINT_PUBLIC_SUFFIX, at, LINT_BY_HAND, reason,
		  "name the hosts, or the domain of one owner: *.example.com");
}

static void check_prefix(struct lint *l, const struct net_rule *r, const struct lint_entry *at)
{
	const bool v4 = addr_is_v4(&r->addr) && r->prefix_len >= V4_BITS_BEFORE;
	const unsigned len = v4 ? r->prefix_len - V4_BITS_BEFORE : r->prefix_len;
	char reason[TEXT_MAX];

	if (class_of(r) == PF_CLASS_PRIVATE) {
		lint_tell(l, LINT_PRIVATE_LITERAL, at, LINT_BY_HAND,
			  "a literal opens private space, where names alone lead nowhere: any "
			  "service of the local network behind it may be reached",
			  "keep it to one address and port, or remove it");
		return;
	}
	if (len >= (v4 ? BROAD_V4 : BROAD_V6))
		return;
	snprintf(reason, sizeof(reason), "the prefix holds 2^%u addresses", (v4 ? 32 : 128) - len);
	lint_tell(l, LINT_TOO_BROAD, at, LINT_BY_HAND, reason,
		  "name the hosts instead, or write the prefixes of the one network that is meant");
}

static void check_host(struct lint *l, const struct net_rule *r, const struct lint_entry *at)
{
	if (r->host == HOST_ANY)
		lint_tell(l, LINT_TOO_BROAD, at, LINT_BY_HAND,
			  "the star opens every public address and lets every name be asked for",
			  "name the hosts; 'pinfold run --observe' or 'pinfold learn' says which");
	else if (r->host == HOST_PREFIX)
		check_prefix(l, r, at);
	else
		check_suffix(l, r, at);
}

/* ---- entries in vain ------------------------------------------------------------------------ */

/* An entry is one rule, or several that follow each other (struct net_rule, more). */
static size_t end_of_entry(const struct net_rules *rules, size_t i)
{
	do
		i++;
	while (i < rules->n && rules->rule[i].more);
	return i;
}

/* A denied name is not resolved at all, whatever the ports. */
static bool deny_covers(const struct net_rule *deny, const struct net_rule *r)
{
	struct net_rule all = *r;

	if (deny->host == HOST_ANY && r->host != HOST_ANY && !r->name)
		return false;
	if (r->name || r->host == HOST_ANY) {
		all.port_low = deny->port_low;
		all.port_high = deny->port_high;
		all.protos = deny->protos;
	}
	return net_rule_covers(deny, &all);
}

static const struct net_rule *find_deny(const struct net_rules *denies, const struct net_rule *r)
{
	for (size_t i = 0; i < denies->n; i++)
		if (deny_covers(&denies->rule[i], r))
			return &denies->rule[i];
	return NULL;
}

/* Of two that say the same the first stays.  Where only one of them verifies, neither can stand for
 * the other. */
static const struct net_rule *find_wider(const struct lint *l, const struct net_rules *rules,
					 size_t i)
{
	const struct net_rule *r = &rules->rule[i];

	for (size_t k = 0; k < rules->n; k++) {
		const struct net_rule *c = &rules->rule[k];

		/* The site's entries are not there wherever the file is. */
		if (k == i || c->verify_sni != r->verify_sni || !lint_is_own(l, c->origin) ||
		    !net_rule_covers(c, r))
			continue;
		if (k < i || !net_rule_covers(r, c))
			return c;
	}
	return NULL;
}

static bool entry_is_in_vain(struct lint *l, const struct net_rules *rules, size_t i, bool denies,
			     const struct lint_entry *at)
{
	const size_t end = end_of_entry(rules, i);
	const struct net_rule *deny =
	    denies ? NULL : find_deny(&l->policy->net.deny, &rules->rule[i]);
	const struct net_rule *wider = end == i + 1 ? find_wider(l, rules, i) : NULL;
	char reason[TEXT_MAX];

	if (deny && end == i + 1) {
		snprintf(reason, sizeof(reason), "denyOutbound has '%.200s' (%.200s), which wins",
			 deny->text, deny->origin);
		lint_tell(l, LINT_SHADOWED, at, LINT_REMOVE, reason,
			  "remove the entry; or the deny, if the entry was meant");
		return true;
	}
	if (!wider)
		return false;
	snprintf(reason, sizeof(reason), "'%.200s' (%.200s) says it already", wider->text,
		 wider->origin);
	lint_tell(l, LINT_REDUNDANT, at, LINT_REMOVE, reason, "remove the entry");
	return true;
}

static void check_allows(struct lint *l)
{
	const struct net_rules *rules = &l->policy->net.allow;

	for (size_t i = 0; i < rules->n; i = end_of_entry(rules, i)) {
		const struct net_rule *r = &rules->rule[i];
		const struct lint_entry at = { r->text, r->origin };

		if (!lint_is_own(l, r->origin) || entry_is_in_vain(l, rules, i, false, &at))
			continue;
		check_steered(l, r, &at);
		check_ports(l, r, &at);
		check_host(l, r, &at);
	}
}

static void check_redundant_denies(struct lint *l)
{
	const struct net_rules *rules = &l->policy->net.deny;

	for (size_t i = 0; i < rules->n; i = end_of_entry(rules, i)) {
		const struct lint_entry at = { rules->rule[i].text, rules->rule[i].origin };

		if (lint_is_own(l, at.origin))
			entry_is_in_vain(l, rules, i, true, &at);
	}
}

/* ---- switches ------------------------------------------------------------------------------- */

static bool needs_metadata(const struct policy *p)
{
	for (size_t i = 0; i < p->net.allow.n; i++)
		if (class_of(&p->net.allow.rule[i]) == PF_CLASS_METADATA ||
		    (p->net.allow.rule[i].name && name_is_metadata(p->net.allow.rule[i].name)))
			return true;
	return false;
}

static void check_switches(struct lint *l)
{
	const struct net_policy *net = &l->policy->net;

	if (net->allow_metadata)
		lint_tell_member(l, LINT_METADATA, M_NET_METADATA,
				 needs_metadata(l->policy) ? LINT_BY_HAND : LINT_REMOVE,
				 "metadata services hand out the machine's own credentials",
				 "remove it, and the entries that need it; give the session a "
				 "credential of its own");
	if (net->icmp)
		lint_tell_member(l, LINT_ICMP, M_NET_ICMP, LINT_BY_HAND,
				 "echo requests carry data to any allowed address past every port",
				 "remove it unless something inside really pings");
	if (net->dns.min_ttl_s > 3600)
		lint_tell_member(l, LINT_LONG_TTL, M_DNS_MIN_TTL, LINT_BY_HAND,
				 "addresses stay open for hours after a name has left them",
				 "an hour (3600) is plenty; the default is 60");
	if (net->dns.new_names_per_minute == 0)
		lint_tell_member(l, LINT_UNLIMITED, M_DNS_NEW, LINT_REMOVE,
				 "names below a wildcard can carry data out as fast as DNS goes",
				 "remove it: the default is 6000 a minute");
	for (size_t i = 0; i < net->n_inbound; i++) {
		const struct inbound_rule *r = &net->inbound[i];
		const struct lint_entry at = { r->text, r->origin };

		if (!r->loopback_only && lint_is_own(l, r->origin))
			lint_tell(l, LINT_INBOUND, &at, LINT_BY_HAND,
				  "whoever reaches this host reaches that port of the session",
				  "write localhost:PORT if this host alone needs it");
	}
}

void lint_network(struct lint *l)
{
	check_allows(l);
	check_redundant_denies(l);
	check_switches(l);
}
