/* SPDX-License-Identifier: MIT */
/* Reads the `exec-approvals` object. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval.h"
#include "agents/config.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"

struct member {
	const char *name;
	int (*read)(const struct json5 *v, enum approval_list list, struct approval_rules *r,
		    struct pinfold_error *e);
	enum approval_list list;
};

static int compile(const struct json5 *v, enum approval_list list, struct approval_rule *ret,
		   struct pinfold_error *e)
{
	struct pinfold_error why = { "" };
	struct pattern p = { 0 };
	int r;

	if (v->type != JSON5_STRING || v->string[strspn(v->string, " \t\n")] == '\0')
		return agents_fail(v, e, "a pattern is wanted, such as \"git log *\"");
	r = pattern_compile(v->string, &p, &why);
	if (r == -EINVAL)
		return agents_fail(v, e, "'%.80s' is no pattern: %s", v->string, why.text);
	if (r < 0)
		return err_set(e, r, "out of memory");
	if (list == APPROVAL_AUTO && p.n != 1) {
		pattern_done(&p);
		return agents_fail(v, e,
				   "'%.80s' can't be approved in advance: one plain command is "
				   "wanted; each command of a line has an entry of its own",
				   v->string);
	}
	ret->pattern = p;
	return 0;
}

static int add_rule(const struct json5 *v, enum approval_list list, struct approval_rules *r,
		    struct pinfold_error *e)
{
	char origin[PINFOLD_WHY_TEXT_MAX];
	struct approval_rule rule = { 0 };
	int rc = compile(v, list, &rule, e);

	if (rc < 0)
		return rc;
	agents_origin(v, origin, sizeof(origin));
	rule.text = strdup(v->string);
	rule.origin = strdup(origin);
	r->rule[list][r->n[list]++] = rule;
	return rule.text && rule.origin ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int read_patterns(const struct json5 *v, enum approval_list list, struct approval_rules *r,
			 struct pinfold_error *e)
{
	size_t n = 0;
	int rc = 0;

	if (v->type != JSON5_ARRAY)
		return agents_fail(v, e, "a list of patterns is wanted");
	for (const struct json5 *c = v->child; c; c = c->next)
		n++;
	if (n > APPROVAL_RULES_MAX)
		return agents_fail(v, e, "more than %d patterns", APPROVAL_RULES_MAX);
	r->rule[list] = calloc(n + 1, sizeof(*r->rule[list]));
	if (!r->rule[list])
		return err_set(e, -ENOMEM, "out of memory");
	for (const struct json5 *c = v->child; c && rc == 0; c = c->next)
		rc = add_rule(c, list, r, e);
	return rc;
}

static int read_timeout(const struct json5 *v, enum approval_list list, struct approval_rules *r,
			struct pinfold_error *e)
{
	(void)list;
	if (v->type != JSON5_NUMBER || v->number < 0 || v->number > APPROVAL_TIMEOUT_MAX_MS ||
	    v->number != (double)(uint64_t)v->number)
		return agents_fail(v, e, "whole milliseconds from 0 to %d are wanted",
				   APPROVAL_TIMEOUT_MAX_MS);
	r->timeout_ms = (uint64_t)v->number;
	return 0;
}

static int read_in_sandbox(const struct json5 *v, enum approval_list list, struct approval_rules *r,
			   struct pinfold_error *e)
{
	(void)list;
	if (v->type != JSON5_STRING ||
	    (strcmp(v->string, "skip") != 0 && strcmp(v->string, "judge") != 0))
		return agents_fail(v, e, "\"judge\" or \"skip\" is wanted");
	r->skip_in_pen = strcmp(v->string, "skip") == 0;
	return 0;
}

static const struct member MEMBERS[] = {
	{ "deny", read_patterns, APPROVAL_DENY },
	{ "requireApproval", read_patterns, APPROVAL_REQUIRE },
	{ "autoApprove", read_patterns, APPROVAL_AUTO },
	{ "approvalTimeout", read_timeout, APPROVAL_LISTS },
	{ "inSandbox", read_in_sandbox, APPROVAL_LISTS },
};

static int read_member(const struct json5 *v, struct approval_rules *r, struct pinfold_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(MEMBERS); i++)
		if (strcmp(MEMBERS[i].name, v->key) == 0)
			return MEMBERS[i].read(v, MEMBERS[i].list, r, e);
	return agents_fail(v, e,
			   "there is no such member; there are deny, requireApproval, autoApprove, "
			   "approvalTimeout and inSandbox");
}

int approval_rules_parse(const struct json5 *node, struct approval_rules **ret,
			 struct pinfold_error *e)
{
	struct approval_rules *r;
	int rc = 0;

	if (node && node->type != JSON5_OBJECT)
		return agents_fail(node, e, "an object is wanted");
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->timeout_ms = APPROVAL_TIMEOUT_DEFAULT_MS;
	for (const struct json5 *v = node ? node->child : NULL; v && rc == 0; v = v->next)
		rc = read_member(v, r, e);
	if (rc < 0)
		approval_rules_free(r);
	else
		*ret = r;
	return rc;
}

void approval_rules_free(struct approval_rules *r)
{
	if (!r)
		return;
	for (size_t list = 0; list < APPROVAL_LISTS; list++) {
		for (size_t i = 0; i < r->n[list]; i++) {
			pattern_done(&r->rule[list][i].pattern);
			free(r->rule[list][i].text);
			free(r->rule[list][i].origin);
		}
		free(r->rule[list]);
	}
	free(r);
}
