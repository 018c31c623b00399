/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the kernel side and user space share: layouts and numbers.  In every enum zero means deny.
 * Ports are in host order; addresses are in network order, 128 bit, IPv4 as ::ffff:a.b.c.d.
 */
#ifndef PINFOLD_ABI_H
#define PINFOLD_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define PINFOLD_ABI_VERSION 2

/* Why a destination was let through or refused.  The order is not a ranking.  The words for each
 * stand in src/net/words.c. */
enum pf_reason {
	PF_DENY_UNFILLED = 0, /* no session is known for this cgroup, or its maps are not filled */
	PF_DENY_METADATA,     /* cloud metadata or link-local */
	PF_DENY_NEVER,        /* unspecified, multicast, broadcast, reserved, transition forms */
	PF_DENY_RULE,         /* an entry of denyOutbound */
	PF_DENY_LOOPBACK,     /* loopback without a literal */
	PF_DENY_PRIVATE,      /* private space or the host's own address without a literal */
	PF_DENY_UNMATCHED,    /* no entry, no name led there */
	PF_DENY_PORT,         /* the address is allowed, this port or protocol is not */
	PF_DENY_EXPIRED,      /* a name led there once; its lifetime has ended */
	PF_DENY_SOCKET,       /* a kind of socket that is never let through */
	PF_DENY_BIND,         /* binding that address or port */
	PF_DENY_INBOUND,      /* a packet from outside to a socket of the session */
	PF_DENY_PACKET,       /* source route, IP options, extension headers, unparsable */
	PF_DENY_UNIX,         /* a unix socket outside the session */
	PF_DENY_REVOKED,      /* the flow was allowed once, a reload took that back */
	PF_DENY_SNI,          /* the server name is not one that is allowed for the address */
	PF_DENY_MAX,

	PF_ALLOW = 64, /* from here on: let through */
	PF_ALLOW_LITERAL = PF_ALLOW,
	PF_ALLOW_VOUCHED,  /* an answer for an allowed name led there */
	PF_ALLOW_OWN,      /* the session's own listener */
	PF_ALLOW_DNS,      /* port 53: steered to the session's resolver */
	PF_ALLOW_NOSEND,   /* a datagram connect to port 0: no packet can follow */
	PF_ALLOW_METADATA, /* dangerouslyAllowMetadata and a literal */
	PF_ALLOW_ANY,      /* the entry "*" */
	PF_ALLOW_VERIFY,   /* through the relay, which asks for the server name first */
	PF_ALLOW_END,
};

/* 16 bytes in network order, for each width of access. */
union pf_addr {
	__u8 b[16];
	__u32 w[4];
	__u64 d[2];
};

/* The protocols that rules know.  ICMPv6 counts as ICMP. */
#define PF_TCP 6
#define PF_UDP 17
#define PF_ICMP 1

/* Ports that the session's resolver has: so many servers of a datagram socket are told apart. */
#define PF_RESOLVER_PORTS 4

#define PF_NEVER_ENDS (~0ULL) /* a lifetime */
#define PF_HOST_ADDRS_MAX 4096
#define PF_RULE_NONE 0xffffffffu
#define PF_RULE_DENY 0x80000000u    /* | index into denyOutbound */
#define PF_RULE_INBOUND 0x40000000u /* | index into allowInbound; plain: into allowOutbound */
#define PF_RULE_VERIFY 0x20000000u  /* | index: TCP goes through the relay */

/* Flags of a session. */
#define PF_HAS_DENY (1u << 0)    /* the deny trie is not empty */
#define PF_HAS_ANY (1u << 1)     /* "*" is allowed for some port */
#define PF_HAS_INBOUND (1u << 2) /* some port is open to others */
#define PF_WITH_ICMP (1u << 3)
#define PF_WITH_METADATA (1u << 4)
#define PF_TELL_ALLOWED (1u << 5) /* allows become events too */
#define PF_OBSERVE (1u << 8)      /* what a rule could open is let through, and told as denied */

/* What the storage of an attached cgroup holds.  All zero: not filled, everything is denied. */
struct pf_session {
	__u32 id; /* 0: not filled */
	__u32 flags;
	__u32 rules; /* the rules that hold: their number in the keys below, growing */
	__u32 cut;   /* connections that older rules let through are judged anew */
	__u16 resolver_port[PF_RESOLVER_PORTS]; /* 0: port 53 is denied; TCP: the first */
	__u16 deny_errno;
	__u16 relay_port; /* 0: what wants the relay is denied */
	__u32 pad;
	__u64 allowed;
	__u64 denied;
	__u64 lost; /* events that did not fit the ring */
};
_Static_assert(sizeof(struct pf_session) == 56, "layout is shared with the kernel side");

/* Key of the tries of literal destinations.  The value is the number of a port set (__u32): the
 * ports of every entry that covers the prefix, so that one look-up per trie is enough. */
struct pf_net_key {
	__u32 prefix_len; /* of what follows, in bits */
	__u32 rules;
	union pf_addr addr;
};
_Static_assert(sizeof(struct pf_net_key) == 24, "layout is shared with the kernel side");
#define PF_NET_BITS 32 /* in front of the address */

/* Key of the trie of port sets; a range is a few power-of-two prefixes.  The value is the index of
 * a rule (__u32). */
struct pf_port_key {
	__u32 prefix_len;
	__u32 rules;
	__u32 set;
	__u16 proto;
	__u16 port; /* network order, so that bits lead */
};
_Static_assert(sizeof(struct pf_port_key) == 16, "layout is shared with the kernel side");
#define PF_PORT_BITS 80

#define PF_SET_NONE 0          /* no set: never in the trie */
#define PF_SET_ANY 1           /* of the entries "*" */
#define PF_SET_INBOUND 2       /* ports that anyone may reach */
#define PF_SET_INBOUND_LOCAL 3 /* ports that this host's loopback may reach */
#define PF_SET_FIRST 16        /* of literal prefixes */

/* Key of the trie of vouched addresses. */
struct pf_vouch_key {
	__u32 prefix_len;
	__u32 rules;
	union pf_addr addr;
	__u16 proto;
	__u16 port; /* network order */
	__u32 pad;
};
_Static_assert(sizeof(struct pf_vouch_key) == 32, "layout is shared with the kernel side");
#define PF_VOUCH_ADDR_BITS 160 /* the address alone: known, whatever the port */
#define PF_VOUCH_PORT_BITS 176

struct pf_vouch {
	__u64 until; /* CLOCK_MONOTONIC, nanoseconds */
	__u32 rule;  /* PF_RULE_NONE: the entry of the address alone */
	__u32 pad;
};
_Static_assert(sizeof(struct pf_vouch) == 16, "layout is shared with the kernel side");

/* A destination to be judged. */
struct pf_ask {
	union pf_addr addr;
	__u16 port;
	__u16 proto; /* PF_TCP, PF_UDP or PF_ICMP (then the port means nothing) */
	__u32 pad;
};
_Static_assert(sizeof(struct pf_ask) == 24, "layout is shared with the kernel side");

enum pf_tries { PF_TRIE_DENY = 0, PF_TRIE_ALLOW };

/* Does a list of literals name the address; and the port too? */
enum pf_hit { PF_MISS = 0, PF_HIT_ADDR, PF_HIT };

/* A destination that was let through, and how long that holds. */
struct pf_flow {
	union pf_addr addr;
	__u64 until;
	__u32 generation; /* of what the rules refer to */
	__u32 rules;      /* that it was judged by */
	__u16 port;
	__u16 pad[3];
};
_Static_assert(sizeof(struct pf_flow) == 40, "layout is shared with the kernel side");

#define PF_SOCK_CONNECTED (1u << 0) /* `peer` is what connect was let through for */
#define PF_SOCK_DNS (1u << 1)       /* steered to the resolver; `asked` is the server it meant */
#define PF_SOCK_OWN (1u << 2)       /* connected to a listener of the session */
#define PF_SOCK_RELAY (1u << 3)     /* steered to the relay; `asked` is the server it meant */

/* What is known of a socket that the session made. */
struct pf_sock {
	__u32 session;
	__u32 flags;
	__u32 pid; /* of the maker */
	__u32 uid;
	__u64 cookie;
	struct pf_flow peer;
	struct pf_flow last; /* of an unconnected datagram socket */
	union pf_addr
	    asked[PF_RESOLVER_PORTS]; /* by the resolver's port; of the relay: the first */
	__u32 asked_rule;             /* PF_SOCK_RELAY: the entry that let it through */
	__u16 asked_port;             /* of the relay */
	__u8 asked_last;              /* the newest of `asked` */
	__u8 asked_peer;              /* the one that connect was for */
};
_Static_assert(sizeof(struct pf_sock) == 176, "layout is shared with the kernel side");

/* Key of the recent peers of unconnected datagram sockets. */
struct pf_peer_key {
	__u64 cookie;
	union pf_addr addr;
	__u16 port;
	__u16 pad[3];
};
_Static_assert(sizeof(struct pf_peer_key) == 32, "layout is shared with the kernel side");
#define PF_PEER_SENT 1    /* the session sent to it: an answer may come */
#define PF_PEER_INBOUND 2 /* it was let in: an answer may go */

/* A connection on its way to the relay, by the session's end of it; and where it was meant to go.
 */
struct pf_relay_key {
	union pf_addr addr;
	__u32 session;
	__u16 port;
	__u16 pad;
};
_Static_assert(sizeof(struct pf_relay_key) == 24, "layout is shared with the kernel side");

struct pf_relayed {
	union pf_addr addr;
	__u64 since; /* CLOCK_MONOTONIC, nanoseconds */
	__u32 rule;
	__u32 pid; /* of the socket's maker */
	__u32 uid;
	__u16 port;
	__u16 rules; /* the low bits of their number */
};
_Static_assert(sizeof(struct pf_relayed) == 40, "layout is shared with the kernel side");

enum pf_op {
	PF_OP_NONE = 0,
	PF_OP_SOCKET,
	PF_OP_BIND,
	PF_OP_CONNECT,
	PF_OP_SENDMSG,
	PF_OP_PACKET,
	PF_OP_INBOUND,
	PF_OP_UNIX_CONNECT,
	PF_OP_UNIX_SENDMSG,
	PF_OP_MAX,
};

#define PF_UNIX_PATH 108

struct pf_event {
	union pf_addr addr;
	__u32 session;
	__u32 pid;
	__u32 uid;
	__u32 rule;
	__u16 reason;
	__u8 op;
	__u8 rules; /* the low bits of the number of the rules that `rule` is one of */
	__u16 port;
	__u16 proto; /* as the socket says; a socket that was refused: its type in the high byte */
};
_Static_assert(sizeof(struct pf_event) == 40, "layout is shared with the kernel side");

struct pf_unix_event {
	struct pf_event head;
	char path[PF_UNIX_PATH]; /* as the program gave it; abstract names start with a NUL */
	__u32 pad;
};
_Static_assert(sizeof(struct pf_unix_event) == 152, "layout is shared with the kernel side");

/* Key of the trie of paths where a session may reach unix sockets: "/tree/" and "/exact\0". */
struct pf_path_key {
	__u32 prefix_len;
	__u32 session;
	char path[PF_UNIX_PATH];
};
_Static_assert(sizeof(struct pf_path_key) == 116, "layout is shared with the kernel side");

#endif
