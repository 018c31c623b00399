/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Packets of the session's sockets, on their way out and in. */
#ifndef PINFOLD_NET_PACKET_BPF_H
#define PINFOLD_NET_PACKET_BPF_H

#include "net_case.bpf.h"

#define SK_ESTABLISHED 1 /* TCP_ESTABLISHED; a connected datagram socket too */
#define SK_SYN_SENT 2
#define SK_LISTEN 10

struct packet {
	union pf_addr from;
	union pf_addr to;
	__u16 from_port;
	__u16 to_port;
	__u16 proto; /* PF_TCP, PF_UDP, PF_ICMP */
	__u16 pad;
};

/* First 24 bytes of IPv4 without options, and first 44 of IPv6 without extension headers: the
 * network header and the ports. */
struct head4 {
	__u8 version_ihl, tos;
	__u16 len, id, frag;
	__u8 ttl, proto;
	__u16 check;
	__u32 from, to;
	__u16 from_port, to_port;
};

struct head6 {
	__u32 version_flow;
	__u16 len;
	__u8 next, hops;
	union pf_addr from, to;
	__u16 from_port, to_port;
} __attribute__((packed, aligned(4)));

static __always_inline _Bool parse_v4(struct __sk_buff *skb, struct packet *p)
{
	struct head4 h;

	if (bpf_skb_load_bytes(skb, 0, &h, sizeof(h)))
		return 0;
	/* Options may be a source route: the packet's address is then not the destination. */
	if (h.version_ihl != 0x45 || (h.frag & bpf_htons(0x3fff)))
		return 0;
	pf_addr_v4(&p->from, h.from);
	pf_addr_v4(&p->to, h.to);
	p->from_port = bpf_ntohs(h.from_port);
	p->to_port = bpf_ntohs(h.to_port);
	p->proto = h.proto;
	return h.proto == PF_TCP || h.proto == PF_UDP || h.proto == PF_ICMP;
}

static __always_inline _Bool parse_v6(struct __sk_buff *skb, struct packet *p)
{
	struct head6 h;

	if (bpf_skb_load_bytes(skb, 0, &h, sizeof(h)))
		return 0;
	__builtin_memcpy(&p->from, &h.from, 16);
	__builtin_memcpy(&p->to, &h.to, 16);
	p->from_port = bpf_ntohs(h.from_port);
	p->to_port = bpf_ntohs(h.to_port);
	p->proto = h.next == 58 ? PF_ICMP : h.next;
	return h.next == PF_TCP || h.next == PF_UDP || h.next == 58;
}

/* False: a packet of a shape that is not let through. */
__noinline int pf_parse(struct __sk_buff *skb, struct packet *ret)
{
	struct packet p = {};
	_Bool fine = 0;

	if (!ret)
		return 0;
	if (skb->protocol == bpf_htons(0x0800))
		fine = parse_v4(skb, &p);
	else if (skb->protocol == bpf_htons(0x86dd))
		fine = parse_v6(skb, &p);
	if (p.proto == PF_ICMP)
		p.from_port = p.to_port = 0;
	*ret = p;
	return fine;
}

/* The local port of a connection to the relay is known now, and the relay has not seen it yet. */
static __always_inline int egress_relayed(struct pf_case *c, const struct packet *p)
{
	struct pf_relay_key key = {};
	struct pf_relayed to = {};

	if (!is_steered(c))
		return drop_packet(c, PF_DENY_PACKET);
	key.addr = p->from;
	key.session = c->s->id;
	key.port = p->from_port;
	to.addr = c->k->asked[0];
	to.since = bpf_ktime_get_ns();
	to.rule = c->k->asked_rule;
	to.pid = c->k->pid;
	to.uid = c->k->uid;
	to.port = c->k->asked_port;
	to.rules = c->s->rules;
	if (bpf_map_update_elem(&relayed, &key, &to, BPF_ANY))
		return drop_packet(c, PF_DENY_SNI);
	return 1;
}

/* Is it a connection that an earlier set of rules let through, which the present ones refuse and
 * which a reload means to end?  One comparison a packet, but for the first one after a reload.
 * Connections to and from the session's own listeners, and what was let in, stay. */
static __always_inline _Bool is_revoked(struct pf_case *c, __u32 proto)
{
	if (c->k->peer.rules >= c->s->cut || !pf_is_outbound(c->k->flags))
		return 0;
	c->ask.addr = c->k->peer.addr;
	c->ask.port = c->k->peer.port;
	c->ask.proto = proto;
	judge(c);
	if (!pf_flow_holds(&c->answer))
		return 1;
	c->k->peer.rules = c->s->rules;
	return 0;
}

/* Every TCP connection went through the connect hook, or was accepted from a listener that the
 * ingress hook guards. */
static __always_inline int egress_tcp(struct __sk_buff *skb, struct pf_case *c, __u32 state,
				      const struct packet *p)
{
	if (is_revoked(c, PF_TCP))
		return drop_packet(c, PF_DENY_REVOKED);
	if (state != SK_SYN_SENT)
		return 1;
	if (!(c->k->flags & PF_SOCK_CONNECTED))
		return drop_packet(c, PF_DENY_PACKET);
	if (c->k->flags & PF_SOCK_RELAY)
		return egress_relayed(c, p);
	/* Of several sockets on one port the kernel picks by the source port, known only now. */
	if ((c->k->flags & PF_SOCK_OWN) && owner_of(skb, c, &p->from, p->from_port) == OWNER_OTHER)
		return drop_packet(c, PF_DENY_LOOPBACK);
	return 1;
}

/* By earlier rules, and no lifetime has ended since. */
static __always_inline _Bool was_allowed(const struct pf_case *c)
{
	return (c->k->flags & PF_SOCK_CONNECTED) && c->k->peer.rules < c->s->rules &&
	       c->k->peer.until && c->answer.reason != PF_DENY_EXPIRED;
}

/* A datagram is judged by its own address, each time, since nothing else ends a flow. */
static __always_inline int egress_datagram(struct __sk_buff *skb, struct pf_case *c,
					   const struct packet *p)
{
	if (c->ask.proto == PF_UDP && c->ask.port == 0)
		return drop_packet(c, PF_DENY_PACKET);
	if (still_holds(c, &c->k->peer) || still_holds(c, &c->k->last) || is_resolver(c))
		return 1;
	judge(c);
	if (c->answer.reason >= PF_ALLOW) {
		remember((c->k->flags & PF_SOCK_CONNECTED) ? &c->k->peer : &c->k->last, c);
		return 1;
	}
	if (c->answer.reason == PF_DENY_LOOPBACK && c->ask.proto == PF_UDP &&
	    owner_of(skb, c, &p->from, p->from_port) != OWNER_OTHER)
		return 1;
	if (c->answer.reason != PF_DENY_RULE && peer_get(c) == PF_PEER_INBOUND)
		return 1;
	if (pf_is_observed(c->s->flags, c->answer.reason)) /* told once, not for each packet */
		remember((c->k->flags & PF_SOCK_CONNECTED) ? &c->k->peer : &c->k->last, c);
	return drop_packet(c, was_allowed(c) ? PF_DENY_REVOKED : c->answer.reason);
}

static __always_inline int egress(struct __sk_buff *skb)
{
	struct pf_case c = { .op = PF_OP_PACKET };
	struct packet p = {};
	struct bpf_sock *sk = skb->sk;
	int fine;

	c.s = session_here();
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	if (!c.s || !sk)
		return 0;
	c.k = bpf_sk_storage_get(&socks, sk, 0, 0);
	if (!c.k) /* made by the kernel, by no hook of ours */
		return 0;
	fine = pf_parse(skb, &p);
	c.ask.addr = p.to;
	c.ask.port = p.to_port;
	c.ask.proto = p.proto;
	c.answer.rule = PF_RULE_NONE;
	if (!fine || (p.proto == PF_ICMP && !(c.s->flags & PF_WITH_ICMP)))
		return drop_packet(&c, PF_DENY_PACKET);
	if (p.proto == PF_TCP)
		return egress_tcp(skb, &c, sk->state, &p);
	return egress_datagram(skb, &c, &p);
}

/* Is the local port of the packet one that its sender may reach? */
static __always_inline _Bool is_inbound(const struct pf_case *c, const struct packet *p)
{
	struct pf_world w = { 0, c->s->rules, c->s->flags };
	struct pf_ask local = { .port = p->to_port, .proto = p->proto };
	__u32 rule = PF_RULE_NONE;

	if (!(w.flags & PF_HAS_INBOUND))
		return 0;
	if (pf_world_port(&w, PF_SET_INBOUND, &local, &rule))
		return 1;
	return pf_is_loopback(&p->from) && pf_world_port(&w, PF_SET_INBOUND_LOCAL, &local, &rule);
}

/* An answer to what an unconnected socket sent. */
static __always_inline _Bool is_answer(const struct pf_case *c)
{
	return (c->k->last.port == c->ask.port && pf_same(&c->k->last.addr, &c->ask.addr)) ||
	       is_resolver(c) || peer_get(c) != 0;
}

/* A packet that opens something: to a listener, or to an unconnected datagram socket. */
static __always_inline int ingress_new(struct __sk_buff *skb, struct pf_case *c,
				       const struct packet *p)
{
	if (is_inbound(c, p)) {
		if (p->proto == PF_UDP)
			peer_put(c, PF_PEER_INBOUND);
		return 1;
	}
	if (p->proto == PF_UDP && is_answer(c))
		return 1;
	if (owner_of(skb, c, &p->to, p->to_port) == OWNER_SESSION)
		return 1;
	c->ask.port = p->to_port;
	return drop_packet(c, PF_DENY_INBOUND);
}

static __always_inline int ingress(struct __sk_buff *skb)
{
	struct pf_case c = { .op = PF_OP_INBOUND };
	struct packet p = {};
	struct bpf_sock *sk = skb->sk;

	c.s = session_here();
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	if (!c.s || !sk)
		return 0;
	c.k = bpf_sk_storage_get(&socks, sk, 0, 0);
	if (!c.k)
		return 0;
	c.answer.rule = PF_RULE_NONE;
	if (sk->protocol == PF_TCP && sk->state != SK_LISTEN)
		return is_revoked(&c, PF_TCP) ? drop_packet(&c, PF_DENY_REVOKED) : 1;
	if (sk->protocol == PF_UDP && sk->state == SK_ESTABLISHED)
		return is_revoked(&c, PF_UDP) ? drop_packet(&c, PF_DENY_REVOKED) : 1;
	if (sk->protocol != PF_TCP && sk->protocol != PF_UDP)
		return (c.s->flags & PF_WITH_ICMP) != 0;
	if (!pf_parse(skb, &p))
		return 0;
	if (sk->protocol == PF_TCP) /* a listener's children start with no connection of its own */
		c.k->flags = 0;
	c.ask.addr = p.from;
	c.ask.port = p.from_port;
	c.ask.proto = p.proto;
	c.answer.rule = PF_RULE_NONE;
	return ingress_new(skb, &c, &p);
}

#endif
