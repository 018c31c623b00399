/* SPDX-License-Identifier: MIT */
/* Waiting until no program runs that began before: what it may still look at stays until then. */
#ifndef PINFOLD_NET_GRACE_H
#define PINFOLD_NET_GRACE_H

struct net_grace {
	int outer;
	int inner;
};

/* All that can fail is done here. */
int net_grace_open(struct net_grace *ret);

/* Returns when every program that ran at the time of the call has ended. */
int net_grace_wait(const struct net_grace *g);

/* Any state but never-initialised memory; absent descriptors are -1. */
void net_grace_close(struct net_grace *g);

#endif
