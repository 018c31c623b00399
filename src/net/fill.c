/* SPDX-License-Identifier: MIT */
#include "net/fill.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "net/kernel.h"
#include "net/tables.h"

static int fill_batch(int map, const void *keys, const void *values, size_t n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	__u32 count = (__u32)n;

	if (n == 0)
		return 0;
	return bpf_map_update_batch(map, keys, values, &count, &opts);
}

static struct pf_net_key net_key(uint32_t rules, const struct net_prefix *p)
{
	return (struct pf_net_key){
		.prefix_len = PF_NET_BITS + p->len,
		.rules = rules,
		.addr = p->addr,
	};
}

static struct pf_port_key port_key(uint32_t rules, const struct net_port *p)
{
	return (struct pf_port_key){
		.prefix_len = PF_PORT_BITS + p->block.len,
		.rules = rules,
		.set = p->set,
		.proto = p->proto,
		.port = htobe16(p->block.port),
	};
}

static int fill_prefixes(int map, uint32_t rules, const struct net_tables *t, enum pf_tries which)
{
	size_t n = t->n_prefix[which];
	auto_free struct pf_net_key *keys = calloc(n + 1, sizeof(*keys));
	auto_free __u32 *sets = calloc(n + 1, sizeof(*sets));

	if (!keys || !sets)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		keys[i] = net_key(rules, &t->prefix[which][i]);
		sets[i] = t->prefix[which][i].set;
	}
	return fill_batch(map, keys, sets, n);
}

static int fill_ports(int map, uint32_t rules, const struct net_tables *t)
{
	auto_free struct pf_port_key *keys = calloc(t->n_port + 1, sizeof(*keys));
	auto_free __u32 *values = calloc(t->n_port + 1, sizeof(*values));

	if (!keys || !values)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_port; i++) {
		keys[i] = port_key(rules, &t->port[i]);
		values[i] = t->port[i].rule;
	}
	return fill_batch(map, keys, values, t->n_port);
}

int net_fill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t)
{
	int rc = fill_ports(k->map[NET_MAP_PORT_SETS], rules, t);

	if (rc == 0)
		rc = fill_prefixes(k->map[NET_MAP_DENY_NETS], rules, t, PF_TRIE_DENY);
	if (rc == 0)
		rc = fill_prefixes(k->map[NET_MAP_ALLOW_NETS], rules, t, PF_TRIE_ALLOW);
	return rc;
}

void net_unfill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t)
{
	static const struct {
		enum pf_tries trie;
		enum net_map map;
	} TRIES[] = { { PF_TRIE_ALLOW, NET_MAP_ALLOW_NETS }, { PF_TRIE_DENY, NET_MAP_DENY_NETS } };

	for (size_t i = 0; i < ARRAY_SIZE(TRIES); i++)
		for (size_t j = 0; j < t->n_prefix[TRIES[i].trie]; j++) {
			struct pf_net_key key = net_key(rules, &t->prefix[TRIES[i].trie][j]);

			bpf_map_delete_elem(k->map[TRIES[i].map], &key);
		}
	for (size_t i = 0; i < t->n_port; i++) {
		struct pf_port_key key = port_key(rules, &t->port[i]);

		bpf_map_delete_elem(k->map[NET_MAP_PORT_SETS], &key);
	}
}
