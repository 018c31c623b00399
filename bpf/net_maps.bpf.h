/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Maps of the network fence, and the world that verdict.h asks. */
#ifndef PINFOLD_NET_MAPS_BPF_H
#define PINFOLD_NET_MAPS_BPF_H

#include "abi.h"

/* The session of the cgroup that the running program was attached to; its children share it. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_STORAGE);
	__type(key, __u64);
	__type(value, struct pf_session);
} sessions SEC(".maps");

/* The sizes below are bounds, not allocations: user space counts what it puts in. */
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 20);
	__type(key, struct pf_net_key);
	__type(value, __u32);
} deny_nets SEC(".maps"), allow_nets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 21);
	__type(key, struct pf_port_key);
	__type(value, __u32);
} port_sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1 << 21);
	__type(key, struct pf_vouch_key);
	__type(value, struct pf_vouch);
} vouched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, PF_HOST_ADDRS_MAX);
	__type(key, union pf_addr);
	__type(value, __u32);
} host_addrs SEC(".maps");

/* An accepted socket inherits what is known of its listener. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct pf_sock);
} socks SEC(".maps");

/* When it overflows, an answer is lost, never let in wrongly. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct pf_peer_key);
	__type(value, __u32);
} peers SEC(".maps");

/* Filled when a connection's first packet leaves, read once by the supervisor.  When it overflows,
 * a connection is refused.  The kernel sets up every entry at load: the size is start-up time. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 512);
	__type(key, struct pf_relay_key);
	__type(value, struct pf_relayed);
} relayed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

/* Grows whenever something that the rules refer to narrows (addresses of the host, of names); a
 * cached verdict of an older one is judged anew. */
volatile __u32 generation = 0;

/* What a judgement looks up is a function of its own to the verifier (not static), which then
 * looks at it once instead of at each call: loading is five times as fast. */

#define PF_WORLD 1 /* tells verdict.h */

struct pf_world {
	__u64 now;
	__u32 rules;
	__u32 flags;
};

/* A question to a list of literals, and where its answer's rule goes. */
struct pf_lookup {
	union pf_addr addr;
	__u32 rules;
	__u32 trie; /* enum pf_tries, or PF_LOOKUP_SET */
	__u32 set;
	__u32 rule;
	__u16 proto;
	__u16 port;
	__u32 pad;
};

#define PF_LOOKUP_SET 2 /* the set is known */

__noinline int pf_look_up(struct pf_lookup *q)
{
	struct pf_port_key port = { .prefix_len = PF_PORT_BITS + 16 };
	struct pf_net_key net = { .prefix_len = PF_NET_BITS + 128 };
	__u32 *found;

	if (!q)
		return PF_MISS;
	port.rules = q->rules;
	port.set = q->set;
	port.proto = q->proto;
	port.port = bpf_htons(q->port);
	if (q->trie != PF_LOOKUP_SET) {
		net.rules = q->rules;
		net.addr = q->addr;
		if (q->trie == PF_TRIE_DENY)
			found = bpf_map_lookup_elem(&deny_nets, &net);
		else
			found = bpf_map_lookup_elem(&allow_nets, &net);
		if (!found)
			return PF_MISS;
		port.set = *found;
	}
	found = bpf_map_lookup_elem(&port_sets, &port);
	if (!found)
		return PF_HIT_ADDR;
	q->rule = *found;
	return PF_HIT;
}

static __always_inline enum pf_hit pf_world_match(const struct pf_world *w, enum pf_tries t,
						  const union pf_addr *a, const struct pf_ask *ask,
						  __u32 *ret_rule)
{
	struct pf_lookup q = {
		.addr = *a,
		.rules = w->rules,
		.trie = t,
		.rule = *ret_rule,
		.proto = ask->proto,
		.port = ask->port,
	};
	enum pf_hit hit = pf_look_up(&q);

	*ret_rule = q.rule;
	return hit;
}

static __always_inline _Bool pf_world_port(const struct pf_world *w, __u32 set,
					   const struct pf_ask *ask, __u32 *ret_rule)
{
	struct pf_lookup q = {
		.rules = w->rules,
		.trie = PF_LOOKUP_SET,
		.set = set,
		.rule = *ret_rule,
		.proto = ask->proto,
		.port = ask->port,
	};
	enum pf_hit hit = pf_look_up(&q);

	*ret_rule = q.rule;
	return hit == PF_HIT;
}

static __always_inline _Bool pf_world_vouch(const struct pf_world *w, const union pf_addr *a,
					    const struct pf_ask *ask, struct pf_vouch *ret)
{
	struct pf_vouch_key key = {
		.prefix_len = PF_VOUCH_PORT_BITS + 16,
		.rules = w->rules,
		.addr = *a,
		.proto = ask->proto,
		.port = bpf_htons(ask->port),
	};
	struct pf_vouch *v = bpf_map_lookup_elem(&vouched, &key);

	if (!v)
		return 0;
	*ret = *v;
	return 1;
}

static __always_inline _Bool pf_world_is_host(const struct pf_world *w, const union pf_addr *a)
{
	(void)w;
	return bpf_map_lookup_elem(&host_addrs, a) != 0;
}

#endif
