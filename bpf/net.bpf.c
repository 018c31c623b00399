// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the network fence.
 *
 * sock_create says what kinds of socket there are, and marks each as the session's.  connect and
 * sendmsg judge destinations while the caller can still be told an errno, and steer port 53 to the
 * session's resolver, and what wants a verified server name to its relay; recvmsg and getpeername
 * hide that steering.  bind keeps listeners on
 * loopback.  egress and ingress see every packet: they are what holds when the other hooks are got
 * round (source routes, control messages, expired lifetimes, listeners that bound themselves).
 *
 * Which session it is comes from storage of the cgroup that the program is attached to, never from
 * the current task.  A session that is not filled, a socket that is not marked, a packet that can't
 * be parsed: denied.  UAPI headers only: loading reads no kernel types.
 */
#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "net_case.bpf.h"
#include "net_packet.bpf.h"

#define DNS_PORT 53
#define ECONNREFUSED 111 /* asm-generic/errno.h */

/* Context fields are read through volatile: merged loads would be at a computed offset, which the
 * verifier refuses. */
#define FIELD(ctx, name) (((volatile struct bpf_sock_addr *)(ctx))->name)

static __always_inline void addr4(struct bpf_sock_addr *ctx, struct pf_ask *ret)
{
	pf_addr_v4(&ret->addr, FIELD(ctx, user_ip4));
	ret->port = bpf_ntohs((__u16)FIELD(ctx, user_port));
}

static __always_inline void addr6(struct bpf_sock_addr *ctx, struct pf_ask *ret)
{
	ret->addr.w[0] = FIELD(ctx, user_ip6[0]);
	ret->addr.w[1] = FIELD(ctx, user_ip6[1]);
	ret->addr.w[2] = FIELD(ctx, user_ip6[2]);
	ret->addr.w[3] = FIELD(ctx, user_ip6[3]);
	ret->port = bpf_ntohs((__u16)FIELD(ctx, user_port));
}

static __always_inline void set_addr4(struct bpf_sock_addr *ctx, const union pf_addr *a, __u16 port)
{
	FIELD(ctx, user_ip4) = a->w[3];
	FIELD(ctx, user_port) = bpf_htons(port);
}

static __always_inline void set_addr6(struct bpf_sock_addr *ctx, const union pf_addr *a, __u16 port)
{
	FIELD(ctx, user_ip6[0]) = a->w[0];
	FIELD(ctx, user_ip6[1]) = a->w[1];
	FIELD(ctx, user_ip6[2]) = a->w[2];
	FIELD(ctx, user_ip6[3]) = a->w[3];
	FIELD(ctx, user_port) = bpf_htons(port);
}

/* Fills session, socket and protocol; false: deny. */
static __always_inline _Bool begin(struct bpf_sock_addr *ctx, struct pf_case *c)
{
	__u32 proto = FIELD(ctx, protocol);
	struct bpf_sock *sk = ctx->sk;

	c->s = session_here();
	if (!c->s || !sk)
		return 0;
	c->k = bpf_sk_storage_get(&socks, sk, 0, 0);
	c->ask.proto = proto == 58 ? PF_ICMP : proto;
	return c->k != 0;
}

/* The loopback address of the family that the program speaks. */
static __always_inline void to_loopback(union pf_addr *a)
{
	if (pf_is_v4(a)) {
		a->w[3] = bpf_htonl(0x7f000001);
		return;
	}
	a->d[0] = 0;
	a->w[2] = 0;
	a->w[3] = bpf_htonl(1);
}

static __always_inline _Bool wants_dns(const struct pf_case *c)
{
	return c->ask.port == DNS_PORT && (c->ask.proto == PF_UDP || c->ask.proto == PF_TCP);
}

/* Without CAP_PERFMON an index that is known only at run time is refused: tables are gone through
 * instead, and this keeps the compiler from making an index of it again. */
static __always_inline _Bool is_at(__u32 at, __u32 i)
{
	asm volatile("" : "+r"(at));
	return at == i;
}

/*
 * A datagram socket may ask several servers before it reads an answer, and some programs take an
 * answer only from the one that they asked.  So each server that a socket asks has a port of the
 * resolver to itself, as long as there are enough of them, and where an answer comes from tells
 * whose it is.  The server that the socket is connected to keeps its own.
 */
static __noinline __u32 port_for_server(struct pf_case *c)
{
	__u32 at = PF_RESOLVER_PORTS;

	if (c->ask.proto == PF_TCP || !c->s->resolver_port[PF_RESOLVER_PORTS - 1])
		return 0;
#pragma unroll
	for (__u32 i = 0; i < PF_RESOLVER_PORTS; i++)
		if (pf_same(&c->k->asked[i], &c->ask.addr))
			at = i;
	if (at < PF_RESOLVER_PORTS)
		return at;
	at = c->k->asked_last + 1;
	if ((c->k->flags & PF_SOCK_CONNECTED) && at % PF_RESOLVER_PORTS == c->k->asked_peer)
		at++;
	return at % PF_RESOLVER_PORTS;
}

/* Port 53 of whatever server means the session's resolver.  On success ask is its address. */
static __always_inline int steer(struct pf_case *c)
{
	__u32 at;
	int ok;

	c->answer.rule = PF_RULE_NONE;
	c->answer.reason = c->s->resolver_port[0] ? PF_ALLOW_DNS : PF_DENY_UNMATCHED;
	ok = conclude(c);
	if (!ok)
		return 0;
	at = port_for_server(c);
#pragma unroll
	for (__u32 i = 0; i < PF_RESOLVER_PORTS; i++) {
		if (is_at(at, i)) {
			c->k->asked[i] = c->ask.addr;
			c->ask.port = c->s->resolver_port[i];
		}
	}
	c->k->asked_last = at;
	c->k->flags |= PF_SOCK_DNS;
	to_loopback(&c->ask.addr);
	return 1;
}

/* A server whose name is to be verified means the relay.  Whether that is an allow, its judgement
 * of the name tells: nothing is counted yet. */
static __always_inline int steer_to_relay(struct pf_case *c)
{
	if (!c->s->relay_port) {
		c->answer.reason = PF_DENY_SNI;
		return conclude(c);
	}
	c->k->asked[0] = c->ask.addr;
	c->k->asked_port = c->ask.port;
	c->k->asked_rule = c->answer.rule;
	c->k->flags = PF_SOCK_CONNECTED | PF_SOCK_RELAY;
	to_loopback(&c->ask.addr);
	c->ask.port = c->s->relay_port;
	return 1;
}

/* Of itself nothing goes to the relay, whatever of loopback is open, observed or not. */
static __always_inline _Bool names_relay(const struct pf_case *c)
{
	return c->s->relay_port && c->ask.port == c->s->relay_port && c->ask.proto == PF_TCP &&
	       pf_is_loopback(&c->ask.addr);
}

/* A listener of the session is reached from the socket's own address, where it has one. */
static __always_inline enum owner listener_of(struct bpf_sock_addr *ctx, const struct pf_case *c)
{
	struct bpf_sock *sk = ctx->sk;

	return owner_of(ctx, c, &c->ask.addr, sk ? sk->src_port : 0);
}

static __noinline int connect_case(struct bpf_sock_addr *ctx, struct pf_case *c)
{
	enum owner owner = OWNER_OTHER;
	_Bool own;
	int ok;

	c->k->flags = 0;
	c->k->peer.until = 0;
	/* getaddrinfo sorts addresses by connecting datagram sockets to port 0: nothing is sent. */
	if (c->ask.proto == PF_UDP && c->ask.port == 0)
		return 1;
	if (wants_dns(c)) {
		if (!steer(c))
			return 0;
		c->k->flags |= PF_SOCK_CONNECTED;
		c->k->asked_peer = c->k->asked_last;
		return 1;
	}
	/* The same for a server's own wildcard and its port: refused, but nothing to tell. */
	if (c->ask.proto == PF_UDP && pf_is_unspecified(&c->ask.addr)) {
		bpf_set_retval(-(int)c->s->deny_errno);
		return 0;
	}
	if (names_relay(c)) {
		c->answer.rule = PF_RULE_NONE;
		c->answer.reason = PF_DENY_NEVER;
		return conclude(c);
	}
	judge(c);
	if (c->answer.reason == PF_ALLOW_VERIFY)
		return steer_to_relay(c);
	/* Nor to the port of the service that is asked for, over whatever protocol it runs: the
	 * address is known, and should a datagram follow, egress refuses and tells it.  When
	 * observing that is so for every address. */
	if (c->ask.proto == PF_UDP && pf_is_observed(c->s->flags, c->answer.reason)) {
		c->k->flags = PF_SOCK_CONNECTED;
		return 1;
	}
	if (c->ask.proto == PF_UDP && c->answer.reason == PF_DENY_PORT)
		return 1;
	if (c->answer.reason == PF_DENY_LOOPBACK)
		owner = listener_of(ctx, c);
	/* Programs wait for a server of theirs by trying until it listens. */
	if (owner == OWNER_NONE && c->answer.reason == PF_DENY_LOOPBACK) {
		bpf_set_retval(-ECONNREFUSED);
		return 0;
	}
	own = owner == OWNER_SESSION;
	pf_with_own(&c->answer, own);
	ok = conclude(c);
	if (!ok)
		return 0;
	c->k->flags = PF_SOCK_CONNECTED | (own ? PF_SOCK_OWN : 0);
	if (!own) /* an own listener may be replaced by somebody's: judged anew for each datagram */
		remember(&c->k->peer, c);
	return 1;
}

static __noinline int sendmsg_case(struct bpf_sock_addr *ctx, struct pf_case *c)
{
	int ok;

	/* A connected socket that sends with a control message comes without an address. */
	if (c->ask.port == 0)
		return (c->k->flags & PF_SOCK_CONNECTED) != 0;
	if (wants_dns(c))
		return steer(c);
	if (is_resolver(c) || still_holds(c, &c->k->last))
		return 1;
	judge(c);
	if (c->answer.reason == PF_DENY_LOOPBACK)
		pf_with_own(&c->answer, listener_of(ctx, c) == OWNER_SESSION);
	else if (c->answer.reason < PF_ALLOW && c->answer.reason != PF_DENY_RULE &&
		 peer_get(c) == PF_PEER_INBOUND)
		c->answer.reason = PF_ALLOW_OWN;
	ok = conclude(c);
	if (ok && c->answer.reason != PF_ALLOW_OWN) {
		remember(&c->k->last, c);
		peer_put(c, PF_PEER_SENT);
	}
	return ok;
}

/* The answer of a steered socket comes from the server that it asked: who that was. */
static __always_inline _Bool came_from_helper(struct bpf_sock_addr *ctx, struct pf_case *c)
{
	__u32 at;

	c->s = session_here();
	if (!c->s || !ctx->sk)
		return 0;
	c->k = bpf_sk_storage_get(&socks, ctx->sk, 0, 0);
	if (!c->k || !is_steered(c))
		return 0;
	at = resolver_port_of(c);
	c->ask.port = at < PF_RESOLVER_PORTS ? DNS_PORT : c->k->asked_port;
	at %= PF_RESOLVER_PORTS; /* the relay's: the first */
#pragma unroll
	for (__u32 i = 0; i < PF_RESOLVER_PORTS; i++)
		if (is_at(at, i))
			c->ask.addr = c->k->asked[i];
	return 1;
}

static __always_inline int unsteer4(struct bpf_sock_addr *ctx)
{
	struct pf_case c = {};

	addr4(ctx, &c.ask);
	if (came_from_helper(ctx, &c))
		set_addr4(ctx, &c.ask.addr, c.ask.port);
	return 1;
}

static __always_inline int unsteer6(struct bpf_sock_addr *ctx)
{
	struct pf_case c = {};

	addr6(ctx, &c.ask);
	if (came_from_helper(ctx, &c))
		set_addr6(ctx, &c.ask.addr, c.ask.port);
	return 1;
}

static __noinline int bind_case(struct pf_case *c)
{
	struct pf_world w = { 0, c->s->rules, c->s->flags };
	enum pf_bind what = pf_judge_bind(&w, &c->ask);

	if (what != PF_BIND_DENY)
		return what;
	c->answer.rule = PF_RULE_NONE;
	c->answer.reason = PF_DENY_BIND;
	return conclude(c);
}

static __always_inline int make_socket(struct bpf_sock *ctx)
{
	struct pf_case c = { .op = PF_OP_SOCKET };
	struct pf_sock *k;

	c.s = session_here();
	if (!c.s)
		return 0;
	if (!pf_socket_allowed(c.s->flags, ctx->type, ctx->protocol)) {
		c.ask.proto = ctx->protocol;
		c.answer.rule = PF_RULE_NONE;
		c.answer.reason = PF_DENY_SOCKET;
		return conclude(&c);
	}
	k = bpf_sk_storage_get(&socks, ctx, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!k)
		return 0;
	k->session = c.s->id;
	k->pid = bpf_get_current_pid_tgid() >> 32;
	k->uid = bpf_get_current_uid_gid();
	k->cookie = bpf_get_socket_cookie(ctx);
	k->asked_last = PF_RESOLVER_PORTS - 1;
	return 1;
}

SEC("cgroup/sock_create")
int pf_sock_create(struct bpf_sock *ctx)
{
	return make_socket(ctx);
}

SEC("cgroup/bind4")
int pf_bind4(struct bpf_sock_addr *ctx)
{
	struct pf_case c = { .op = PF_OP_BIND };
	int what;

	if (!begin(ctx, &c))
		return 0;
	addr4(ctx, &c.ask);
	what = bind_case(&c);
	if (what == PF_BIND_LOOPBACK)
		FIELD(ctx, user_ip4) = bpf_htonl(0x7f000001);
	return what != PF_BIND_DENY;
}

SEC("cgroup/bind6")
int pf_bind6(struct bpf_sock_addr *ctx)
{
	struct pf_case c = { .op = PF_OP_BIND };
	int what;

	if (!begin(ctx, &c))
		return 0;
	addr6(ctx, &c.ask);
	what = bind_case(&c);
	if (what == PF_BIND_LOOPBACK) /* ::ffff:0.0.0.0 */
		FIELD(ctx, user_ip6[3]) = bpf_htonl(0x7f000001);
	return what != PF_BIND_DENY;
}

#define DESTINATION_HOOK(section, name, family, what, which)                                       \
	SEC(section)                                                                               \
	int name(struct bpf_sock_addr *ctx)                                                        \
	{                                                                                          \
		struct pf_case c = { .op = which };                                                \
                                                                                                   \
		if (!begin(ctx, &c))                                                               \
			return 0;                                                                  \
		addr##family(ctx, &c.ask);                                                         \
		if (!what##_case(ctx, &c))                                                         \
			return 0;                                                                  \
		if (is_steered(&c))                                                                \
			set_addr##family(ctx, &c.ask.addr, c.ask.port);                            \
		return 1;                                                                          \
	}

DESTINATION_HOOK("cgroup/connect4", pf_connect4, 4, connect, PF_OP_CONNECT)
DESTINATION_HOOK("cgroup/connect6", pf_connect6, 6, connect, PF_OP_CONNECT)
DESTINATION_HOOK("cgroup/sendmsg4", pf_sendmsg4, 4, sendmsg, PF_OP_SENDMSG)
DESTINATION_HOOK("cgroup/sendmsg6", pf_sendmsg6, 6, sendmsg, PF_OP_SENDMSG)

SEC("cgroup/recvmsg4")
int pf_recvmsg4(struct bpf_sock_addr *ctx)
{
	return unsteer4(ctx);
}

SEC("cgroup/recvmsg6")
int pf_recvmsg6(struct bpf_sock_addr *ctx)
{
	return unsteer6(ctx);
}

SEC("cgroup/getpeername4")
int pf_getpeername4(struct bpf_sock_addr *ctx)
{
	return unsteer4(ctx);
}

SEC("cgroup/getpeername6")
int pf_getpeername6(struct bpf_sock_addr *ctx)
{
	return unsteer6(ctx);
}

SEC("cgroup_skb/egress")
int pf_egress(struct __sk_buff *skb)
{
	return egress(skb);
}

SEC("cgroup_skb/ingress")
int pf_ingress(struct __sk_buff *skb)
{
	return ingress(skb);
}

char _license[] SEC("license") = "GPL";
