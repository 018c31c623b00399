/* SPDX-License-Identifier: MIT */
/* The server name of a connection that the relay holds, judged against policy, answers and
 * destination. */
#include <string.h>

#include <bpf/bpf.h>

#include "base/name.h"
#include "net/inner.h"
#include "net/world.h"
#include "policy/names.h"
#include "policy/policy.h"

static struct pf_relay_key key_of(const struct addr *client, uint16_t port)
{
	struct pf_relay_key key;

	memset(&key, 0, sizeof(key));
	key.addr = net_addr(client);
	key.session = NET_SESSION_ID;
	key.port = port;
	return key;
}

/* The entry by which the name may be reached on that port, or NULL. */
static const struct net_rule *find_rule(const struct policy *p, const char *name, uint16_t port,
					uint32_t *ret_index)
{
	for (size_t i = 0; i < p->net.allow.n; i++) {
		const struct net_rule *r = &p->net.allow.rule[i];

		if ((r->protos & PROTO_TCP) && port >= r->port_low && port <= r->port_high &&
		    net_rule_matches_name(r, name)) {
			*ret_index = (uint32_t)i;
			return r;
		}
	}
	return NULL;
}

/* As the kernel would judge now, if this name alone had led there. */
static bool still_allowed(const struct net_fence *f, const struct pf_relayed *to, uint32_t index)
{
	const struct pf_vouch vouch = { .until = PF_NEVER_ENDS, .rule = index };
	const struct pf_ask ask = { .addr = to->addr, .port = to->port, .proto = PF_TCP };
	const struct pf_world w = {
		.now = 1,
		.flags = f->tables.flags,
		.tables = &f->tables,
		.vouch = &vouch,
		.host = f->host.addr,
		.n_host = f->host.n,
	};
	struct pf_answer answer;

	pf_judge(&w, &ask, &answer);
	return answer.reason >= PF_ALLOW;
}

/* Allowed by the policy, on that port, and one that led to that address when the connection was
 * made. */
static bool name_is_right(const struct net_fence *f, const struct pf_relayed *to, const char *text,
			  const struct net_rule **ret_rule)
{
	const struct net_rule *rule = NULL;
	char name[NAME_BUF];
	union pf_addr inner;
	uint32_t index = 0;

	if (!text || name_canonical(text, name) < 0 || !policy_may_resolve(f->policy, name, &rule))
		return false;
	rule = find_rule(f->policy, name, to->port, &index);
	pf_inner(&to->addr, &inner);
	if (!rule || !vouch_table_has(f->vouched, &inner, name, to->since) ||
	    !still_allowed(f, to, index))
		return false;
	*ret_rule = rule;
	return true;
}

void net_fence_verify(struct net_fence *f, const struct addr *client, uint16_t client_port,
		      const char *name, struct net_verified *ret)
{
	const struct pf_relay_key key = key_of(client, client_port);
	struct pf_relayed to;
	bool right;

	*ret = (struct net_verified){ .reason = PF_DENY_UNFILLED };
	if (bpf_map_lookup_elem(f->kernel.map[NET_MAP_RELAYED], &key, &to) < 0)
		return;
	bpf_map_delete_elem(f->kernel.map[NET_MAP_RELAYED], &key);
	memcpy(ret->addr.b, to.addr.b, sizeof(ret->addr.b));
	ret->port = to.port;
	ret->pid = (pid_t)to.pid;
	ret->uid = to.uid;
	ret->rule = to.rules == (__u16)f->rules ? net_rule_of(f->policy, to.rule) : NULL;
	right = name_is_right(f, &to, name, &ret->rule);
	ret->reason = right ? PF_ALLOW_VERIFY : PF_DENY_SNI;
	ret->observed = !right && name && f->observes;
	f->verified += right;
	f->mismatched += !right;
}

int net_fence_no_relay(struct net_fence *f)
{
	const int map = f->kernel.map[NET_MAP_SESSIONS];
	struct pf_session s;
	int r = bpf_map_lookup_elem(map, &f->cgroup_id, &s);

	f->relay_port = 0;
	s.relay_port = 0;
	return r < 0 ? r : bpf_map_update_elem(map, &f->cgroup_id, &s, BPF_EXIST);
}

void net_fence_forget_relayed(struct net_fence *f, const struct addr *client, uint16_t client_port)
{
	const struct pf_relay_key key = key_of(client, client_port);

	bpf_map_delete_elem(f->kernel.map[NET_MAP_RELAYED], &key);
}
