/* SPDX-License-Identifier: MIT */
/* Answers for names: judged once more here, then projected into the kernel's map. */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "net/inner.h"
#include "net/world.h"
#include "policy/names.h"
#include "policy/policy.h"

#define NS 1000000000ULL

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

static struct pf_vouch_key key_of(const union pf_addr *a, const struct vouch_block *b)
{
	struct pf_vouch_key key;

	memset(&key, 0, sizeof(key));
	key.session = 1;
	key.addr = *a;
	key.prefix_len = PF_VOUCH_ADDR_BITS;
	if (b->proto == 0)
		return key;
	key.prefix_len = PF_VOUCH_PORT_BITS + b->block.len;
	key.proto = b->proto;
	key.port = htobe16(b->block.port);
	return key;
}

static int put_block(void *data, const union pf_addr *a, const struct vouch_block *b)
{
	const struct net_fence *f = data;
	const struct pf_vouch_key key = key_of(a, b);
	const struct pf_vouch v = { .until = b->until, .rule = b->rule };

	return bpf_map_update_elem(f->kernel.map[NET_MAP_VOUCHED], &key, &v, BPF_ANY);
}

static void del_block(void *data, const union pf_addr *a, const struct vouch_block *b)
{
	const struct net_fence *f = data;
	const struct pf_vouch_key key = key_of(a, b);

	bpf_map_delete_elem(f->kernel.map[NET_MAP_VOUCHED], &key);
	(*f->kernel.generation)++;
}

int net_fence_open_vouched(struct net_fence *f, struct pinfold_error *e)
{
	const struct vouch_sink sink = { put_block, del_block, f };
	int rc = vouch_table_new(f->policy, &sink, &f->vouched);

	return rc < 0 ? err_set(e, rc, "network: out of memory") : 0;
}

/* The verdict for an address at the ports of one entry, as if the answer were in the map. */
static enum pf_reason judge_entry(const struct net_fence *f, const union pf_addr *a, uint32_t index)
{
	const struct net_rule *r = &f->policy->net.allow.rule[index];
	const struct pf_vouch vouch = { .until = PF_NEVER_ENDS, .rule = index };
	const struct pf_ask ask = {
		.addr = *a,
		.port = r->port_low,
		.proto = (r->protos & PROTO_TCP) ? PF_TCP : PF_UDP,
	};
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
	return (enum pf_reason)answer.reason;
}

/* A deny of some port leaves the others: the first entry that gets through decides. */
static enum pf_reason judge_name(const struct net_fence *f, const union pf_addr *a,
				 const char *name)
{
	const struct net_rules *allow = &f->policy->net.allow;
	enum pf_reason reason = PF_DENY_UNMATCHED;

	for (size_t i = 0; i < allow->n; i++) {
		if (!net_rule_matches_name(&allow->rule[i], name))
			continue;
		reason = judge_entry(f, a, (uint32_t)i);
		if (reason != PF_DENY_RULE)
			break;
	}
	return reason;
}

static enum pf_reason admit(struct net_fence *f, const struct addr *addr, const char *name,
			    uint64_t until)
{
	union pf_addr a;
	union pf_addr inner;
	int class;
	enum pf_reason reason;

	a = net_addr(addr);
	pf_inner(&a, &inner);
	class = pf_classify(&inner);
	reason = judge_name(f, &a, name);
	if (reason == PF_DENY_PORT && class == PF_CLASS_PRIVATE)
		return PF_ALLOW_LITERAL; /* for other ports: the kernel will tell them apart */
	if (reason < PF_ALLOW)
		return reason;
	if (class != PF_CLASS_PUBLIC && class != PF_CLASS_DOCUMENTATION)
		return PF_ALLOW_LITERAL;
	if (vouch_table_add(f->vouched, &inner, name, until) < 0)
		return PF_DENY_UNMATCHED;
	return PF_ALLOW_VOUCHED;
}

int net_fence_vouch(struct net_fence *f, const char *name, struct net_vouch *v, size_t n,
		    uint32_t ttl_s)
{
	const unsigned floor_s = f->policy->net.dns.min_ttl_s;
	const struct net_rule *rule = NULL;
	const bool may = policy_may_resolve(f->policy, name, &rule);
	uint64_t seconds = ttl_s > floor_s ? ttl_s : floor_s;
	uint64_t until;
	int passed = 0;

	if (seconds == 0)
		seconds = 1;
	until = now_ns() + seconds * NS;
	for (size_t i = 0; i < n; i++) {
		v[i].reason = rule ? PF_DENY_RULE : PF_DENY_UNMATCHED;
		if (may)
			v[i].reason = admit(f, &v[i].addr, name, until);
		passed += v[i].reason >= PF_ALLOW;
	}
	return passed;
}

void net_fence_tick(struct net_fence *f)
{
	vouch_table_tick(f->vouched, now_ns());
}
