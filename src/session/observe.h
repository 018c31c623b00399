/* SPDX-License-Identifier: MIT */
/* Observing: names and destinations that the policy refuses are let through and told. */
#ifndef PINFOLD_SESSION_OBSERVE_H
#define PINFOLD_SESSION_OBSERVE_H

#include <stdint.h>

struct addr;
struct dns_note;
struct net_vouch;
struct observe; /* heap object */
struct policy;

/* p is borrowed.  -ENOMEM. */
int observe_new(const struct policy *p, struct observe **ret);

/* The policy that the resolver works by: it asks for every name but those of metadata. */
const struct policy *observe_policy(const struct observe *o);

/* Remembers which name led to which addresses.  Returns the addresses (as bits) that may be
 * answered though v, the fence's judgement of each, refuses them; these are PF_ALLOW_NOSEND
 * afterwards, so that nobody takes them for stripped. */
uint64_t observe_names(struct observe *o, const struct dns_note *note, struct net_vouch *v);

/* The name that led to an address most recently, or NULL.  Lives until the next observe_names(). */
const char *observe_name(const struct observe *o, const struct addr *a);

/* Accepts NULL. */
void observe_free(struct observe *o);

#endif
