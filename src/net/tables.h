/* SPDX-License-Identifier: MIT */
/* The rules of a policy as the tables that verdicts are looked up in: literal prefixes, each with
 * the set of ports of every entry that covers it, and ports as power-of-two prefixes. */
#ifndef PINFOLD_NET_TABLES_H
#define PINFOLD_NET_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "base/addr.h"

struct net_rule;
struct pinfold_error;
struct policy;

#define NET_PORTS_MAX (1u << 20) /* entries of all port sets of a policy together */
#define NET_RANGE_PARTS_MAX 32   /* prefixes that one range of ports falls into */
#define NET_ADDR_LEN_MAX 128

/* A block of ports: the first `len` bits of `port` (host order) are fixed. */
struct net_block {
	uint16_t port;
	uint8_t len; /* 0 to 16 */
};

struct net_port {
	uint32_t set;
	uint16_t proto;
	struct net_block block;
	uint32_t rule;
};

struct net_prefix {
	union pf_addr addr;
	unsigned len;
	uint32_t set;
};

struct net_tables {
	struct net_prefix
	    *prefix[2]; /* by enum pf_tries; sorted, what covers before what is covered */
	size_t n_prefix[2];
	struct net_port *port; /* sorted by set */
	size_t n_port;
	size_t port_space;
	uint32_t flags; /* PF_HAS_... */
};

/* -E2BIG: too many entries cover each other.  -ENOMEM. */
int net_tables_build(const struct policy *p, struct net_tables *ret, struct pinfold_error *e);

/* Any state. */
void net_tables_done(struct net_tables *t);

/* Splits low..high into blocks.  Returns how many. */
size_t net_range_split(uint16_t low, uint16_t high, struct net_block ret[NET_RANGE_PARTS_MAX]);

bool net_block_has(const struct net_block *b, uint16_t port);

/* The set of the longest prefix that covers a, or PF_SET_NONE. */
uint32_t net_tables_find_prefix(const struct net_tables *t, enum pf_tries which,
				const union pf_addr *a);

/* Whether the set holds the port and protocol of ask. */
bool net_tables_find_port(const struct net_tables *t, uint32_t set, const struct pf_ask *ask,
			  uint32_t *ret_rule);

union pf_addr net_addr(const struct addr *a);

/* The entry of the policy that an index of the kernel's tables stands for, or NULL (an inbound
 * entry, none). */
const struct net_rule *net_rule_of(const struct policy *p, uint32_t index);

#endif
