/* SPDX-License-Identifier: MIT */
/* What the two halves of the check share: files (credential.c) and settings
 * (credential_settings.c). */
#ifndef PINFOLD_AGENTS_CREDENTIAL_INNER_H
#define PINFOLD_AGENTS_CREDENTIAL_INNER_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"
#include "policy/read.h"

struct agents_config;
struct pinfold_hole;

struct audit {
	const struct agents_config *c;
	struct string_list states;     /* real paths */
	struct string_list workspaces; /* likewise */
	size_t holes;
	void (*report)(void *data, const struct pinfold_hole *h);
	void *data;
};

void credential_report(struct audit *a, const char *check, const char *place, const char *fix,
		       const char *format, ...) __attribute__((format(printf, 5, 6)));

bool credential_is_workspace(const struct audit *a, const char *path);

/* Every workspace that the configuration names and that exists.  -ENOMEM. */
int credential_find_workspaces(struct audit *a);

/* Settings that send commands past the pen, and secrets written out in the configuration. */
void credential_check_settings(struct audit *a);

#endif
