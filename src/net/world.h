/* SPDX-License-Identifier: MIT */
/* The world of bpf/verdict.h outside the kernel: tables in memory. */
#ifndef PINFOLD_NET_WORLD_H
#define PINFOLD_NET_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"
#include "net/tables.h"

#define PF_WORLD 1 /* tells verdict.h */

struct pf_world {
	uint64_t now;
	uint32_t flags;
	const struct net_tables *tables; /* borrowed, as all below */
	const struct pf_vouch *vouch;    /* of the address in question; NULL: nobody vouches */
	const union pf_addr *host;       /* addresses of interfaces */
	size_t n_host;
};

static inline bool pf_world_port(const struct pf_world *w, uint32_t set, const struct pf_ask *ask,
				 uint32_t *ret_rule)
{
	return net_tables_find_port(w->tables, set, ask, ret_rule);
}

static inline enum pf_hit pf_world_match(const struct pf_world *w, enum pf_tries t,
					 const union pf_addr *a, const struct pf_ask *ask,
					 uint32_t *ret_rule)
{
	uint32_t set = net_tables_find_prefix(w->tables, t, a);

	if (set == PF_SET_NONE)
		return PF_MISS;
	return pf_world_port(w, set, ask, ret_rule) ? PF_HIT : PF_HIT_ADDR;
}

static inline bool pf_world_vouch(const struct pf_world *w, const union pf_addr *a,
				  const struct pf_ask *ask, struct pf_vouch *ret)
{
	(void)a;
	(void)ask;
	if (w->vouch)
		*ret = *w->vouch;
	return w->vouch != NULL;
}

static inline bool pf_world_is_host(const struct pf_world *w, const union pf_addr *a)
{
	for (size_t i = 0; i < w->n_host; i++)
		if (memcmp(&w->host[i], a, sizeof(*a)) == 0)
			return true;
	return false;
}

#include "verdict.h"

#endif
