/* SPDX-License-Identifier: MIT */
/* The built-in sets, as tables. */
#ifndef PINFOLD_POLICY_SETS_H
#define PINFOLD_POLICY_SETS_H

#include <stdbool.h>

#include "policy/policy.h"

struct system_entry {
	const char *path; /* NULL ends the table */
	enum path_right right;
	bool glob;
};

extern const struct system_entry SYSTEM_SET[];

/* Below each home; NULL ends the table. */
extern const char *const SENSITIVE_NAMES[];

struct sensitive_pattern {
	const char *pattern; /* NULL ends the table */
	const char *const *except;
};

extern const struct sensitive_pattern SENSITIVE_PATTERNS[];

#endif
