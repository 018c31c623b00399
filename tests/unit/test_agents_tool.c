/* SPDX-License-Identifier: MIT */
/* The eight levels: the cases that are known of the real pipeline, and what holds for any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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

struct call {
	const char *name; /* of the case */
	const char *global;
	const char *agent;
	const char *tool;
	const char *provider;
	bool sandboxed;
	bool subagent;
	enum tool_groups groups;
	bool allowed;
	enum tool_level level; /* TOOL_LEVELS: allowed */
	enum tool_outcome outcome;
};

static void check_call(const struct call *c)
{
	struct tool_rules global;
	struct tool_rules agent;
	struct tool_name tool;
	struct tool_verdict v;
	struct tool_query q = {
		.global = &global,
		.agent = &agent,
		.groups = c->groups,
		.tool = &tool,
		.provider = c->provider,
		.sandboxed = c->sandboxed,
		.subagent = c->subagent,
	};

	read_rules(c->global, &global);
	read_rules(c->agent, &agent);
	assert_int_equal(tool_name_read(c->tool, c->groups, &tool), 0);
	tool_judge(&q, &v);
	if (v.allowed != c->allowed || v.level != (c->allowed ? TOOL_LEVELS : c->level) ||
	    (!c->allowed && v.step[v.level].outcome != c->outcome))
		fail_msg("%s: %s is %s (level %d)", c->name, c->tool,
			 v.allowed ? "allowed" : tool_outcome_word(v.step[v.level].outcome),
			 (int)v.level);
	if (!v.allowed && (!v.step[v.level].rule || !v.step[v.level].origin))
		fail_msg("%s: nothing says why %s is blocked", c->name, c->tool);
	tool_rules_done(&global);
	tool_rules_done(&agent);
}

#define YES .allowed = true
#define NO(at, why) .level = (at), .outcome = (why)
#define DENY(at) NO(at, TOOL_DENIED)
#define UNLISTED(at) NO(at, TOOL_NOT_ALLOWED)

static void general_levels_decide_as_the_cases_say(void **state)
{
	static const struct call calls[] = {
		{ "T1", "{allow:['*'],deny:['exec']}", NULL, "exec", DENY(TOOL_GLOBAL) },
		{ "T1", "{allow:['*'],deny:['exec']}", NULL, "read", YES },
		{ "T1b", "{allow:['exec'],deny:['*']}", NULL, "exec", DENY(TOOL_GLOBAL) },
		{ "T2", "{allow:[],deny:[]}", NULL, "exec", YES },
		{ "T2b", NULL, NULL, "exec", YES },
		{ "T3", "{deny:['bash']}", NULL, "exec", DENY(TOOL_GLOBAL) },
		{ "T3b", "{deny:['EXEC']}", NULL, "exec", DENY(TOOL_GLOBAL) },
		{ "T3c", "{deny:['exec']}", NULL, " Bash ", DENY(TOOL_GLOBAL) },
		{ "T3d", "{deny:['apply_patch']}", NULL, "apply-patch", DENY(TOOL_GLOBAL) },
		{ "T4", "{allow:['group:fs'],deny:['write']}", NULL, "apply_patch", YES },
		{ "T4b", "{allow:['group:fs'],deny:['write']}", NULL, "write", DENY(TOOL_GLOBAL) },
		{ "T5", "{allow:['write']}", NULL, "apply_patch", YES },
		{ "T5b", "{allow:['write'],deny:['apply_patch']}", NULL, "apply_patch",
		  DENY(TOOL_GLOBAL) },
		{ "T6", "{allow:['sess*']}", NULL, "sessions_list", YES },
		{ "T6b", "{allow:['s?ssions_list']}", NULL, "sessions_list",
		  UNLISTED(TOOL_GLOBAL) },
		{ "T6c", "{allow:['mem.*']}", NULL, "memory_get", UNLISTED(TOOL_GLOBAL) },
		{ "T6d", "{allow:['group:*']}", NULL, "exec", UNLISTED(TOOL_GLOBAL) },
		{ "T6e", "{allow:['GROUP:FS']}", NULL, "read", YES },
		{ "T7", "{allow:['nosuchtool']}", NULL, "exec", UNLISTED(TOOL_GLOBAL) },
		{ "T7b", "{allow:['']}", NULL, "exec", YES },
		{ "T8", "{allow:['group:fs','exec']}", "{allow:['exec','web_fetch']}", "exec",
		  YES },
		{ "T8b", "{allow:['group:fs','exec']}", "{allow:['exec','web_fetch']}", "web_fetch",
		  UNLISTED(TOOL_GLOBAL) },
		{ "T8c", "{allow:['group:fs','exec']}", "{allow:['exec','web_fetch']}", "read",
		  UNLISTED(TOOL_AGENT) },
		{ "T9", "{profile:'minimal',allow:['exec']}", NULL, "exec",
		  UNLISTED(TOOL_PROFILE) },
		{ "T9b", "{profile:'minimal',allow:['exec']}", NULL, "session_status",
		  UNLISTED(TOOL_GLOBAL) },
		{ "T10", "{deny:['exec']}", "{allow:['exec','read']}", "exec", DENY(TOOL_GLOBAL) },
		{ "T10b", "{deny:['exec']}", "{allow:['exec','read']}", "read", YES },
		{ "T10c", "{deny:['exec']}", "{allow:['exec','read']}", "write",
		  UNLISTED(TOOL_AGENT) },
		{ "T20", "{allow:['browser'],deny:['browser']}", NULL, "browser",
		  DENY(TOOL_GLOBAL) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		check_call(&calls[i]);
}

#define PEN .sandboxed = true
#define IN_PEN(block) "{sandbox:{tools:{" block "}}}"

static void the_pens_level_decides_as_the_cases_say(void **state)
{
	static const struct call calls[] = {
		{ "T11", NULL, NULL, "exec", PEN, YES },
		{ "T11", NULL, NULL, "browser", PEN, DENY(TOOL_SANDBOX) },
		{ "T11", NULL, NULL, "telegram", PEN, DENY(TOOL_SANDBOX) },
		{ "T11", NULL, NULL, "memory_get", PEN, UNLISTED(TOOL_SANDBOX) },
		{ "T11, host", NULL, NULL, "browser", YES },
		{ "T12", IN_PEN("allow:['group:fs']"), NULL, "read", PEN, YES },
		{ "T12", IN_PEN("allow:['group:fs']"), NULL, "write", PEN, YES },
		{ "T12", IN_PEN("allow:['group:fs']"), NULL, "exec", PEN, UNLISTED(TOOL_SANDBOX) },
		{ "T12", IN_PEN("allow:['group:fs']"), NULL, "view_image", PEN, YES },
		{ "T12", IN_PEN("allow:['group:fs']"), NULL, "gateway", PEN, DENY(TOOL_SANDBOX) },
		{ "T12, exact", IN_PEN("allow:['write']"), NULL, "apply_patch", PEN,
		  UNLISTED(TOOL_SANDBOX) },
		{ "T13", IN_PEN("allow:[]"), NULL, "exec", PEN, YES },
		{ "T13", IN_PEN("allow:[]"), NULL, "browser", PEN, DENY(TOOL_SANDBOX) },
		{ "T14", IN_PEN("alsoAllow:['browser']"), NULL, "browser", PEN, YES },
		{ "T14", IN_PEN("alsoAllow:['browser']"), NULL, "exec", PEN, YES },
		{ "T14", IN_PEN("alsoAllow:['browser']"), NULL, "canvas", PEN, DENY(TOOL_SANDBOX) },
		{ "T15", IN_PEN("allow:['*']"), NULL, "gateway", PEN, YES },
		{ "T15", IN_PEN("allow:['*']"), NULL, "telegram", PEN, YES },
		{ "T16", IN_PEN("deny:[]"), NULL, "browser", PEN, UNLISTED(TOOL_SANDBOX) },
		{ "T17, agent replaces", IN_PEN("deny:['exec']"), IN_PEN("allow:['exec','read']"),
		  "exec", PEN, YES },
		{ "T17, global alone", IN_PEN("deny:['exec']"), NULL, "exec", PEN,
		  DENY(TOOL_SANDBOX) },
		{ "T17, host", IN_PEN("deny:['exec']"), NULL, "exec", YES },
		{ "T18", IN_PEN("allow:['read','exec']"), IN_PEN("deny:['exec']"), "exec", PEN,
		  DENY(TOOL_SANDBOX) },
		{ "T19", IN_PEN("allow:['group:runtime','group:fs'],deny:['browser']"),
		  IN_PEN("allow:['read'],deny:['exec','write','edit']"), "read", PEN, YES },
		{ "T19", IN_PEN("allow:['group:runtime','group:fs'],deny:['browser']"),
		  IN_PEN("allow:['read'],deny:['exec','write','edit']"), "exec", PEN,
		  DENY(TOOL_SANDBOX) },
		{ "T19", IN_PEN("allow:['group:runtime','group:fs'],deny:['browser']"),
		  IN_PEN("allow:['read'],deny:['exec','write','edit']"), "write", PEN,
		  DENY(TOOL_SANDBOX) },
		{ "T19", IN_PEN("allow:['group:runtime','group:fs'],deny:['browser']"),
		  IN_PEN("allow:['read'],deny:['exec','write','edit']"), "browser", PEN,
		  UNLISTED(TOOL_SANDBOX) },
		{ "T20", IN_PEN("allow:['browser'],deny:['browser']"), NULL, "browser", PEN,
		  DENY(TOOL_SANDBOX) },
		{ "image", IN_PEN("allow:['read'],deny:['image']"), NULL, "view_image", PEN,
		  DENY(TOOL_SANDBOX) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		check_call(&calls[i]);
}

static void providers_and_their_models_are_levels_of_their_own(void **state)
{
	static const char BOTH[] = "{byProvider:{'google-antigravity':{allow:['read']},"
				   "openai:{deny:['exec']},'OpenAI/gpt-5.2':{deny:['read']}}}";
	static const struct call calls[] = {
		{ "provider", BOTH, NULL, "exec", "google-antigravity", UNLISTED(TOOL_PROVIDER) },
		{ "provider", BOTH, NULL, "read", "google-antigravity", YES },
		{ "its models", BOTH, NULL, "exec", "google-antigravity/x",
		  UNLISTED(TOOL_PROVIDER) },
		{ "provider", BOTH, NULL, "exec", "openai", DENY(TOOL_PROVIDER) },
		{ "model first", BOTH, NULL, "read", "openai/gpt-5.2", DENY(TOOL_PROVIDER) },
		{ "model only", BOTH, NULL, "exec", "OPENAI/GPT-5.2", YES },
		{ "another model", BOTH, NULL, "exec", "openai/gpt-6", DENY(TOOL_PROVIDER) },
		{ "another", BOTH, NULL, "exec", "anthropic", YES },
		{ "none", BOTH, NULL, "exec", YES },
		{ "a prefix only", BOTH, NULL, "exec", "open", YES },
		{ "agent's", NULL, BOTH, "exec", "openai", DENY(TOOL_AGENT_PROVIDER) },
		{ "profile", "{byProvider:{openai:{profile:'minimal'}}}", NULL, "exec", "openai",
		  UNLISTED(TOOL_PROVIDER_PROFILE) },
		{ "agent's profile", "{byProvider:{openai:{profile:'minimal'}}}",
		  "{byProvider:{openai:{profile:'full'}}}", "exec", "openai", YES },
		{ "alsoAllow", "{byProvider:{openai:{profile:'minimal',alsoAllow:['exec']}}}", NULL,
		  "exec", "openai", YES },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		check_call(&calls[i]);
}

static void profiles_and_subagents_take_away(void **state)
{
	static const struct call calls[] = {
		{ "full", "{profile:'full'}", NULL, "nosuchtool", YES },
		{ "coding", "{profile:'coding'}", NULL, "exec", YES },
		{ "coding", "{profile:'coding'}", NULL, "message", UNLISTED(TOOL_PROFILE) },
		{ "messaging", "{profile:'messaging'}", NULL, "message", YES },
		{ "messaging", "{profile:'messaging'}", NULL, "exec", UNLISTED(TOOL_PROFILE) },
		{ "agent's", "{profile:'full'}", "{profile:'minimal'}", "exec",
		  UNLISTED(TOOL_PROFILE) },
		{ "agent's", "{profile:'minimal'}", "{profile:'full'}", "exec", YES },
		{ "also", "{profile:'minimal',alsoAllow:['exec']}", NULL, "exec", YES },
		{ "also, write", "{profile:'minimal',alsoAllow:['write']}", NULL, "apply_patch",
		  YES },
		{ "agent's also", "{profile:'minimal',alsoAllow:['exec']}", "{alsoAllow:['read']}",
		  "exec", UNLISTED(TOOL_PROFILE) },
		{ "also without a profile", "{alsoAllow:['exec']}", NULL, "read", YES },
		{ "also under a deny", "{profile:'minimal',alsoAllow:['exec'],deny:['exec']}", NULL,
		  "exec", DENY(TOOL_GLOBAL) },
		{ "subagent", "{subagents:{tools:{deny:['exec']}}}", NULL, "exec", .subagent = true,
		  DENY(TOOL_SUBAGENT) },
		{ "no subagent", "{subagents:{tools:{deny:['exec']}}}", NULL, "exec", YES },
		{ "subagent", "{subagents:{tools:{allow:['read']}}}", NULL, "exec",
		  .subagent = true, UNLISTED(TOOL_SUBAGENT) },
		{ "subagent", "{subagents:{tools:{deny:['exec']}}}",
		  "{subagents:{tools:{allow:['exec']}}}", "exec", .subagent = true,
		  DENY(TOOL_SUBAGENT) },
		{ "subagents lose", NULL, NULL, "gateway", .subagent = true, DENY(TOOL_SUBAGENT) },
		{ "subagents lose", NULL, NULL, "conversations_send", .subagent = true,
		  DENY(TOOL_SUBAGENT) },
		{ "but not", NULL, NULL, "exec", .subagent = true, YES },
		{ "unless named", "{subagents:{tools:{allow:['gateway']}}}", NULL, "gateway",
		  .subagent = true, YES },
		{ "a star is no name", "{subagents:{tools:{allow:['*']}}}", NULL, "gateway",
		  .subagent = true, DENY(TOOL_SUBAGENT) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		check_call(&calls[i]);
}

#define LARGE .groups = TOOL_GROUPS_2026_9

static void groups_have_the_members_of_the_chosen_table(void **state)
{
	static const struct call calls[] = {
		{ "runtime", "{allow:['group:runtime']}", NULL, "bash", YES },
		{ "runtime", "{allow:['group:runtime']}", NULL, "process", YES },
		{ "runtime", "{allow:['group:runtime']}", NULL, "secrets", UNLISTED(TOOL_GLOBAL) },
		{ "runtime", "{allow:['group:runtime']}", NULL, "secrets", LARGE, YES },
		{ "fs", "{allow:['group:fs']}", NULL, "ls", UNLISTED(TOOL_GLOBAL) },
		{ "fs", "{allow:['group:fs']}", NULL, "ls", LARGE, YES },
		{ "sessions", "{deny:['group:sessions']}", NULL, "session_status",
		  DENY(TOOL_GLOBAL) },
		{ "sessions", "{deny:['group:sessions']}", NULL, "agents_wait", YES },
		{ "sessions", "{deny:['group:sessions']}", NULL, "agents_wait", LARGE,
		  DENY(TOOL_GLOBAL) },
		{ "memory", "{allow:['group:memory']}", NULL, "memory_get", YES },
		{ "ui", "{allow:['group:ui']}", NULL, "canvas", YES },
		{ "automation", "{deny:['group:automation']}", NULL, "cron", DENY(TOOL_GLOBAL) },
		{ "automation", "{deny:['group:automation']}", NULL, "automations",
		  DENY(TOOL_GLOBAL) },
		{ "automation", "{deny:['group:automation']}", NULL, "cron", LARGE,
		  DENY(TOOL_GLOBAL) },
		{ "cron", "{deny:['cron']}", NULL, "automations", LARGE, DENY(TOOL_GLOBAL) },
		{ "messaging", "{allow:['group:messaging']}", NULL, "message", YES },
		{ "nodes", "{allow:['group:nodes']}", NULL, "computer", UNLISTED(TOOL_GLOBAL) },
		{ "nodes", "{allow:['group:nodes']}", NULL, "computer", LARGE, YES },
		{ "openclaw", "{allow:['group:openclaw']}", NULL, "exec", YES },
		{ "openclaw", "{allow:['group:openclaw']}", NULL, "exec", LARGE,
		  UNLISTED(TOOL_GLOBAL) },
		{ "openclaw", "{allow:['group:openclaw']}", NULL, "my_plugin",
		  UNLISTED(TOOL_GLOBAL) },
		{ "plugins", "{deny:['group:plugins']}", NULL, "my_plugin", DENY(TOOL_GLOBAL) },
		{ "a denied spelling", "{deny:['ba*']}", NULL, "bash", DENY(TOOL_GLOBAL) },
		{ "an allowed spelling", "{allow:['ba*']}", NULL, "bash", UNLISTED(TOOL_GLOBAL) },
		{ "stars", "{allow:['*_*e*']}", NULL, "memory_search", YES },
		{ "stars", "{allow:['*ss*s_lis']}", NULL, "sessions_list", UNLISTED(TOOL_GLOBAL) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		check_call(&calls[i]);
}

/* ---- what holds for any configuration ---------------------------------------------------------
 */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void add(char *text, size_t size, const char *more)
{
	size_t len = strlen(text);

	if (len + strlen(more) < size)
		memcpy(text + len, more, strlen(more) + 1);
}

static void add_list(char *text, size_t size, const char *key, uint32_t *seed)
{
	static const char *const words[] = {
		"'exec'",  "'read'",          "'write'",          "'*'",        "'group:fs'",
		"'sess*'", "'bash'",          "'browser'",        "'mem*'",     "''",
		"'cron'",  "'group:runtime'", "'web_*'",          "'gateway'",  "'*_*'",
		"'ls'",    "'EDIT'",          "'group:openclaw'", "'telegram'", "'group:plugins'",
	};

	add(text, size, key);
	add(text, size, ":[");
	for (uint32_t n = next_random(seed) % 4; n > 0; n--) {
		add(text, size, words[next_random(seed) % ARRAY_SIZE(words)]);
		add(text, size, ",");
	}
	add(text, size, "],");
}

static void add_block(char *text, size_t size, bool with_profile, uint32_t *seed)
{
	static const char *const profiles[] = { "minimal", "coding", "messaging", "full" };
	uint32_t bits = next_random(seed);

	if (with_profile && bits % 8 == 0) {
		add(text, size, "profile:'");
		add(text, size, profiles[next_random(seed) % ARRAY_SIZE(profiles)]);
		add(text, size, "',");
	}
	if (bits & 16)
		add_list(text, size, bits & 32 ? "allow" : "alsoAllow", seed);
	if (bits & 64)
		add_list(text, size, "deny", seed);
}

static void random_tools(char *text, size_t size, uint32_t *seed)
{
	text[0] = '\0';
	add(text, size, "{");
	add_block(text, size, true, seed);
	add(text, size, "byProvider:{p:{");
	add_block(text, size, true, seed);
	add(text, size, "},'p/m':{");
	add_block(text, size, true, seed);
	add(text, size, "}},sandbox:{tools:{");
	add_block(text, size, false, seed);
	add(text, size, "}},subagents:{tools:{");
	add_block(text, size, false, seed);
	add(text, size, "}}}");
}

/* A level blocks, whatever the others say; no level makes up for another's refusal. */
static void check_verdict(const char *text, const struct tool_query *q)
{
	struct tool_verdict v;
	bool all = true;

	tool_judge(q, &v);
	for (int i = 0; i < TOOL_LEVELS; i++) {
		enum tool_outcome o = v.step[i].outcome;

		if (o == TOOL_DENIED || o == TOOL_NOT_ALLOWED) {
			if (all && v.level != (enum tool_level)i)
				fail_msg("%s: not the first that blocks", text);
			all = false;
		}
	}
	if (v.allowed != all)
		fail_msg("%s: %s is allowed against a level", text, q->tool->name);
}

static bool judge_with(struct tool_query q, const struct tool_rules *global,
		       const struct tool_rules *agent)
{
	struct tool_verdict v;

	q.global = global;
	q.agent = agent;
	tool_judge(&q, &v);
	return v.allowed;
}

/* Taking whole levels out never takes a tool away: hence each of them can only take away. */
static void check_narrowing(const char *text, const struct tool_query *q)
{
	struct tool_rules less = *q->global;
	struct tool_rules agent = *q->agent;

	if (!judge_with(*q, q->global, q->agent))
		return;
	less.own.deny = (struct tool_list){ 0 };
	if (!judge_with(*q, &less, q->agent))
		fail_msg("%s: the global deny adds %s", text, q->tool->name);
	less.n_providers = 0;
	agent.n_providers = 0;
	if (!judge_with(*q, &less, &agent))
		fail_msg("%s: a provider's level adds %s", text, q->tool->name);
	agent.own = (struct tool_block){ .profile = agent.own.profile,
					 .profile_origin = agent.own.profile_origin,
					 .also = agent.own.also };
	if (!judge_with(*q, &less, &agent))
		fail_msg("%s: the agent's level adds %s", text, q->tool->name);
	agent.own = (struct tool_block){ 0 };
	less.own = (struct tool_block){ 0 };
	if (!judge_with(*q, &less, &agent))
		fail_msg("%s: the profile or the global level adds %s", text, q->tool->name);
	if (!judge_with(
		(struct tool_query){
		    .tool = q->tool, .groups = q->groups, .sandboxed = false, .subagent = false },
		&less, &agent))
		fail_msg("%s: the pen or being a subagent adds %s", text, q->tool->name);
}

static void no_level_ever_adds_a_tool(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct tool_rules global;
		struct tool_rules agent;
		char text[2][2048];
		uint32_t bits = next_random(&seed);

		random_tools(text[0], sizeof(text[0]), &seed);
		random_tools(text[1], sizeof(text[1]), &seed);
		read_rules(text[0], &global);
		read_rules(text[1], &agent);
		for (size_t i = 0; TOOL_BUILT_IN[i]; i++) {
			struct tool_name tool;
			struct tool_query q = {
				.global = &global,
				.agent = &agent,
				.groups = bits & 1 ? TOOL_GROUPS_2026_9 : TOOL_GROUPS_CLASSIC,
				.tool = &tool,
				.provider = bits & 2   ? "p/m"
					    : bits & 4 ? "p/other"
						       : NULL,
				.sandboxed = bits & 8,
				.subagent = bits & 16,
			};

			assert_int_equal(tool_name_read(TOOL_BUILT_IN[i], q.groups, &tool), 0);
			check_verdict(text[0], &q);
			check_narrowing(text[0], &q);
		}
		tool_rules_done(&global);
		tool_rules_done(&agent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(general_levels_decide_as_the_cases_say),
		cmocka_unit_test(the_pens_level_decides_as_the_cases_say),
		cmocka_unit_test(providers_and_their_models_are_levels_of_their_own),
		cmocka_unit_test(profiles_and_subagents_take_away),
		cmocka_unit_test(groups_have_the_members_of_the_chosen_table),
		cmocka_unit_test(no_level_ever_adds_a_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
