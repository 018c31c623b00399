/* SPDX-License-Identifier: MIT */
/* The network's members that are more than a word or a number. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/net_entry.h"
#include "policy/read.h"
#include "policy/schema.h"

#define UPSTREAMS_MAX 8
#define DNS_PORT 53

/* {"host": ENTRY, "verify": "sni"} */
static int read_object_entry(const struct reader *r, const struct json5 *v, const char **ret_host,
			     bool *ret_sni)
{
	static const struct word verify_words[] = { { "sni", 1 }, { 0 } };
	const struct json5 *host = json5_member(v, "host");
	const struct json5 *verify = json5_member(v, "verify");
	int sni = 0;
	int rc;

	for (const struct json5 *c = v->child; c; c = c->next)
		if (c != host && c != verify)
			return read_fail(r, c, "no such member");
	if (!host)
		return read_fail(r, v, "'host' is missing");
	rc = read_string(r, host, ret_host);
	if (rc == 0 && verify)
		rc = read_word(r, verify, verify_words, &sni);
	*ret_sni = sni != 0;
	return rc;
}

static int read_rule(const struct reader *r, const struct json5 *v, enum net_use use,
		     struct net_rules *to)
{
	struct net_rule rule = { 0 };
	struct pinfold_error why;
	const char *text = NULL;
	bool sni = false;
	int rc;

	if (v->type == JSON5_OBJECT && use != NET_USE_DENY)
		rc = read_object_entry(r, v, &text, &sni);
	else
		rc = read_string(r, v, &text);
	if (rc < 0)
		return rc;
	rc = net_entry_parse(text, use, &rule, &why);
	if (rc < 0)
		return read_fail_why(r, v, rc, &why);
	/* Only a name's TLS connections carry a name to compare. */
	if (sni &&
	    (rule.host == HOST_PREFIX || rule.host == HOST_LOCALHOST || rule.protos != PROTO_TCP)) {
		net_rule_done(&rule);
		return read_fail(r, v, "\"verify\": \"sni\" wants a name and tcp");
	}
	rule.verify_sni = sni;
	rule.origin = read_origin(r, v);
	if (!rule.origin) {
		net_rule_done(&rule);
		return read_fail_why(r, v, -ENOMEM, NULL);
	}
	rc = net_rules_add(to, &rule);
	return rc < 0 ? read_fail_why(r, v, rc, NULL) : 0;
}

static int read_rules(struct reader *r, const struct json5 *v, enum net_use use,
		      struct net_rules *to)
{
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next)
		rc = read_rule(r, c, use, to);
	return rc;
}

int read_allow_outbound(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v,
			  r->p->net.allow_metadata ? NET_USE_ALLOW_WITH_METADATA : NET_USE_ALLOW,
			  &r->p->net.allow);
}

int read_deny_outbound(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v, NET_USE_DENY, &r->p->net.deny);
}

int read_inbound(struct reader *r, const struct json5 *v)
{
	struct net_policy *net = &r->p->net;
	int rc = 0;

	if (v->type == JSON5_FALSE)
		return 0;
	if (v->type != JSON5_ARRAY)
		return read_fail(r, v, "false or a list of ports is wanted");
	rc = read_list(r, v);
	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		struct inbound_rule *slot = grow(&net->inbound, net->n_inbound, sizeof(*slot));
		struct pinfold_error why;
		const char *text;

		if (!slot)
			return read_fail_why(r, c, -ENOMEM, NULL);
		rc = read_string(r, c, &text);
		if (rc < 0)
			return rc;
		rc = inbound_entry_parse(text, slot, &why);
		if (rc < 0)
			return read_fail_why(r, c, rc, &why);
		net->n_inbound++;
		slot->origin = read_origin(r, c);
		if (!slot->origin)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}

static int read_server(const struct reader *r, const struct json5 *v, struct dns_policy *dns)
{
	struct net_rule rule = { 0 };
	struct pinfold_error why;
	const char *text;
	bool server;
	int rc = read_string(r, v, &text);

	if (rc < 0)
		return rc;
	rc = net_entry_parse(text, NET_USE_DENY, &rule, &why);
	if (rc < 0)
		return read_fail_why(r, v, rc, &why);
	server = rule.host == HOST_PREFIX && rule.prefix_len == 128 && !strchr(text, '/') &&
		 (rule.port_low == rule.port_high || rule.port_low == 0);
	dns->upstream[dns->n_upstream].addr = rule.addr;
	dns->upstream[dns->n_upstream].port = rule.port_low ? rule.port_low : DNS_PORT;
	net_rule_done(&rule);
	if (!server)
		return read_fail(r, v, "ADDRESS or ADDRESS:PORT is wanted ([IPv6] in brackets)");
	dns->n_upstream++;
	return 0;
}

int read_upstream(struct reader *r, const struct json5 *v)
{
	struct dns_policy *dns = &r->p->net.dns;
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		if (dns->n_upstream == UPSTREAMS_MAX)
			return read_fail(r, c, "more than %d servers", UPSTREAMS_MAX);
		if (!grow(&dns->upstream, dns->n_upstream, sizeof(*dns->upstream)))
			return read_fail_why(r, c, -ENOMEM, NULL);
		rc = read_server(r, c, dns);
	}
	return rc;
}
