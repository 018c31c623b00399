/* SPDX-License-Identifier: MIT */
/* The reader of `tools` objects: what is refused, and where the message points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agents/tool.h"
#include "base/clean.h"
#include "base/json5.h"
#include "pinfold.h"

#define FILE_NAME "openclaw.json"

static struct json5 *parse(const char *text)
{
	struct pinfold_error e = { 0 };
	struct json5 *v = NULL;

	if (json5_parse(text, strlen(text), FILE_NAME, &v, &e) != 0)
		fail_msg("%s", e.text);
	return v;
}

static void read_rules(const char *text, struct tool_rules *ret)
{
	struct pinfold_error e = { 0 };
	struct json5 *v = text ? parse(text) : NULL;

	if (tool_rules_parse(v, FILE_NAME, ret, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	json5_free(v);
}

static void refuses_what_is_not_the_shape(void **state)
{
	static const struct {
		const char *text;
		const char *words; /* in the message */
	} bad[] = {
		{ "{tools:{denny:[]}}", "tools.denny: no such member" },
		{ "{tools:{allow:'exec'}}", "tools.allow: a list of tools is wanted" },
		{ "{tools:{allow:[1]}}", "tools.allow[0]: a tool's name" },
		{ "{tools:{deny:['group:fss']}}", "tools.deny[0]: no such group" },
		{ "{tools:{profile:'tiny'}}", "tools.profile: one of" },
		{ "{tools:{profile:null}}", "tools.profile: one of" },
		{ "{tools:{allow:['a'],alsoAllow:['b']}}", "tools.alsoAllow: allow and alsoAllow" },
		{ "{tools:{byProvider:[]}}", "tools.byProvider: an object" },
		{ "{tools:{byProvider:{openai:{alow:[]}}}}",
		  "tools.byProvider.openai.alow: no such member" },
		{ "{tools:{byProvider:{openai:{allow:['a'],alsoAllow:['b']}}}}",
		  "tools.byProvider.openai.alsoAllow" },
		{ "{tools:{byProvider:{openai:{},OpenAI:{}}}}", "twice" },
		{ "{tools:{sandbox:{allow:[]}}}", "tools.sandbox.allow: no such member" },
		{ "{tools:{sandbox:{tools:{profile:'full'}}}}",
		  "tools.sandbox.tools.profile: no such member" },
		{ "{tools:{sandbox:{tools:{allow:['a'],alsoAllow:['b']}}}}",
		  "tools.sandbox.tools.alsoAllow" },
		{ "{tools:{subagents:{tools:[]}}}", "tools.subagents.tools: an object" },
		{ "{tools:{toolGroups:'2025'}}", "tools.toolGroups: one of" },
		{ "{tools:[]}", "tools: an object" },
		{ "{tools:\n {deny:[\n  7]}}", FILE_NAME ":3:3: tools.deny[0]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pinfold_error e = { 0 };
		struct tool_rules rules;
		struct json5 *v = parse(bad[i].text);

		assert_int_equal(tool_rules_parse(json5_member(v, "tools"), FILE_NAME, &rules, &e),
				 -EINVAL);
		if (!strstr(e.text, bad[i].words))
			fail_msg("%s: '%s'", bad[i].text, e.text);
		json5_free(v);
	}
}

static void accepts_an_empty_list_beside_alsoallow_and_the_gateways_own_members(void **state)
{
	struct tool_rules rules;

	(void)state;
	read_rules("{allow:[],alsoAllow:['x'],codeMode:{enabled:'auto',executor:'quickjs'},"
		   "exec:{host:'gateway'},elevated:{},sessions:{visibility:'tree'},web:{}}",
		   &rules);
	assert_true(rules.own.allow.given);
	assert_int_equal(rules.own.also.n, 1);
	assert_string_equal(rules.own.also.entry[0].origin, FILE_NAME ":1 (alsoAllow[0])");
	tool_rules_done(&rules);
}

static void a_name_is_one_word_without_stars(void **state)
{
	static const char *const bad[] = { "", "  ", "a b", "ex*", "a\nb", "a\x7f" };
	struct tool_name t;
	char longest[TOOL_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tool_name_read(bad[i], TOOL_GROUPS_CLASSIC, &t), -EINVAL);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(tool_name_read(longest, TOOL_GROUPS_CLASSIC, &t), -EINVAL);
	longest[TOOL_NAME_MAX] = '\0';
	assert_int_equal(tool_name_read(longest, TOOL_GROUPS_CLASSIC, &t), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_not_the_shape),
		cmocka_unit_test(
		    accepts_an_empty_list_beside_alsoallow_and_the_gateways_own_members),
		cmocka_unit_test(a_name_is_one_word_without_stars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
