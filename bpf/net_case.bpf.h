/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the hooks share: finding the session and the socket, judging, remembering, telling. */
#ifndef PINFOLD_NET_CASE_BPF_H
#define PINFOLD_NET_CASE_BPF_H

#include "net_maps.bpf.h"
#include "verdict.h"

/* One judgement on its way through a hook. */
struct pf_case {
	struct pf_session *s;
	struct pf_sock *k; /* the session's socket */
	struct pf_ask ask;
	struct pf_answer answer;
	__u32 op;
	__u32 generation; /* when the case began: what is judged may be older by the end */
};

/* NULL: not filled, deny. */
static __always_inline struct pf_session *session_here(void)
{
	struct pf_session *s = bpf_get_local_storage(&sessions, 0);

	return s->id ? s : 0;
}

/* Which port of the session's resolver it is, as an index; PF_RESOLVER_PORTS: none. */
static __always_inline __u32 resolver_port_of(const struct pf_case *c)
{
	__u32 at = PF_RESOLVER_PORTS;

	if (!c->ask.port || !pf_is_loopback(&c->ask.addr))
		return at;
#pragma unroll
	for (__u32 i = 0; i < PF_RESOLVER_PORTS; i++)
		if (c->s->resolver_port[i] == c->ask.port)
			at = i;
	return at;
}

/* The session's resolver, which only a steered socket may talk to. */
static __always_inline _Bool is_resolver(const struct pf_case *c)
{
	return (c->k->flags & PF_SOCK_DNS) && resolver_port_of(c) < PF_RESOLVER_PORTS;
}

/* Where a steered connection goes: the resolver or the relay. */
static __always_inline _Bool is_steered(const struct pf_case *c)
{
	return is_resolver(c) || ((c->k->flags & PF_SOCK_RELAY) &&
				  c->ask.port == c->s->relay_port && pf_is_loopback(&c->ask.addr));
}

struct pf_who {
	__u32 rules;
	__u32 flags;
};

__noinline int pf_judge_here(const struct pf_who *who, const struct pf_ask *ask,
			     struct pf_answer *ret)
{
	struct pf_answer answer = {};

	if (!ask || !who || !ret)
		return 0;

	struct pf_world w = { bpf_ktime_get_ns(), who->rules, who->flags };

	pf_judge(&w, ask, &answer);
	*ret = answer;
	return 0;
}

static __always_inline void judge(struct pf_case *c)
{
	struct pf_who who = { c->s->rules, c->s->flags };

	c->generation = generation;
	pf_judge_here(&who, &c->ask, &c->answer);
}

__noinline int pf_tell(const struct pf_event *ev)
{
	return ev ? bpf_ringbuf_output(&events, (void *)ev, sizeof(*ev), 0) : 0;
}

static __always_inline void tell(struct pf_case *c, __u32 pid, __u32 uid)
{
	struct pf_event ev = {
		.addr = c->ask.addr,
		.session = c->s->id,
		.pid = pid,
		.uid = uid,
		.rule = c->answer.rule,
		.reason = c->answer.reason,
		.op = c->op,
		.rules = c->s->rules,
		.port = c->ask.port,
		.proto = c->ask.proto,
	};

	if (pf_tell(&ev))
		__sync_fetch_and_add(&c->s->lost, 1);
}

/* In a hook that runs for a system call: counts, tells, sets the errno.  Returns what the hook
 * returns. */
static __noinline int conclude(struct pf_case *c)
{
	_Bool allowed = c->answer.reason >= PF_ALLOW;

	if (!allowed || (c->s->flags & PF_TELL_ALLOWED))
		tell(c, bpf_get_current_pid_tgid() >> 32, bpf_get_current_uid_gid());
	if (allowed || pf_is_observed(c->s->flags, c->answer.reason)) {
		__sync_fetch_and_add(&c->s->allowed, 1);
		return 1;
	}
	__sync_fetch_and_add(&c->s->denied, 1);
	bpf_set_retval(-(int)c->s->deny_errno);
	return 0;
}

/* In a hook that runs for a packet, where the current task is anybody: the socket's maker is told.
 */
static __noinline int drop_packet(struct pf_case *c, __u32 reason)
{
	c->answer.reason = reason;
	tell(c, c->k->pid, c->k->uid);
	if (pf_is_observed(c->s->flags, reason)) {
		__sync_fetch_and_add(&c->s->allowed, 1);
		return 1;
	}
	__sync_fetch_and_add(&c->s->denied, 1);
	return 0;
}

enum owner { OWNER_NONE = 0, OWNER_OTHER, OWNER_SESSION };

/* Whose socket on this host is it that a packet from (from, from_port) to ask reaches?  An exact
 * answer: a table of ports could be fooled by whoever binds next to us. */
static __always_inline enum owner owner_of(void *ctx, const struct pf_case *c,
					   const union pf_addr *from, __u16 from_port)
{
	struct bpf_sock_tuple t = {};
	enum owner owner = OWNER_OTHER;
	struct pf_sock *other;
	struct bpf_sock *sk;
	__u32 size = sizeof(t.ipv6);

	if (pf_is_v4(&c->ask.addr)) {
		size = sizeof(t.ipv4);
		t.ipv4.saddr = from->w[3];
		t.ipv4.daddr = c->ask.addr.w[3];
		t.ipv4.sport = bpf_htons(from_port);
		t.ipv4.dport = bpf_htons(c->ask.port);
	} else {
		__builtin_memcpy(t.ipv6.saddr, from, 16);
		__builtin_memcpy(t.ipv6.daddr, &c->ask.addr, 16);
		t.ipv6.sport = bpf_htons(from_port);
		t.ipv6.dport = bpf_htons(c->ask.port);
	}
	if (c->ask.proto == PF_TCP)
		sk = bpf_sk_lookup_tcp(ctx, &t, size, BPF_F_CURRENT_NETNS, 0);
	else
		sk = bpf_sk_lookup_udp(ctx, &t, size, BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return OWNER_NONE;
	other = bpf_sk_storage_get(&socks, sk, 0, 0);
	if (other && other->session == c->s->id)
		owner = OWNER_SESSION;
	bpf_sk_release(sk);
	return owner;
}

static __always_inline void remember(struct pf_flow *f, const struct pf_case *c)
{
	f->until = 0; /* while the rest is written, it stands for nothing */
	f->addr = c->ask.addr;
	f->port = c->ask.port;
	f->generation = c->generation;
	f->rules = c->s->rules;
	f->until = c->answer.until;
}

/* Was this destination let through a moment ago, and does that still hold? */
static __always_inline _Bool still_holds(const struct pf_case *c, const struct pf_flow *f)
{
	return f->port == c->ask.port && pf_same(&f->addr, &c->ask.addr) &&
	       f->generation == generation && f->rules == c->s->rules &&
	       (f->until == PF_NEVER_ENDS || bpf_ktime_get_ns() < f->until);
}

static __always_inline void peer_key(const struct pf_case *c, struct pf_peer_key *ret)
{
	ret->cookie = c->k->cookie;
	ret->addr = c->ask.addr;
	ret->port = c->ask.port;
	ret->pad[0] = 0;
	ret->pad[1] = 0;
	ret->pad[2] = 0;
}

static __always_inline void peer_put(const struct pf_case *c, __u32 how)
{
	struct pf_peer_key key;
	__u32 *have;

	peer_key(c, &key);
	have = bpf_map_lookup_elem(&peers, &key);
	if (!have || *have < how)
		bpf_map_update_elem(&peers, &key, &how, BPF_ANY);
}

/* 0: not a recent peer of the socket. */
static __always_inline __u32 peer_get(const struct pf_case *c)
{
	struct pf_peer_key key;
	__u32 *have;

	peer_key(c, &key);
	have = bpf_map_lookup_elem(&peers, &key);
	return have ? *have : 0;
}

#endif
