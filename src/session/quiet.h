/* SPDX-License-Identifier: MIT */
/* audit.quiet: denials that are counted and not written. */
#ifndef PINFOLD_SESSION_QUIET_H
#define PINFOLD_SESSION_QUIET_H

#include <stdbool.h>

struct addr;
struct net_rules;
struct pinfold_error;
struct policy;

/* Reads the policy's list into ret (empty).  -errno with words. */
int quiet_read(const struct policy *p, struct net_rules *ret, struct pinfold_error *e);

/* Whether a denial of that name or address is one of them; either may be NULL. */
bool quiet_has(const struct net_rules *quiet, const char *name, const struct addr *a);

void quiet_done(struct net_rules *quiet);

#endif
