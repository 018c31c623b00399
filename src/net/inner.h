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

/* Where the vouched addresses of one set of rules go. */
struct net_vouch_target {
	const struct net_kernel *kernel; /* borrowed from the fence */
	uint32_t rules;
};

uint64_t net_now_ns(void);

#define NET_SESSION_ID 1 /* one session a fence */

struct net_fence {
	const struct policy *policy; /* borrowed */
	uint32_t rules;              /* number of the rules that hold */
	uint32_t last_rules;         /* numbers are never used again */
	uint32_t cut;
	uint16_t resolver_port[PF_RESOLVER_PORTS];
	uint16_t relay_port;
	struct net_vouch_target target[2]; /* of the rules that hold, and of others */
	unsigned slot;                     /* which is whose */
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

/* An empty table of vouched addresses, whose projection goes to the target (borrowed). */
int net_fence_new_vouched(const struct policy *p, struct net_vouch_target *target,
			  struct vouch_table **ret);

/* 0 when the program runs for that cgroup; -ENOLINK when it does not. */
int net_hook_is_effective(const struct net_hook *h, int cgroup_fd);

/* What the cgroup's storage is to hold, with no counts. */
void net_fence_describe(const struct net_fence *f, struct pf_session *ret);

int net_fence_open_events(struct net_fence *f, struct pinfold_error *e);
void net_fence_close_events(struct net_fence *f);

#endif
