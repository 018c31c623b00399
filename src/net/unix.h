/* SPDX-License-Identifier: MIT */
/* The hooks for unix sockets. */
#ifndef PINFOLD_NET_UNIX_H
#define PINFOLD_NET_UNIX_H

#include <stdbool.h>
#include <stddef.h>

#include "abi.h"
#include "net/kernel.h"

struct unix_bpf;

#define NET_UNIX_HOOKS 2

/* Loads the programs onto the maps of the network object.  An error: this kernel has no such
 * hooks, or its types can't be read. */
int net_unix_load(int sessions_fd, int events_fd, struct unix_bpf **ret);

/* Lets sockets at path and below it through, or not; the longest path decides. */
int net_unix_add(const struct unix_bpf *k, const char *path, bool is_own);

size_t net_unix_hooks(const struct unix_bpf *k, struct net_hook ret[NET_UNIX_HOOKS]);

/* Accepts NULL. */
void net_unix_free(struct unix_bpf *k);

#endif
