/* SPDX-License-Identifier: MIT */
/* What a policy says about names.  Names are canonical (base/name.h). */
#ifndef PINFOLD_POLICY_NAMES_H
#define PINFOLD_POLICY_NAMES_H

#include <stdbool.h>

#include "policy/policy.h"

/* Whether the entry is for the name; its ports and protocols are not looked at.  "*" matches every
 * name, addresses and localhost match none. */
bool net_rule_matches_name(const struct net_rule *r, const char *name);

/* May this name be resolved?  True: *ret_rule is the first allow entry that matches.  False:
 * *ret_rule is the deny entry that refused it, or NULL when nothing matched (metadata names are
 * refused with NULL too unless allow_metadata; literal addresses and localhost never resolve).
 * A deny entry refuses the name whatever its ports: nobody could tell later which port the lookup
 * was for. */
bool policy_may_resolve(const struct policy *p, const char *name, const struct net_rule **ret_rule);

/* metadata.google.internal, metadata, instance-data and names below or like them. */
bool name_is_metadata(const char *name);

#endif
