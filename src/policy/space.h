/* SPDX-License-Identifier: MIT */
/* Spaces of addresses that decide whether an entry can ever hold. */
#ifndef PINFOLD_POLICY_SPACE_H
#define PINFOLD_POLICY_SPACE_H

#include <stdbool.h>

#include "base/addr.h"

enum space {
	SPACE_PLAIN = 0,
	SPACE_METADATA, /* cloud metadata and link-local: opened by dangerouslyAllowMetadata only */
	SPACE_NEVER,    /* opened by nothing */
	SPACE_EMBEDDED, /* an IPv4 address in IPv6 clothes, judged as that IPv4 address */
};

/* The space that a whole prefix (0 to 128 bits) lies in; one that merely overlaps is plain. */
enum space space_of(const struct addr *net, unsigned prefix_len);

/* How the messages call it. */
const char *space_name(enum space s);

#endif
