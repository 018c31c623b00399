/* SPDX-License-Identifier: MIT */
/*
 * The kernel waits for running programs when a map of maps changes, before it returns to user
 * space (since Linux 4.20).  That is made for exchanging a map; here nothing but the wait is meant.
 * membarrier would wait too, but does nothing with one processor, where a program can be preempted.
 */
#include "net/grace.h"

#include <bpf/bpf.h>

#include "base/clean.h"

int net_grace_open(struct net_grace *ret)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	struct net_grace g = { .outer = -1, .inner = -1 };
	int rc =
	    bpf_map_create(BPF_MAP_TYPE_ARRAY, "pf_grace", sizeof(__u32), sizeof(__u32), 1, &opts);

	if (rc < 0)
		return rc;
	g.inner = rc;
	opts.inner_map_fd = (__u32)g.inner;
	rc = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "pf_grace", sizeof(__u32), sizeof(__u32), 1,
			    &opts);
	if (rc < 0) {
		net_grace_close(&g);
		return rc;
	}
	g.outer = rc;
	*ret = g;
	return 0;
}

int net_grace_wait(const struct net_grace *g)
{
	const __u32 first = 0;
	const __u32 inner = (__u32)g->inner;

	return bpf_map_update_elem(g->outer, &first, &inner, BPF_ANY);
}

void net_grace_close(struct net_grace *g)
{
	clean_close(&g->outer);
	clean_close(&g->inner);
}
