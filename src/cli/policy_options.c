/* SPDX-License-Identifier: MIT */
#include "cli/policy_options.h"

#include <errno.h>

int set_policy(void *data, const char *value)
{
	struct policy_options *o = data;

	o->file = value;
	return 0;
}

static int add_rule(struct policy_options *o, enum pinfold_rule kind, const char *text)
{
	if (o->n == POLICY_RULES_MAX) {
		complain("more than %d rules on the command line; put them into a policy file",
			 POLICY_RULES_MAX);
		return -E2BIG;
	}
	o->rule[o->n].kind = kind;
	o->rule[o->n].text = text;
	o->n++;
	return 0;
}

int set_allow(void *data, const char *value)
{
	return add_rule(data, PINFOLD_RULE_ALLOW, value);
}

int set_rw(void *data, const char *value)
{
	return add_rule(data, PINFOLD_RULE_RW, value);
}

int set_ro(void *data, const char *value)
{
	return add_rule(data, PINFOLD_RULE_RO, value);
}

int set_rox(void *data, const char *value)
{
	return add_rule(data, PINFOLD_RULE_ROX, value);
}

int set_deny(void *data, const char *value)
{
	return add_rule(data, PINFOLD_RULE_DENY_PATH, value);
}

int policy_options_load(const struct policy_options *o, struct pinfold_policy **ret)
{
	struct pinfold_error e = { 0 };
	struct pinfold_policy *p;
	int r =
	    o->file ? pinfold_policy_load(o->file, &p, &e) : pinfold_policy_default(NULL, &p, &e);

	if (r < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	for (size_t i = 0; i < o->n; i++) {
		r = pinfold_policy_add(p, o->rule[i].kind, o->rule[i].text, &e);
		if (r < 0) {
			complain("%s", e.text);
			pinfold_policy_free(p);
			return EXIT_POLICY;
		}
	}
	*ret = p;
	return 0;
}
