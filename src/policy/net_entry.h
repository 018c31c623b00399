/* SPDX-License-Identifier: MIT */
/* HOST[:PORT][/PROTO] entries. */
#ifndef PINFOLD_POLICY_NET_ENTRY_H
#define PINFOLD_POLICY_NET_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

struct pinfold_error;

/* What an entry is read for: the protocol of one that names none, and what is refused, differ. */
enum net_use { NET_USE_ALLOW, NET_USE_ALLOW_WITH_METADATA, NET_USE_DENY };

/* Reads one entry.  Without origin.  -EINVAL with words. */
int net_entry_parse(const char *text, enum net_use use, struct net_rule *ret,
		    struct pinfold_error *why);

/* Appends a rule, of which everything is taken over, also on failure.  A prefix that holds the
 * IPv4-mapped space although an IPv6 one is written becomes several that leave it out.  -ENOMEM. */
int net_rules_add(struct net_rules *l, struct net_rule *r);

/* One inbound entry: PORT[/PROTO] or localhost:PORT[/PROTO].  -EINVAL with words. */
int inbound_entry_parse(const char *text, struct inbound_rule *ret, struct pinfold_error *why);

/* A name as people write it (any script, any case) in its canonical form.  -EINVAL with words. */
int host_name_parse(const char *text, char **ret, struct pinfold_error *why);

/* A decimal port, 1 to 65535, that ends where n bytes end. */
int port_parse(const char *text, size_t n, uint16_t *ret);

#define NET_ENTRY_TEXT_MAX 320

/* The canonical form of a rule.  split: it is the first of the several that net_rules_add() made of
 * one entry.  default_protos go without saying. */
void net_entry_format(const struct net_rule *r, bool split, unsigned default_protos,
		      char ret[static NET_ENTRY_TEXT_MAX]);

void net_rule_done(struct net_rule *r);
void inbound_rule_done(struct inbound_rule *r);

#endif
