/* SPDX-License-Identifier: MIT */
/*
 * The kernel side of the network fence, as descriptors.
 *
 * Loading is the longest part of a session's start: the kernel verifies and compiles every program.
 * A loader process can do it while the caller goes on with the rest, and hands over what it made.
 */
#ifndef PINFOLD_NET_KERNEL_H
#define PINFOLD_NET_KERNEL_H

#include <stdint.h>

struct net_loader;
struct pinfold_error;

enum net_map {
	NET_MAP_SESSIONS = 0,
	NET_MAP_DENY_NETS,
	NET_MAP_ALLOW_NETS,
	NET_MAP_PORT_SETS,
	NET_MAP_VOUCHED,
	NET_MAP_HOST_ADDRS,
	NET_MAP_RELAYED,
	NET_MAP_EVENTS,
	NET_MAP_SOCKS,
	NET_MAP_BSS,
	NET_MAPS,
};

/* A program and where it is attached. */
struct net_hook {
	int prog_fd;
	int type; /* enum bpf_attach_type */
	const char *word;
};

#define NET_HOOKS 13

struct net_kernel {
	int map[NET_MAPS];
	int prog[NET_HOOKS];
	volatile uint32_t *generation; /* in bss */
	void *bss;                     /* NET_MAP_BSS, mapped */
};

#define NET_KERNEL_FDS (NET_MAPS + NET_HOOKS)

/* Loads the programs: by the loader, if one was started (it is ended then), else here. */
int net_kernel_load(struct net_kernel *k, struct net_loader *loader, struct pinfold_error *e);

/* The programs in the order of attaching: what lets packets out comes last, so that no moment has
 * less than its end. */
void net_kernel_hooks(const struct net_kernel *k, struct net_hook ret[NET_HOOKS]);

/* Nothing loaded. */
void net_kernel_init(struct net_kernel *k);

/* Any state but never-initialised memory. */
void net_kernel_done(struct net_kernel *k);

#endif
