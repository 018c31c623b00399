/* SPDX-License-Identifier: MIT */
/* The options that make up a policy, shared by run, why and selftest. */
#ifndef PINFOLD_CLI_POLICY_OPTIONS_H
#define PINFOLD_CLI_POLICY_OPTIONS_H

#include <stddef.h>

#include "cli/opt.h"
#include "pinfold.h"

#define POLICY_RULES_MAX 1024

struct policy_options {
	const char *file; /* borrowed from argv, like the rules' texts */
	struct {
		enum pinfold_rule kind;
		const char *text;
	} rule[POLICY_RULES_MAX];
	size_t n;
};

/* The rows of these options; the verb's data starts with a struct policy_options. */
#define POLICY_OPTION_ROWS                                                                         \
	{ "policy", 'p', "FILE", "the policy; without one: this directory rw, no network",         \
	  set_policy },                                                                            \
	    { "allow", 0, "HOST:PORT", "also allow this destination (repeatable)", set_allow },    \
	    { "rw", 0, "PATH", "also grant reading and writing below PATH", set_rw },              \
	    { "ro", 0, "PATH", "also grant reading below PATH", set_ro },                          \
	    { "rox", 0, "PATH", "also grant reading and executing below PATH", set_rox },          \
	{                                                                                          \
		"deny", 0, "PATH", "deny PATH even where its parent is granted", set_deny          \
	}

int set_policy(void *data, const char *value);
int set_allow(void *data, const char *value);
int set_rw(void *data, const char *value);
int set_ro(void *data, const char *value);
int set_rox(void *data, const char *value);
int set_deny(void *data, const char *value);

/* Loads the file or the default and adds the rules.  Failure is printed; the result is then the
 * exit status to end with, else 0. */
int policy_options_load(const struct policy_options *o, struct pinfold_policy **ret);

#endif
