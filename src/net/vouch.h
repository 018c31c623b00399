/* SPDX-License-Identifier: MIT */
/* Which names led to which addresses, and until when: the truth that the kernel's map is a
 * projection of. */
#ifndef PINFOLD_NET_VOUCH_H
#define PINFOLD_NET_VOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "net/tables.h"

struct policy;

#define VOUCH_BLOCKS_MAX 512 /* port blocks of one address, over all its names */
#define VOUCH_OWNERS_MAX 64  /* names of one address */
/* An expired entry stays known: a denial says why, and a connection that began before is not cut
 * by a reload that still allows its name. */
#define VOUCH_LINGER_NS (24ULL * 3600 * 1000000000)

/* One port block of an address, as the map holds it. */
struct vouch_block {
	uint16_t proto;
	struct net_block block;
	uint32_t rule;
	uint64_t until;
	bool verify; /* the relay asks for the server name first */
};

/* Where the projection goes: the kernel's map, or a test. */
struct vouch_sink {
	/* proto 0: the entry of the address alone. */
	int (*put)(void *data, const union pf_addr *a, const struct vouch_block *b);
	void (*del)(void *data, const union pf_addr *a, const struct vouch_block *b);
	void *data;
};

struct vouch_table; /* heap object */

int vouch_table_new(const struct policy *p, const struct vouch_sink *sink,
		    struct vouch_table **ret);

/* name led to a until then; its port blocks are those of the entries that match it.  -E2BIG: too
 * many names or blocks for one address.  On failure the sink may miss blocks, never has too many.
 */
int vouch_table_add(struct vouch_table *t, const union pf_addr *a, const char *name,
		    uint64_t until);

/* Takes over what from holds for names that the policy of t still lets be resolved, projected anew
 * by that policy.  t is empty; from is not changed.  On failure only free t. */
int vouch_table_adopt(struct vouch_table *t, const struct vouch_table *from);

/* What the projection says of an address at a port; false: nothing. */
bool vouch_table_look_up(const struct vouch_table *t, const struct pf_ask *ask,
			 struct pf_vouch *ret);

/* Hands out each name of each address whose time has not passed, oldest first. */
void vouch_table_list(const struct vouch_table *t, uint64_t now,
		      void (*fn)(void *data, const union pf_addr *a, const char *name,
				 uint64_t until),
		      void *data);

/* Drops what ended long ago. */
void vouch_table_tick(struct vouch_table *t, uint64_t now);

/* Whether name led to a, and that held at the time. */
bool vouch_table_has(const struct vouch_table *t, const union pf_addr *a, const char *name,
		     uint64_t at);

/* The name that led to a most recently, or NULL. */
const char *vouch_table_name(const struct vouch_table *t, const union pf_addr *a);

uint64_t vouch_table_evicted(const struct vouch_table *t);
size_t vouch_table_count(const struct vouch_table *t);

/* Empties the sink.  Accepts NULL. */
void vouch_table_free(struct vouch_table *t);

#endif
