/* SPDX-License-Identifier: MIT */
/* The addresses of this host's own interfaces, from rtnetlink. */
#ifndef PINFOLD_NET_HOST_H
#define PINFOLD_NET_HOST_H

#include <stddef.h>

#include "abi.h"

struct pinfold_error;

struct net_host {
	union pf_addr *addr;
	size_t n;
	size_t space;
};

/* What they are now.  -E2BIG: more than PF_HOST_ADDRS_MAX. */
int net_host_list(struct net_host *ret);

/* Any state. */
void net_host_done(struct net_host *h);

/* A non-blocking socket that is readable after a change. */
int net_host_open(int *ret_fd, struct pinfold_error *e);

/* Empties the socket.  1: something may have changed, 0: nothing has. */
int net_host_drain(int fd);

#endif
