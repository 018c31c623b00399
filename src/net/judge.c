/* SPDX-License-Identifier: MIT */
#include "net/judge.h"

#include <string.h>

#include "base/err.h"
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

int net_judge_prepare(struct net_judge *j, const struct policy *p, struct pinfold_error *e)
{
	struct net_judge made = { .policy = p };
	int r = net_tables_build(p, &made.tables, e);

	if (r < 0)
		return r;
	r = net_host_list(&made.host);
	if (r < 0) {
		net_judge_done(&made);
		return err_set(e, r, "cannot list this host's addresses: %s", strerror(-r));
	}
	*j = made;
	return 0;
}

void net_judge_done(struct net_judge *j)
{
	net_host_done(&j->host);
	net_tables_done(&j->tables);
}

struct net_judgement net_judge_ask(const struct net_judge *j, const struct addr *a, uint16_t port,
				   unsigned proto, const char *name)
{
	const struct pf_ask ask = {
		.addr = net_addr(a),
		.port = port,
		.proto = proto == PROTO_UDP ? PF_UDP : PF_TCP,
	};
	const struct net_rule *refused = NULL;
	struct pf_answer answer;
	struct pf_vouch vouch;
	struct pf_world w = {
		.now = 1,
		.flags = j->tables.flags,
		.tables = &j->tables,
		.host = j->host.addr,
		.n_host = j->host.n,
	};

	if (name && !policy_may_resolve(j->policy, name, &refused) && refused)
		return (struct net_judgement){ PF_DENY_RULE, refused };
	if (port == NET_STEERED_PORT) /* of whatever server: the hooks steer it before they judge */
		return (struct net_judgement){ PF_ALLOW_DNS, NULL };
	if (name && policy_may_resolve(j->policy, name, &refused)) {
		vouch = vouch_of(j->policy, name, port, proto);
		w.vouch = &vouch;
	}
	pf_judge(&w, &ask, &answer);
	return (struct net_judgement){ (enum pf_reason)answer.reason,
				       net_rule_of(j->policy, answer.rule) };
}

struct net_judgement net_judge(const struct policy *p, const struct addr *a, uint16_t port,
			       unsigned proto, const char *name)
{
	struct net_judgement unfilled = { PF_DENY_UNFILLED, NULL };
	struct net_judgement ret;
	struct net_judge j;

	if (net_judge_prepare(&j, p, NULL) < 0)
		return unfilled;
	ret = net_judge_ask(&j, a, port, proto, name);
	net_judge_done(&j);
	return ret;
}
