/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the verdict for a destination.
 *
 * Pure decisions, the same text in the kernel, under cmocka, in the fuzzer and behind `why`.  What
 * they need to look up they ask of a `struct pf_world`, which whoever includes this defines first
 * (and says so by defining PF_WORLD), together with
 *
 *	enum pf_hit pf_world_match(w, trie, addr, ask, &rule)  the literal entries
 *	bool pf_world_port(w, set, ask, &rule)      does the set hold that port and protocol?
 *	bool pf_world_vouch(w, addr, ask, &vouch)   the entry of a vouched address
 *	bool pf_world_is_host(w, addr)              an address of one of the host's interfaces?
 *
 * and members `flags` (PF_HAS_...) and `now` (monotonic nanoseconds).  The order of judgement is
 *the one of docs/design.md; nothing here widens when a look-up fails.
 */
#ifndef PINFOLD_VERDICT_H
#define PINFOLD_VERDICT_H

#include "abi.h"

/* A part is a function of its own to the verifier, which looks at it once instead of along each
 * path that leads there: programs load several times as fast.  Its pointers may then be NULL. */
#ifdef __bpf__
#define pf_inline static __attribute__((always_inline)) inline
#define pf_part __attribute__((noinline))
#else
#define pf_inline static inline
#define pf_part static inline
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PF_BE32(x) __builtin_bswap32((__u32)(x))
#define PF_BE16(x) __builtin_bswap16((__u16)(x))
#else
#define PF_BE32(x) ((__u32)(x))
#define PF_BE16(x) ((__u16)(x))
#endif

#define PF_V4_MARK PF_BE32(0xffff) /* w[2] of ::ffff:a.b.c.d */

enum pf_class {
	PF_CLASS_NEVER = 0,
	PF_CLASS_METADATA,
	PF_CLASS_LOOPBACK,
	PF_CLASS_PRIVATE,
	PF_CLASS_DOCUMENTATION, /* public, even where an interface carries it */
	PF_CLASS_PUBLIC,
};

struct pf_answer {
	__u64 until; /* how long an allow holds */
	__u32 reason;
	__u32 rule;
};

pf_inline void pf_addr_v4(union pf_addr *a, __u32 network_order)
{
	a->w[0] = 0;
	a->w[1] = 0;
	a->w[2] = PF_V4_MARK;
	a->w[3] = network_order;
}

pf_inline _Bool pf_is_v4(const union pf_addr *a)
{
	return a->w[0] == 0 && a->w[1] == 0 && a->w[2] == PF_V4_MARK;
}

/* As written: a form with a loopback address inside is none. */
pf_inline _Bool pf_is_loopback(const union pf_addr *a)
{
	if (pf_is_v4(a))
		return (a->w[3] & PF_BE32(0xff000000)) == PF_BE32(0x7f000000);
	return a->d[0] == 0 && a->w[2] == 0 && a->w[3] == PF_BE32(1);
}

/* The wildcard of either family. */
pf_inline _Bool pf_is_unspecified(const union pf_addr *a)
{
	return a->d[0] == 0 && (a->d[1] == 0 || (a->w[2] == PF_V4_MARK && a->w[3] == 0));
}

pf_inline _Bool pf_same(const union pf_addr *a, const union pf_addr *b)
{
	return a->d[0] == b->d[0] && a->d[1] == b->d[1];
}

/* The address that a is judged by: the IPv4 address inside a NAT64, 6to4 or IPv4-translated form,
 * else a itself. */
pf_part int pf_inner(const union pf_addr *a, union pf_addr *ret)
{
	if (!a || !ret)
		return 0;
	if (a->w[1] == 0 && ((a->w[0] == PF_BE32(0x0064ff9b) && a->w[2] == 0) ||
			     (a->w[0] == 0 && a->w[2] == PF_BE32(0xffff0000))))
		pf_addr_v4(ret, a->w[3]);
	else if ((a->w[0] & PF_BE32(0xffff0000)) == PF_BE32(0x20020000))
		pf_addr_v4(ret, PF_BE32((PF_BE32(a->w[0]) << 16) | (PF_BE32(a->w[1]) >> 16)));
	else
		*ret = *a;
	return 0;
}

/* a in host order */
pf_inline enum pf_class pf_classify_v4(__u32 a)
{
	if (a >> 16 == 0xa9fe || a == 0x646464c8 || a == 0xa83f8110 || a == 0xc00000c0)
		return PF_CLASS_METADATA;
	if (a >> 24 == 0 || a >> 8 == 0xc00000 || a >> 29 == 7)
		return PF_CLASS_NEVER;
	if (a >> 24 == 127)
		return PF_CLASS_LOOPBACK;
	if (a >> 24 == 10 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 || a >> 22 == 0x191 ||
	    a >> 17 == 0x6309)
		return PF_CLASS_PRIVATE;
	if (a >> 8 == 0xc00002 || a >> 8 == 0xc63364 || a >> 8 == 0xcb0071)
		return PF_CLASS_DOCUMENTATION;
	return PF_CLASS_PUBLIC;
}

pf_inline _Bool pf_is_metadata_v6(const __u32 w[4])
{
	if ((w[0] & 0xffc00000) == 0xfe800000 || w[0] == 0xfd000ec2)
		return 1;
	if (w[1] != 0)
		return 0;
	if (w[0] == 0xfd2000ce)
		return w[2] == 0 && w[3] == 0x254;
	if (w[0] == 0xfd0000c1)
		return w[2] == 0 && w[3] == 0xa9fea9fe;
	return w[0] == 0xfd000042 && w[2] == 0 && w[3] == 0x42;
}

/* w in host order */
pf_inline enum pf_class pf_classify_v6(const __u32 w[4])
{
	if (w[0] == 0 && w[1] == 0 && w[2] == 0)
		return w[3] == 1 ? PF_CLASS_LOOPBACK : PF_CLASS_NEVER;
	if (pf_is_metadata_v6(w))
		return PF_CLASS_METADATA;
	if (w[0] >> 24 == 0xff || w[0] == 0x20010000 || (w[0] == 0x0064ff9b && w[1] >> 16 == 1) ||
	    (w[2] & 0xfdffffff) == 0x00005efe)
		return PF_CLASS_NEVER;
	if (w[0] >> 25 == 0xfc >> 1 || (w[0] & 0xffc00000) == 0xfec00000)
		return PF_CLASS_PRIVATE;
	return w[0] == 0x20010db8 ? PF_CLASS_DOCUMENTATION : PF_CLASS_PUBLIC;
}

/* Of an address that pf_inner gave. */
pf_part int pf_classify(const union pf_addr *inner)
{
	if (!inner)
		return PF_CLASS_NEVER;
	if (pf_is_v4(inner))
		return pf_classify_v4(PF_BE32(inner->w[3]));

	const __u32 host[4] = { PF_BE32(inner->w[0]), PF_BE32(inner->w[1]), PF_BE32(inner->w[2]),
				PF_BE32(inner->w[3]) };

	return pf_classify_v6(host);
}

#ifdef PF_WORLD

/* A deny counts for the address as it was written, too: a wide one may cover a transition form and
 * not the IPv4 address inside it. */
pf_inline _Bool pf_is_denied(const struct pf_world *w, const union pf_addr *inner,
			     const struct pf_ask *ask, __u32 *rule)
{
	if (!(w->flags & PF_HAS_DENY))
		return 0;
	if (pf_world_match(w, PF_TRIE_DENY, inner, ask, rule) == PF_HIT)
		return 1;
	return !pf_same(inner, &ask->addr) &&
	       pf_world_match(w, PF_TRIE_DENY, &ask->addr, ask, rule) == PF_HIT;
}

/* Only TCP has a server name to ask for. */
pf_inline enum pf_reason pf_allowed_by(const struct pf_ask *ask, __u32 rule, enum pf_reason reason)
{
	if (ask->proto == PF_TCP && rule != PF_RULE_NONE && (rule & PF_RULE_VERIFY))
		return PF_ALLOW_VERIFY;
	return reason;
}

/* Public space: an answer for a name led there, or everything is allowed. */
pf_inline enum pf_reason pf_judge_public(const struct pf_world *w, const union pf_addr *inner,
					 const struct pf_ask *ask, struct pf_answer *ret)
{
	struct pf_vouch v = { 0 };
	_Bool known = pf_world_vouch(w, inner, ask, &v);
	_Bool fits = known && (v.rule != PF_RULE_NONE || ask->proto == PF_ICMP);

	if (fits && w->now < v.until) {
		ret->until = v.until;
		ret->rule = v.rule;
		return pf_allowed_by(ask, v.rule, PF_ALLOW_VOUCHED);
	}
	if ((w->flags & PF_HAS_ANY) && pf_world_port(w, PF_SET_ANY, ask, &ret->rule))
		return pf_allowed_by(ask, ret->rule, PF_ALLOW_ANY);
	if (!known)
		return PF_DENY_UNMATCHED;
	ret->rule = v.rule;
	return w->now < v.until ? PF_DENY_PORT : PF_DENY_EXPIRED;
}

/* The reason when no entry names the address and port. */
pf_inline enum pf_reason pf_judge_unnamed(const struct pf_world *w, int class,
					  const union pf_addr *inner, const struct pf_ask *ask,
					  struct pf_answer *ret)
{
	if (class == PF_CLASS_LOOPBACK)
		return PF_DENY_LOOPBACK;
	if (class == PF_CLASS_METADATA)
		return PF_DENY_METADATA;
	if (class == PF_CLASS_PRIVATE || (class == PF_CLASS_PUBLIC && pf_world_is_host(w, inner)))
		return PF_DENY_PRIVATE;
	return pf_judge_public(w, inner, ask, ret);
}

/* Judges ask, all but one thing: the session's own listeners (see pf_with_own). */
pf_inline void pf_judge(const struct pf_world *w, const struct pf_ask *ask, struct pf_answer *ret)
{
	union pf_addr inner = { { 0 } };
	int class;
	enum pf_hit hit;

	pf_inner(&ask->addr, &inner);
	class = pf_classify(&inner);
	ret->until = PF_NEVER_ENDS;
	ret->rule = PF_RULE_NONE;
	ret->reason = PF_DENY_NEVER;
	if (class == PF_CLASS_NEVER)
		return;
	ret->reason = PF_DENY_METADATA;
	if (class == PF_CLASS_METADATA && !(w->flags & PF_WITH_METADATA))
		return;
	ret->reason = PF_DENY_RULE;
	if (pf_is_denied(w, &inner, ask, &ret->rule))
		return;
	hit = pf_world_match(w, PF_TRIE_ALLOW, &inner, ask, &ret->rule);
	if (hit == PF_HIT) {
		ret->reason = class == PF_CLASS_METADATA ? PF_ALLOW_METADATA : PF_ALLOW_LITERAL;
		return;
	}
	ret->reason = pf_judge_unnamed(w, class, &inner, ask, ret);
	if (hit == PF_HIT_ADDR &&
	    (ret->reason == PF_DENY_UNMATCHED || ret->reason == PF_DENY_PRIVATE))
		ret->reason = PF_DENY_PORT;
}

#endif /* PF_WORLD */

/* Whether a connection that was let through once may go on: a lifetime that has ended cuts
 * nothing, but one past the relay is none to a server whose name has to be verified now. */
pf_inline _Bool pf_flow_holds(const struct pf_answer *a)
{
	if (a->reason == PF_DENY_EXPIRED)
		return a->rule != PF_RULE_NONE && !(a->rule & PF_RULE_VERIFY);
	return a->reason >= PF_ALLOW && a->reason != PF_ALLOW_VERIFY;
}

/* By the flags of a socket: connected to a destination that rules decide about. */
pf_inline _Bool pf_is_outbound(__u32 flags)
{
	const __u32 others = PF_SOCK_DNS | PF_SOCK_OWN | PF_SOCK_RELAY;

	return (flags & (PF_SOCK_CONNECTED | others)) == PF_SOCK_CONNECTED;
}

/* Whether the session's own listener is what a loopback destination reaches is asked last, since
 * only the hooks can tell; denyOutbound has had its say by then. */
pf_inline void pf_with_own(struct pf_answer *ret, _Bool is_own)
{
	if (ret->reason == PF_DENY_LOOPBACK && is_own)
		ret->reason = PF_ALLOW_OWN;
}

/* Observing lets through what some rule could open.  Metadata, the never-list, odd sockets and
 * packets, and whatever comes from outside stay shut. */
pf_inline _Bool pf_is_observed(__u32 flags, __u32 reason)
{
	if (!(flags & PF_OBSERVE))
		return 0;
	return reason == PF_DENY_RULE || reason == PF_DENY_LOOPBACK || reason == PF_DENY_PRIVATE ||
	       reason == PF_DENY_UNMATCHED || reason == PF_DENY_PORT || reason == PF_DENY_EXPIRED ||
	       reason == PF_DENY_BIND;
}

/* What a socket may be. */
pf_inline _Bool pf_socket_allowed(__u32 flags, __u32 type, __u32 proto)
{
	/* SOCK_STREAM, SOCK_DGRAM, SOCK_RAW; 1 and 58 are ICMP and ICMPv6 */
	if (type == 1)
		return proto == 0 || proto == PF_TCP;
	if (type == 2 && (proto == 0 || proto == PF_UDP))
		return 1;
	return (type == 2 || type == 3) && (proto == PF_ICMP || proto == 58) &&
	       (flags & PF_WITH_ICMP);
}

enum pf_bind { PF_BIND_DENY = 0, PF_BIND_KEEP, PF_BIND_LOOPBACK };

#ifdef PF_WORLD

/* What becomes of binding to addr: port and protocol as in ask.  A v6 wildcard stays one, since it
 * may serve both families and no loopback address does; the ingress hook shuts it to others, as it
 * does a wildcard that a listen without bind makes.  The port 0 of a datagram socket is for
 * sending. */
pf_inline enum pf_bind pf_judge_bind(const struct pf_world *w, const struct pf_ask *ask)
{
	_Bool wild = pf_is_unspecified(&ask->addr);
	_Bool wild4 = wild && pf_is_v4(&ask->addr);
	_Bool wild6 = wild && !wild4;
	__u32 rule = PF_RULE_NONE;

	if (ask->proto == PF_ICMP || pf_is_loopback(&ask->addr))
		return PF_BIND_KEEP;
	if ((w->flags & PF_HAS_INBOUND) && pf_world_port(w, PF_SET_INBOUND, ask, &rule))
		return PF_BIND_KEEP;
	if (wild6 || (ask->proto == PF_UDP && ask->port == 0))
		return PF_BIND_KEEP;
	return wild4 ? PF_BIND_LOOPBACK : PF_BIND_DENY;
}

#endif /* PF_WORLD */

#endif
