/* SPDX-License-Identifier: MIT */
/* What a gateway's configuration and files leave open around the pen: secrets that others can read
 * or that lie where agents work, and settings that send commands past the pen. */
#ifndef PINFOLD_AGENTS_CREDENTIAL_H
#define PINFOLD_AGENTS_CREDENTIAL_H

#include <stddef.h>

struct agents_config;
struct pinfold_error;
struct pinfold_hole;

#define CREDENTIAL_ENTRIES_MAX 50000 /* looked at in one tree */
#define CREDENTIAL_DEPTH_MAX 16
#define CREDENTIAL_HOLES_MAX 500

/* Reports each hole and returns how many there are; beyond CREDENTIAL_HOLES_MAX the last one says
 * that there are more.  state_dirs come on top of OPENCLAW_STATE_DIR, ~/.openclaw and the directory
 * of the configuration. */
int credential_check(const struct agents_config *c, const char *const *state_dirs, size_t n,
		     void (*report)(void *data, const struct pinfold_hole *h), void *data,
		     struct pinfold_error *e);

#endif
