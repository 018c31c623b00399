/* SPDX-License-Identifier: MIT */
/* What the tests of approvals share: rules from text, and a judgement without ceremony. */
#ifndef PINFOLD_TESTS_AGENTS_APPROVAL_HELP_H
#define PINFOLD_TESTS_AGENTS_APPROVAL_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "agents/approval.h"
#include "base/json5.h"
#include "pinfold.h"

#define ALLOW PINFOLD_ALLOW
#define DENY PINFOLD_DENY
#define ASK PINFOLD_ASK

/* The rules that the gateway's own documentation shows. */
#define SEED_RULES                                                                                 \
	"{\"autoApprove\": [\"ls *\", \"pwd\", \"whoami\", \"date\", \"git status\","              \
	" \"git log *\", \"git diff *\"], \"requireApproval\": [\"rm *\", \"mv *\", \"cp *\","     \
	" \"git push *\", \"git commit *\", \"sudo *\", \"curl *\", \"wget *\", \"docker *\"],"    \
	" \"deny\": [\"rm -rf /\", \"rm -rf /*\", \"rm -rf ~\", \"mkfs *\", \"dd if=*\","          \
	" \"shutdown *\", \"reboot *\"], \"approvalTimeout\": 300000}"

static inline int help_rules(const char *text, struct approval_rules **ret, struct pinfold_error *e)
{
	struct json5 *node = NULL;
	int r = json5_parse(text, strlen(text), "f", &node, e);

	if (r == 0)
		r = approval_rules_parse(node, ret, e);
	json5_free(node);
	return r;
}

static inline int help_judge(const struct approval_rules *rules, const char *line,
			     struct pinfold_answer *ret)
{
	const struct approval_query q = {
		.line = line,
		.path = "/usr/bin:/bin",
		.home = "/home/u",
		.cwd = "/data/ws",
	};

	return approval_judge(rules, &q, ret);
}

static inline struct approval_rules *rules_from(const char *text)
{
	struct approval_rules *rules = NULL;
	struct pinfold_error e = { "" };

	if (help_rules(text, &rules, &e) < 0)
		fail_msg("%s", e.text);
	return rules;
}

static inline void expect_verdict(const struct approval_rules *rules, const char *line,
				  enum pinfold_verdict want)
{
	static const char *const words[] = { "deny", "allow", "ask" };
	struct pinfold_answer a;

	assert_int_equal(help_judge(rules, line, &a), 0);
	if (a.verdict != want)
		fail_msg("'%s': %s, not %s (%s; %s)", line, words[a.verdict], words[want], a.rule,
			 a.reason);
}

#endif
