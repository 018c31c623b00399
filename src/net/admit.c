/* SPDX-License-Identifier: MIT */
/* Answers for names: judged once more here, then projected into the kernel's map. */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clean.h"
#include "base/err.h"
#include "net/inner.h"
#include "net/world.h"
#include "policy/names.h"
#include "policy/policy.h"

#define NS 1000000000ULL

uint64_t net_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

static struct pf_vouch_key key_of(uint32_t rules, const union pf_addr *a,
				  const struct vouch_block *b)
{
	struct pf_vouch_key key;

	memset(&key, 0, sizeof(key));
	key.rules = rules;
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
	const struct net_vouch_target *to = data;
	const struct pf_vouch_key key = key_of(to->rules, a, b);
	const struct pf_vouch v = {
		.until = b->until,
		.rule = b->rule | (b->verify ? PF_RULE_VERIFY : 0),
	};

	return bpf_map_update_elem(to->kernel->map[NET_MAP_VOUCHED], &key, &v, BPF_ANY);
}

static void del_block(void *data, const union pf_addr *a, const struct vouch_block *b)
{
	const struct net_vouch_target *to = data;
	const struct pf_vouch_key key = key_of(to->rules, a, b);

	bpf_map_delete_elem(to->kernel->map[NET_MAP_VOUCHED], &key);
	(*to->kernel->generation)++;
}

int net_fence_new_vouched(const struct policy *p, struct net_vouch_target *target,
			  struct vouch_table **ret)
{
	const struct vouch_sink sink = { put_block, del_block, target };

	return vouch_table_new(p, &sink, ret);
}

int net_fence_open_vouched(struct net_fence *f, struct pinfold_error *e)
{
	int rc;

	f->target[f->slot] = (struct net_vouch_target){ &f->kernel, f->rules };
	rc = net_fence_new_vouched(f->policy, &f->target[f->slot], &f->vouched);

	return rc < 0 ? err_set(e, rc, "network: out of memory") : 0;
}

/* The verdict for an address at the ports of one entry, as if the answer were in the map.  A deny
 * of some ports leaves the others. */
static enum pf_reason judge_entry(const struct net_fence *f, const union pf_addr *a, uint32_t index,
				  unsigned proto)
{
	const struct net_rule *r = &f->policy->net.allow.rule[index];
	const struct pf_vouch vouch = { .until = PF_NEVER_ENDS, .rule = index };
	const struct pf_world w = {
		.now = 1,
		.flags = f->tables.flags,
		.tables = &f->tables,
		.vouch = r->host == HOST_PREFIX || r->host == HOST_LOCALHOST ? NULL : &vouch,
		.host = f->host.addr,
		.n_host = f->host.n,
	};
	struct pf_ask ask = { .addr = *a, .proto = proto };
	const struct net_rule *deny;
	struct pf_answer answer;
	uint32_t port = r->port_low ? r->port_low : 1; /* nothing is reached at 0 */

	do {
		ask.port = (uint16_t)port;
		pf_judge(&w, &ask, &answer);
		deny = answer.reason == PF_DENY_RULE ? net_rule_of(f->policy, answer.rule) : NULL;
		port = deny ? deny->port_high + 1u : 0;
	} while (deny && port <= r->port_high);
	return (enum pf_reason)answer.reason;
}

static bool is_literal_of(const struct net_rule *r, const struct addr *a)
{
	static const struct addr V6_LOOPBACK = { .b[15] = 1 };

	if (r->host == HOST_PREFIX)
		return addr_in_prefix(a, &r->addr, r->prefix_len);
	return r->host == HOST_LOCALHOST &&
	       (addr_equal(a, &V6_LOOPBACK) || (addr_is_v4(a) && a->b[12] == 127 && a->b[13] == 0 &&
						a->b[14] == 0 && a->b[15] == 1));
}

/* An address stays when something may be reached there: at the ports of an entry for the name, or
 * because the policy has the address as a literal.  Which, the kernel tells apart. */
static enum pf_reason judge_name(const struct net_fence *f, const union pf_addr *a,
				 const union pf_addr *inner, const char *name)
{
	static const struct {
		unsigned bit;
		unsigned proto;
	} protos[] = { { PROTO_TCP, PF_TCP }, { PROTO_UDP, PF_UDP } };
	const struct net_rules *allow = &f->policy->net.allow;
	enum pf_reason reason = PF_DENY_UNMATCHED;
	struct addr literal;

	memcpy(literal.b, inner->b, sizeof(literal.b));
	for (size_t i = 0; i < allow->n; i++) {
		const struct net_rule *r = &allow->rule[i];

		if (!net_rule_matches_name(r, name) && !is_literal_of(r, &literal))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(protos); k++) {
			if (!(r->protos & protos[k].bit))
				continue;
			reason = judge_entry(f, a, (uint32_t)i, protos[k].proto);
			if (reason >= PF_ALLOW)
				return reason;
		}
	}
	return reason;
}

static enum pf_reason admit(struct net_fence *f, const struct addr *addr, const char *name,
			    uint64_t until)
{
	const union pf_addr a = net_addr(addr);
	union pf_addr inner;
	enum pf_reason reason;
	int class;

	pf_inner(&a, &inner);
	class = pf_classify(&inner);
	reason = judge_name(f, &a, &inner, name);
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
	until = net_now_ns() + seconds * NS;
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
	vouch_table_tick(f->vouched, net_now_ns());
}

struct lister {
	void (*fn)(void *data, const struct addr *a, const char *name, uint64_t seconds);
	void *data;
	uint64_t now;
};

static void list_one(void *data, const union pf_addr *a, const char *name, uint64_t until)
{
	const struct lister *l = data;
	struct addr plain;

	memcpy(plain.b, a->b, sizeof(plain.b));
	l->fn(l->data, &plain, name, (until - l->now) / 1000000000ULL);
}

void net_fence_list_vouched(const struct net_fence *f,
			    void (*fn)(void *data, const struct addr *a, const char *name,
				       uint64_t seconds),
			    void *data)
{
	struct lister l = { fn, data, net_now_ns() };

	vouch_table_list(f->vouched, l.now, list_one, &l);
}
