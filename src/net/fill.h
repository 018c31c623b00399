/* SPDX-License-Identifier: MIT */
/* Rules on their way into the kernel's maps and out of them.  Each set of rules has a number of its
 * own in every key, so that a new one is complete before anything is judged by it. */
#ifndef PINFOLD_NET_FILL_H
#define PINFOLD_NET_FILL_H

#include <stdint.h>

struct net_kernel;
struct net_tables;

/* On failure some of them may be in the maps: net_unfill(). */
int net_fill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t);

/* Takes them out, as far as they are there. */
void net_unfill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t);

#endif
