/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/policy_options.h"
#include "cli/verbs.h"
#include "pinfold.h"

struct selftest_options {
	struct policy_options policy; /* first: shared setters */
};

const struct option_row SELFTEST_OPTIONS[] = {
	POLICY_OPTION_ROWS,
	{ 0 },
};

static void report(void *data, const char *check, bool passed, const char *detail)
{
	(void)data;
	printf("%-6s %s%s%s\n", passed ? "ok" : "FAILED", check, detail[0] ? ": " : "", detail);
}

int verb_selftest(int argc, char **argv)
{
	struct selftest_options o = { 0 };
	struct pinfold_error e = { 0 };
	struct pinfold_policy *policy;
	int first = opt_parse_all(find_verb("selftest"), argc, argv, &o);
	int r;

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	r = policy_options_load(&o.policy, &policy);
	if (r != 0)
		return r;
	r = pinfold_selftest(policy, report, NULL, &e);
	pinfold_policy_free(policy);
	if (r < 0)
		complain("%s", e.text);
	else if (r > 0)
		complain("%d checks failed: do not trust a pen on this host; 'pinfold doctor' says "
			 "what it lacks",
			 r);
	return r == 0 ? 0 : EXIT_NOT_CONFINED;
}
