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

#define PINFOLD_ABI_VERSION 1

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
	PF_ALLOW_END,
};

#endif
