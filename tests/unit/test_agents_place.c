/* SPDX-License-Identifier: MIT */
/* Where a call runs: modes, origins, keys, directories, lanes, and the gates of elevation. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agents/api.h"
#include "agents_help.h"
#include "agents_place_help.h"
#include "base/clean.h"
#include "pinfold_agents.h"
#include "policy/parse.h"

static void sessions_run_where_the_mode_says(void **state)
{
	static const struct {
		const char *mode;
		const char *session;
		const char *origin;
		bool in_pen;
	} CASES[] = {
		{ "off", "agent:main:main", NULL, false },
		{ "off", "agent:main:telegram:group:1", "channel:telegram", false },
		{ "non-main", "agent:main:main", NULL, false },
		{ "non-main", "main", NULL, false },
		{ "non-main", " agent:main:main ", NULL, false },
		{ "non-main", "agent:main:telegram:group:1", NULL, true },
		{ "non-main", "agent:main:subagent:x", NULL, true },
		{ "non-main", "agent:main:MAIN", NULL, true },
		{ "non-main", "work", NULL, true },
		/* Where it is said, the origin counts, not the key. */
		{ "non-main", "agent:main:main", "channel:telegram", true },
		{ "non-main", "agent:main:work", "cli", false },
		{ "non-main", "agent:main:work", "websocket", false },
		{ "all", "agent:main:main", "cli", true },
		{ "all", "agent:main:main", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct pinfold_call call = { .session = CASES[i].session,
						   .origin = CASES[i].origin };
		char text[128];

		snprintf(text, sizeof(text),
			 "{ agents: { defaults: { sandbox: { mode: '%s' } } } }", CASES[i].mode);
		load(text);
		decide(&call);
		if (decision.place.in_pen != CASES[i].in_pen)
			fail_msg("%s, %s, %s", CASES[i].mode, CASES[i].session, CASES[i].origin);
		assert_true(decision.place.steps.n >= 3);
		forget();
	}
}

static void with_a_global_scope_the_main_session_has_two_names(void **state)
{
	static const struct {
		const char *session;
		bool in_pen;
	} CASES[] = { { "global", false }, { "agent:main:main", false }, { "other", true } };

	(void)state;
	load(
	    "{ session: { scope: 'global' }, agents: { defaults: { sandbox: { mode: 'non-main' } } "
	    "} }");
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct pinfold_call call = { .session = CASES[i].session };

		decide(&call);
		assert_int_equal(decision.place.in_pen, CASES[i].in_pen);
		assert_string_equal(decision.place.main_session, "global");
	}
}

static void calls_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		struct pinfold_call call;
		int code;
		const char *words;
	} CASES[] = {
		{ { .agent = "a", .session = "x", .origin = "carrier-pigeon" }, -EINVAL, "origin" },
		{ { .agent = "a", .session = "x", .origin = "channel:" }, -EINVAL, "origin" },
		{ { .agent = "a", .session = " " }, -EINVAL, "empty" },
		{ { .agent = "a", .session = "x\ny" }, -EINVAL, "control character" },
		{ { .agent = "a", .session = "agent:b:main" }, -EINVAL, "not one of the agent" },
		{ { .agent = "nosuch", .session = "x" }, -ENOENT, "no agent 'nosuch'" },
		{ { .session = "x" }, -ENOENT, "2 agents" },
		{ { .agent = "a", .session = "x", .lane = "nosuch" }, -ENOENT, "no lane" },
	};

	(void)state;
	load("{ agents: { list: [{ id: 'a' }, { id: 'b' }] } }");
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct pinfold_error e;

		assert_int_equal(try_to_decide(&CASES[i].call, &e), CASES[i].code);
		if (!strstr(e.text, CASES[i].words))
			fail_msg("'%s' does not say '%s'", e.text, CASES[i].words);
	}
}

static void the_agent_can_be_told_by_the_sessions_key(void **state)
{
	const struct pinfold_call call = { .session = "agent:B:telegram:1" };

	(void)state;
	load("{ agents: { list: [{ id: 'a' }, { id: 'b' }] } }");
	decide(&call);
	assert_string_equal(decision.place.agent, "b");
}

/* The hashes are the gateway's own for these keys. */
static void keys_and_private_directories_follow_the_scope(void **state)
{
	static const struct {
		const char *scope;
		const char *session;
		const char *key;
	} CASES[] = {
		{ "session", "work", "agent:main:work:workspace:" },
		{ "agent", "work", "agent:main:workspace:" },
		{ "shared", "work", "shared" },
	};
	char same[PATH_MAX] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct pinfold_call call = { .session = CASES[i].session };
		char text[256];

		snprintf(
		    text, sizeof(text),
		    "{ agents: { defaults: { workspace: '/srv/ws', sandbox: { mode: 'all', scope: "
		    "'%s', workspaceRoot: '/srv/sb' } } } }",
		    CASES[i].scope);
		load(text);
		decide(&call);
		assert_non_null(strstr(decision.place.scope_key, CASES[i].key));
		assert_non_null(decision.place.private_dir);
		assert_string_not_equal(decision.place.private_dir, same);
		snprintf(same, sizeof(same), "%s", decision.place.private_dir);
		if (strcmp(CASES[i].scope, "shared") == 0)
			assert_string_equal(decision.place.private_dir, "/srv/sb");
		else
			assert_int_equal(strlen(decision.place.private_dir),
					 strlen("/srv/sb/workspace-") + 32);
		forget();
	}
}

static void with_rw_the_workspace_itself_is_where_it_works(void **state)
{
	const struct pinfold_call call = { .session = "x" };

	(void)state;
	load("{ agents: { defaults: { sandbox: { mode: 'all', workspaceAccess: 'rw' } } } }");
	decide(&call);
	assert_null(decision.place.private_dir);
}

/* ---- lanes ---------------------------------------------------------------------------------- */

#define LANES                                                                                      \
	"{ agents: { defaults: { workspace: '/srv/ws', sandbox: { mode: 'all', workspaceAccess: "  \
	"'rw', fenceToLane: true } }, list: [{ id: 'a', workspace: '/srv/ws', lanes: { alice: { "  \
	"dir: 'lanes/alice', allowed: { telegram: ['1', 'id:2'] } }, guests: { allowed: { "        \
	"discord: ['*'] }, denied: { discord: [666] } }, notes: 'n', away: { dir: '/elsewhere', "  \
	"allowed: { irc: ['*'] } } } }] } }"

static void lanes_are_resolved_by_sender_and_fenced_only_when_allowed(void **state)
{
	static const struct {
		struct pinfold_call call;
		enum lane_decision decision;
		const char *dir;
	} CASES[] = {
		{ { .origin = "channel:telegram", .sender = "1" },
		  LANE_ALLOWED,
		  "/srv/ws/lanes/alice" },
		{ { .origin = "channel:Telegram", .sender = "2" },
		  LANE_ALLOWED,
		  "/srv/ws/lanes/alice" },
		{ { .origin = "channel:telegram", .sender = "3" }, LANE_ABSENT, NULL },
		{ { .origin = "channel:telegram" }, LANE_ABSENT, NULL },
		{ { .origin = "channel:discord", .sender = "7" }, LANE_ALLOWED, "/srv/ws/guests" },
		{ { .origin = "channel:discord", .sender = "666" }, LANE_DENIED, "/srv/ws/guests" },
		{ { .origin = "cli" }, LANE_ABSENT, NULL },
		{ { .origin = "cli", .lane = "notes" }, LANE_ALLOWED, "/srv/ws/n" },
		{ { .origin = "channel:telegram", .sender = "3", .lane = "alice" },
		  LANE_DENIED,
		  "/srv/ws/lanes/alice" },
		{ { .origin = "channel:telegram", .sender = "1", .lane = "alice" },
		  LANE_ALLOWED,
		  "/srv/ws/lanes/alice" },
	};

	(void)state;
	load(LANES);
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		decide(&CASES[i].call);
		if (decision.place.lane.decision != CASES[i].decision)
			fail_msg("case %zu", i);
		assert_int_equal(decision.place.lane_fenced, CASES[i].decision == LANE_ALLOWED);
		if (CASES[i].dir)
			assert_string_equal(decision.place.lane_dir, CASES[i].dir);
		else
			assert_null(decision.place.lane_dir);
	}
}

static void a_lane_outside_the_workspace_is_refused(void **state)
{
	const struct pinfold_call call = { .origin = "channel:irc", .sender = "x" };
	struct pinfold_error e;

	(void)state;
	load(LANES);
	assert_int_equal(try_to_decide(&call, &e), -EINVAL);
	assert_non_null(strstr(e.text, "lanes.away: not a directory below the workspace"));
}

/* ---- policies ------------------------------------------------------------------------------- */

static void policy_of(const struct pinfold_call *call, struct policy *ret)
{
	struct pinfold_error e = { 0 };

	decide(call);
	if (pen_policy(config, &decision.sandbox, &decision.place, ret, &e) < 0)
		fail_msg("%s", e.text);
}

static bool has_rule(const struct policy *p, enum path_right right, const char *path)
{
	for (size_t i = 0; i < p->fs.n; i++)
		if (p->fs.rule[i].right == right && strcmp(p->fs.rule[i].path, path) == 0)
			return true;
	return false;
}

static void a_fenced_lane_is_all_that_the_policy_opens(void **state)
{
	const struct pinfold_call call = { .origin = "channel:telegram", .sender = "1" };
	struct policy p;

	(void)state;
	load(LANES);
	policy_of(&call, &p);
	assert_string_equal(p.workspace, "/srv/ws");
	assert_string_equal(p.lane, "/srv/ws/lanes/alice");
	assert_true(p.fence_to_lane);
	assert_int_equal(p.workspace_access, WORKSPACE_RW);
	policy_done(&p);
}

static void access_none_opens_the_private_directory_and_not_the_workspace(void **state)
{
	const struct pinfold_call call = { .session = "x" };
	struct policy p;

	(void)state;
	load("{ agents: { defaults: { workspace: '/srv/ws', sandbox: { mode: 'all', workspaceRoot: "
	     "'/srv/sb', scope: 'shared' } } } }");
	policy_of(&call, &p);
	assert_string_equal(p.workspace, "/srv/sb");
	assert_int_equal(p.workspace_access, WORKSPACE_RW);
	assert_false(has_rule(&p, PATH_RO, "/srv/ws"));
	assert_true(p.identity.handover);
	policy_done(&p);
}

static void access_ro_shows_the_workspace_and_writes_nowhere(void **state)
{
	const struct pinfold_call call = { .session = "x" };
	struct policy p;

	(void)state;
	load("{ agents: { defaults: { workspace: '/srv/ws', sandbox: { mode: 'all', workspaceRoot: "
	     "'/srv/sb', scope: 'shared', workspaceAccess: 'ro' } } } }");
	policy_of(&call, &p);
	assert_string_equal(p.workspace, "/srv/sb");
	assert_int_equal(p.workspace_access, WORKSPACE_RO);
	assert_true(has_rule(&p, PATH_RO, "/srv/ws"));
	assert_false(p.identity.handover);
	policy_done(&p);
}

static void binds_become_grants_and_the_last_of_a_source_counts(void **state)
{
	const struct pinfold_call call = { .session = "x" };
	struct policy p;

	(void)state;
	load("{ agents: { defaults: { workspace: '/srv/ws', sandbox: { mode: 'all', "
	     "workspaceAccess: "
	     "'rw', docker: { dangerouslyAllowExternalBindSources: true, binds: "
	     "['/srv/ref:/ref:ro', "
	     "'/srv/data:/d', '/srv/twice:/a', '/srv/twice:/b:ro', '/srv/ws:/x'], env: { A: '1', "
	     "PATH: '/evil' }, pidsLimit: 64, memory: '64m', cpus: 1.5 } } } } }");
	policy_of(&call, &p);
	assert_true(has_rule(&p, PATH_RO, "/srv/ref"));
	assert_true(has_rule(&p, PATH_RW, "/srv/data"));
	assert_true(has_rule(&p, PATH_RO, "/srv/twice"));
	assert_false(has_rule(&p, PATH_RW, "/srv/twice"));
	assert_int_equal(p.identity.n_set_env, 1);
	assert_string_equal(p.identity.set_env[0].name, "A");
	assert_int_equal(p.limits.pids, 64);
	assert_int_equal(p.limits.memory, 64u << 20);
	assert_int_equal(p.limits.cpu_percent, 150);
	policy_done(&p);
}

/* ---- elevation ------------------------------------------------------------------------------ */

static void every_gate_has_to_be_open(void **state)
{
	static const struct {
		const char *tools; /* global */
		const char *own;
		struct pinfold_call call;
		bool enabled;
		bool allowed;
		bool always;
		const char *failures[3];
	} CASES[] = {
		/* E1, E8, E9 */
		{ "{}",
		  "{}",
		  { .origin = "channel:webchat", .sender = "9" },
		  true,
		  false,
		  false,
		  { "tools.elevated.allowFrom.webchat" } },
		{ "{ elevated: { enabled: false } }",
		  "{}",
		  { .origin = "cli" },
		  false,
		  false,
		  false,
		  { "tools.elevated.enabled" } },
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{}",
		  { .origin = "channel:webchat", .sender = "9" },
		  true,
		  true,
		  true,
		  { NULL } },
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{ elevated: { enabled: false } }",
		  { .origin = "channel:webchat", .sender = "9" },
		  false,
		  false,
		  false,
		  { "agents.entries.*.tools.elevated.enabled" } },
		/* E10 */
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{ elevated: { allowFrom: { webchat: [] } } }",
		  { .origin = "channel:webchat", .sender = "9" },
		  true,
		  false,
		  false,
		  { "agents.entries.*.tools.elevated.allowFrom.webchat" } },
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{ elevated: { allowFrom: { webchat: ['9'] } } }",
		  { .origin = "channel:webchat", .sender = "9" },
		  true,
		  true,
		  false,
		  { NULL } },
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{ elevated: { allowFrom: { telegram: ['9'] } } }",
		  { .origin = "channel:webchat", .sender = "9" },
		  true,
		  false,
		  false,
		  { "agents.entries.*.tools.elevated.allowFrom.webchat" } },
		{ "{ elevated: { allowFrom: { telegram: ['1', 'e164:+4912'] } } }",
		  "{}",
		  { .origin = "channel:telegram", .sender = "+4912" },
		  true,
		  true,
		  false,
		  { NULL } },
		{ "{ elevated: { allowFrom: { telegram: ['1'] } } }",
		  "{}",
		  { .origin = "channel:telegram", .sender = "11" },
		  true,
		  false,
		  false,
		  { "tools.elevated.allowFrom.telegram" } },
		/* Nobody says who asks. */
		{ "{ elevated: { allowFrom: { telegram: ['1'] } } }",
		  "{}",
		  { .origin = "channel:telegram" },
		  true,
		  false,
		  false,
		  { "tools.elevated.allowFrom.telegram" } },
		{ "{ elevated: { allowFrom: { webchat: ['*'] } } }",
		  "{}",
		  { .origin = "websocket" },
		  true,
		  true,
		  true,
		  { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct elevated_gates *g = &decision.gates;
		char text[512];
		size_t n = 0;

		snprintf(text, sizeof(text),
			 "{ tools: %s, agents: { entries: { a: { tools: %s } } } }", CASES[i].tools,
			 CASES[i].own);
		load(text);
		decide(&CASES[i].call);
		if (g->enabled != CASES[i].enabled || g->allowed != CASES[i].allowed ||
		    g->always != CASES[i].always)
			fail_msg("case %zu", i);
		for (; CASES[i].failures[n]; n++)
			assert_string_equal(g->failure[n].key, CASES[i].failures[n]);
		assert_int_equal(g->n_failures, n);
		forget();
	}
}

/* ---- seeding -------------------------------------------------------------------------------- */

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void a_private_directory_is_seeded_once_and_never_through_a_link(void **state)
{
	const struct pinfold_call call = { .session = "x" };
	struct pinfold_error e = { 0 };
	char text[512];
	char path[PATH_MAX];
	const char *dir;

	(void)state;
	snprintf(path, sizeof(path), "%s/ws", help_dir);
	assert_int_equal(mkdir(path, 0700), 0);
	help_write("ws/AGENTS.md", "agents");
	help_write("ws/OTHER.md", "other");
	help_write("key", "key");
	snprintf(path, sizeof(path), "%s/ws/SOUL.md", help_dir);
	assert_int_equal(symlink("../key", path), 0);
	snprintf(
	    text, sizeof(text),
	    "{ agents: { defaults: { workspace: '%s/ws', sandbox: { mode: 'all', workspaceRoot: "
	    "'%s/a/b' } } } }",
	    help_dir, help_dir);
	load(text);
	decide(&call);
	dir = decision.place.private_dir;
	assert_int_equal(pen_seed(&decision.sandbox, &decision.place, &e), 0);
	assert_true(exists(dir, "AGENTS.md"));
	assert_false(exists(dir, "OTHER.md"));
	assert_false(exists(dir, "SOUL.md"));
	snprintf(path, sizeof(path), "%s/AGENTS.md", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(pen_seed(&decision.sandbox, &decision.place, &e), 0);
	assert_false(exists(dir, "AGENTS.md"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, help_make_dir, unload)
		T(sessions_run_where_the_mode_says),
		T(with_a_global_scope_the_main_session_has_two_names),
		T(calls_that_make_no_sense_are_refused),
		T(the_agent_can_be_told_by_the_sessions_key),
		T(keys_and_private_directories_follow_the_scope),
		T(with_rw_the_workspace_itself_is_where_it_works),
		T(lanes_are_resolved_by_sender_and_fenced_only_when_allowed),
		T(a_lane_outside_the_workspace_is_refused),
		T(a_fenced_lane_is_all_that_the_policy_opens),
		T(access_none_opens_the_private_directory_and_not_the_workspace),
		T(access_ro_shows_the_workspace_and_writes_nowhere),
		T(binds_become_grants_and_the_last_of_a_source_counts),
		T(every_gate_has_to_be_open),
		T(a_private_directory_is_seeded_once_and_never_through_a_link),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
