/* SPDX-License-Identifier: MIT */
#include "net/judge.h"

#include "net/host.h"
#include "net/world.h"
#include "policy/names.h"
#include "policy/policy.h"

/* What the map of vouched addresses would hold after an answer for name. */
static struct pf_vouch vouch_of(const struct policy *p, const char *name, uint16_t port,
				unsigned proto)
{
	struct pf_vouch v = { .until = PF_NEVER_ENDS, .rule = PF_RULE_NONE };

	for (size_t i = 0; i < p->net.allow.n; i++) {
		const struct net_rule *r = &p->net.allow.rule[i];

		if ((r->protos & proto) && port >= r->port_low && port <= r->port_high &&
		    net_rule_matches_name(r, name)) {
			if (v.rule == PF_RULE_NONE)
				v.rule = (uint32_t)i;
			if (r->verify_sni)
				v.rule |= PF_RULE_VERIFY;
		}
	}
	return v;
}

struct net_judgement net_judge(const struct policy *p, const struct addr *a, uint16_t port,
			       unsigned proto, const char *name)
{
	const struct pf_ask ask = {
		.addr = net_addr(a),
		.port = port,
		.proto = proto == PROTO_UDP ? PF_UDP : PF_TCP,
	};
	struct net_judgement j = { PF_DENY_UNFILLED, NULL };
	const struct net_rule *refused = NULL;
	struct net_host host = { 0 };
	struct net_tables tables;
	struct pf_answer answer;
	struct pf_vouch vouch;
	struct pf_world w = { .now = 1, .tables = &tables };

	if (name && !policy_may_resolve(p, name, &refused) && refused)
		return (struct net_judgement){ PF_DENY_RULE, refused };
	if (port == NET_STEERED_PORT) /* of whatever server: the hooks steer it before they judge */
		return (struct net_judgement){ PF_ALLOW_DNS, NULL };
	if (net_tables_build(p, &tables, NULL) < 0)
		return j;
	if (name && policy_may_resolve(p, name, &refused)) {
		vouch = vouch_of(p, name, port, proto);
		w.vouch = &vouch;
	}
	w.flags = tables.flags;
	if (net_host_list(&host) == 0) {
		w.host = host.addr;
		w.n_host = host.n;
		pf_judge(&w, &ask, &answer);
		j.reason = (enum pf_reason)answer.reason;
		j.rule = net_rule_of(p, answer.rule);
	}
	net_host_done(&host);
	net_tables_done(&tables);
	return j;
}
