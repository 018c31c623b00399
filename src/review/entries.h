/* SPDX-License-Identifier: MIT */
/* The entries of a policy that a record can say something about. */
#ifndef PINFOLD_REVIEW_ENTRIES_H
#define PINFOLD_REVIEW_ENTRIES_H

#include <stddef.h>

struct digest;
struct net_rule;

struct entry {
	const char *list; /* "network.allowOutbound" */
	const char *text; /* as written; borrowed from the policy, as all */
	const char *origin;
	const struct net_rule *net; /* NULL: of files */
};

/* Calls fn for each entry of network.allowOutbound, network.denyOutbound and filesystem.deny, in
 * the policy's order.  What grants files or sockets leaves no line when it is used, so nothing can
 * be said of that. */
void entries_each(const struct digest *d, void (*fn)(void *data, const struct entry *at),
		  void *data);

#endif
