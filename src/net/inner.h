/* SPDX-License-Identifier: MIT */
/* The inside of struct net_fence, for the files of this module. */
#ifndef PINFOLD_NET_INNER_H
#define PINFOLD_NET_INNER_H

#include <stdint.h>

#include "net/fence.h"
#include "net/host.h"
#include "net/kernel.h"
#include "net/tables.h"
#include "net/unix.h"
#include "net/vouch.h"

struct ring_buffer;

struct net_reader {
	struct net_fence *fence;
	void (*fn)(void *data, const struct net_event *ev);
	void *data;
};

struct net_fence {
	const struct policy *policy; /* borrowed */
	struct net_kernel kernel;
	struct unix_bpf *unix_hooks; /* NULL: not asked for */
	struct net_tables tables;
	struct vouch_table *vouched;
	struct net_host host;
	int host_fd;
	struct ring_buffer *ring;
	struct net_reader reader; /* of the call that is reading */
	uint64_t cgroup_id;
	bool observes;
	uint64_t verified;   /* server names that were right */
	uint64_t mismatched; /* and that were not */
};

int net_fence_open_vouched(struct net_fence *f, struct pinfold_error *e);
int net_fence_open_events(struct net_fence *f, struct pinfold_error *e);
void net_fence_close_events(struct net_fence *f);

#endif
