/* SPDX-License-Identifier: MIT */
/* The sandbox of one agent, field by field; cases C1 to C14 of the gateway. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agents/sandbox.h"
#include "agents_help.h"
#include "base/clean.h"

static struct agents_config *config;
static struct agents_sandbox box;

static void load(const char *text, const char *agent)
{
	struct pinfold_error e = { 0 };
	char id[AGENT_ID_MAX + 1];

	if (help_load(text, &config, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(agents_config_agent_id(config, agent, id, &e), 0);
	if (sandbox_resolve(config, id, &box, &e) < 0)
		fail_msg("%s", e.text);
}

static int unload(void **state)
{
	sandbox_done(&box);
	agents_config_free(config);
	config = NULL;
	return help_remove_dir(state);
}

static const char *text_at(const struct json5 *v, const char *name)
{
	const struct json5 *m = json5_at(v, name);

	return m && m->string ? m->string : "(none)";
}

static void refuses(const char *text, const char *words)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	assert_int_equal(help_load(text, &c, &e), -EINVAL);
	if (!strstr(e.text, words))
		fail_msg("'%s' does not say '%s'", e.text, words);
}

/* C1 */
static void without_a_word_nothing_is_fenced_and_the_scope_is_the_session(void **state)
{
	(void)state;
	load("{}", NULL);
	assert_int_equal(box.mode, MODE_OFF);
	assert_int_equal(box.scope, SCOPE_SESSION);
	assert_int_equal(box.access, WORKSPACE_NONE);
	assert_int_equal(box.visibility, VISIBLE_SPAWNED);
	assert_false(box.fence_to_lane);
	assert_string_equal(box.backend, "pinfold");
	assert_non_null(strstr(box.workspace, "/.openclaw/workspace"));
	assert_non_null(strstr(box.workspace_root, "/.openclaw/sandboxes"));
}

/* C2, C3 */
static void an_agents_field_wins_and_the_others_stay(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { mode: 'all', workspaceAccess: 'rw', scope: "
	     "'agent', fenceToLane: true } }, entries: { w: { sandbox: { mode: 'off', scope: "
	     "'session' } } } } }",
	     "w");
	assert_int_equal(box.mode, MODE_OFF);
	assert_int_equal(box.access, WORKSPACE_RW);
	assert_int_equal(box.scope, SCOPE_SESSION);
	assert_true(box.fence_to_lane);
	assert_int_equal(box.warnings.n, 0);
}

/* C4, C5, C10 */
static void a_shared_scope_ignores_the_agents_docker_browser_and_prune(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { scope: 'shared', docker: { image: 'g', network: "
	     "'bridge' } } }, entries: { w: { sandbox: { docker: { image: 'a', network: 'none', "
	     "memory: '1g' }, prune: { idleHours: 0 } } } } } }",
	     "w");
	assert_string_equal(text_at(box.docker, "image"), "g");
	assert_string_equal(text_at(box.docker, "network"), "bridge");
	assert_string_equal(text_at(box.docker, "memory"), "(none)");
	assert_string_equal(text_at(box.policy, "limits.memory"), "(none)");
	assert_int_equal(box.warnings.n, 2);
	assert_non_null(strstr(box.warnings.s[0], "docker) is ignored"));
}

static void also_when_the_agent_itself_chose_it(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { docker: { image: 'g' } } }, entries: { w: { "
	     "sandbox: { scope: 'shared', docker: { image: 'a' } } } } } }",
	     "w");
	assert_string_equal(text_at(box.docker, "image"), "g");
}

/* C6, C7, C9 */
static void docker_merges_by_field_env_by_name_and_binds_add_up(void **state)
{
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text),
		 "{ agents: { defaults: { workspace: '%s/ws', sandbox: { docker: { "
		 "binds: ['%s/ws/a:/a'], env: { A: '1', B: '1' }, capDrop: ['ALL', 'X'], "
		 "ulimits: { nproc: 1, nofile: 2 } } } }, entries: { w: { workspace: '%s/ws', "
		 "sandbox: { docker: { binds: ['%s/ws/b:/b:ro'], env: { B: '2' }, "
		 "capDrop: ['ALL'], ulimits: { nproc: 5 } } } } } } }",
		 help_dir, help_dir, help_dir, help_dir);
	load(text, "w");
	assert_int_equal(box.n_binds, 2);
	assert_non_null(strstr(box.bind[0].source, "/ws/a"));
	assert_false(box.bind[0].read_only);
	assert_string_equal(box.bind[1].target, "/b");
	assert_true(box.bind[1].read_only);
	assert_string_equal(text_at(box.docker, "env.A"), "1");
	assert_string_equal(text_at(box.docker, "env.B"), "2");
	assert_string_equal(text_at(box.policy, "identity.setEnv.B"), "2");
	assert_string_equal(text_at(box.docker, "ulimits.nproc"), "5");
	assert_string_equal(text_at(box.docker, "ulimits.nofile"), "2");
	assert_null(json5_at(box.docker, "capDrop")->child->next);
}

/* C6, C8; LANG is the pen's own in any case. */
static void an_empty_list_of_the_agent_clears_nothing_and_its_env_stands_alone(void **state)
{
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 "{ agents: { defaults: { workspace: '%s/ws', sandbox: { docker: { "
		 "binds: ['%s/ws/a:/a'] } } }, entries: { w: { workspace: '%s/ws', "
		 "sandbox: { docker: { binds: [], env: { B: '2' } } } } } } }",
		 help_dir, help_dir, help_dir);
	load(text, "w");
	assert_int_equal(box.n_binds, 1);
	assert_string_equal(text_at(box.policy, "identity.setEnv.B"), "2");
	assert_null(json5_at(box.policy, "identity.setEnv")->child->next);
}

/* C11 */
static void an_agent_can_take_a_dangerous_flag_back(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { docker: { dangerouslyAllowExternalBindSources: "
	     "true } } }, entries: { w: { sandbox: { docker: { "
	     "dangerouslyAllowExternalBindSources: false } } } } } }",
	     "w");
	assert_int_equal(json5_at(box.docker, "dangerouslyAllowExternalBindSources")->type,
			 JSON5_FALSE);
}

/* C12 */
static void a_backend_is_shown_without_blanks_around_it(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { backend: 'ssh' } }, entries: { w: { sandbox: { "
	     "backend: ' confine-probe ' } } } } }",
	     "w");
	assert_string_equal(box.backend, "confine-probe");
}

/* C13 */
static void an_agents_id_counts_in_any_case(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { mode: 'all' } }, entries: { w: { sandbox: { mode: "
	     "'off' } } } } }",
	     "W");
	assert_int_equal(box.mode, MODE_OFF);
}

/* C14 */
static void per_session_is_the_old_scope_where_no_scope_stands(void **state)
{
	static const struct {
		const char *sandbox;
		enum sandbox_scope scope;
	} CASES[] = {
		{ "{ perSession: true }", SCOPE_SESSION },
		{ "{ perSession: false }", SCOPE_SHARED },
		{ "{ perSession: false, scope: 'agent' }", SCOPE_AGENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		char text[256];

		snprintf(text, sizeof(text), "{ agents: { defaults: { sandbox: %s } } }",
			 CASES[i].sandbox);
		load(text, NULL);
		assert_int_equal(box.scope, CASES[i].scope);
		sandbox_done(&box);
		agents_config_free(config);
		config = NULL;
	}
	(void)state;
}

static void security_is_the_base_of_every_agent(void **state)
{
	(void)state;
	load("{ security: { sandbox: { mode: 'non-main', implementation: 'auto', network: { "
	     "allowOutbound: ['a.example:443'], denyOutbound: ['10.0.0.0/8'], allowInbound: false "
	     "} } }, agents: { instances: { main: { sandbox: { network: { allowOutbound: "
	     "['b.example:443'], denyOutbound: ['192.168.0.0/16'] } } } } } }",
	     "main");
	assert_int_equal(box.mode, MODE_NON_MAIN);
	assert_string_equal(json5_at(box.policy, "network.allowOutbound")->child->string,
			    "b.example:443");
	assert_null(json5_at(box.policy, "network.allowOutbound")->child->next);
	/* A deny below is not lifted by one above. */
	assert_string_equal(json5_at(box.policy, "network.denyOutbound")->child->string,
			    "10.0.0.0/8");
	assert_string_equal(json5_at(box.policy, "network.denyOutbound")->child->next->string,
			    "192.168.0.0/16");
	assert_int_equal(json5_at(box.policy, "network.allowInbound")->type, JSON5_FALSE);
}

static void the_plugins_config_gives_the_identity(void **state)
{
	(void)state;
	load("{ plugins: { entries: { 'local-user-sandbox': { config: { uid: 12345, home: "
	     "'/srv/h' } } } }, agents: { defaults: { sandbox: { backend: 'local-user', "
	     "workspaceAccess: 'rw' } } } }",
	     NULL);
	assert_string_equal(text_at(box.policy, "identity.uid"), "12345");
	assert_string_equal(text_at(box.policy, "identity.gid"), "12345");
	assert_string_equal(text_at(box.policy, "identity.home"), "/srv/h");
	assert_string_equal(text_at(box.policy, "identity.path"), "/usr/local/bin:/usr/bin:/bin");
	assert_int_equal(json5_at(box.policy, "identity.handover")->type, JSON5_TRUE);
}

static void it_does_not_count_for_another_backend_or_switched_off(void **state)
{
	(void)state;
	load("{ plugins: { entries: { 'local-user-sandbox': { config: { uid: 12345 } }, pinfold: { "
	     "enabled: false, config: { uid: 777 } } } } }",
	     NULL);
	assert_null(json5_at(box.policy, "identity.uid"));
}

static void fence_to_lane_without_rw_is_a_warning(void **state)
{
	(void)state;
	load("{ agents: { defaults: { sandbox: { fenceToLane: true } } } }", NULL);
	assert_int_equal(box.warnings.n, 1);
	assert_non_null(strstr(box.warnings.s[0], "each other's seeded files"));
}

static void each_of_several_agents_has_a_workspace_of_its_own(void **state)
{
	static const char text[] = "{ agents: { defaults: { workspace: '/srv/ws' }, list: [{ id: "
				   "'a', workspace: '/srv/a' }, { id: 'b' }] } }";

	(void)state;
	load(text, "a");
	assert_string_equal(box.workspace, "/srv/a");
	sandbox_done(&box);
	agents_config_free(config);
	load(text, "b");
	assert_string_equal(box.workspace, "/srv/ws/b");
}

static void what_is_ours_is_read_strictly(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} CASES[] = {
		{ "{ agents: { defaults: { sandbox: { mode: 'on' } } } }",
		  "agents.defaults.sandbox.mode: one of \"off\", \"non-main\", \"all\"" },
		{ "{ agents: { list: [{ id: 'a', sandbox: { mod: 'all' } }] } }",
		  "c.json:1:47: agents.list[0].sandbox.mod: no such member" },
		{ "{ agents: { entries: { a: { sandbox: { docker: { imag: 'x' } } } } } }",
		  "agents.entries.a.sandbox.docker.imag: no such member" },
		{ "{ agents: { defaults: { sandbox: { backend: ' ' } } } }", "an empty string" },
		{ "{ agents: { defaults: { sandbox: { docker: { network: ' HOST ' } } } } }",
		  "docker.network: \"host\" is refused" },
		{ "{ agents: { defaults: { sandbox: { browser: { network: 'host' } } } } }",
		  "browser.network: \"host\" is refused" },
		{ "{ agents: { defaults: { sandbox: { docker: { network: 'container:abc' } } } } }",
		  "dangerouslyAllowContainerNamespaceJoin" },
		{ "{ agents: { defaults: { sandbox: { docker: { seccompProfile: 'Unconfined' } } } "
		  "} }",
		  "\"unconfined\" is refused" },
		{ "{ agents: { defaults: { sandbox: { docker: { binds: [''] } } } } }",
		  "binds[0]: an empty string" },
		{ "{ agents: { defaults: { sandbox: { network: { allowOutbound: ['https://x'] } } "
		  "} } }",
		  "agents.defaults.sandbox.network.allowOutbound[0]" },
		{ "{ agents: { defaults: { sandbox: { identity: { uid: 0, gid: 0 } } } } }",
		  "sandbox.identity.uid" },
		{ "{ security: { sandbox: { workspaceAccess: 'rw' } } }",
		  "security.sandbox.workspaceAccess: no such member" },
		{ "{ sandbox: { network: { icmp: true } } }",
		  "sandbox.network.icmp: no such member" },
		{ "{ plugins: { entries: { pinfold: { config: { uidd: 1 } } } } }",
		  "plugins.entries.pinfold.config.uidd: no such member" },
		{ "{ plugins: { entries: { pinfold: { config: { uid: 0 } } } } }",
		  "plugins.entries.pinfold.config.uid" },
		{ "{ agents: { list: [{ id: 'a' }, { id: 'A ' }] } }",
		  "agents.list[1]: the agent 'a' stands here twice" },
		{ "{ agents: { list: [{ workspace: '/x' }] } }", "an agent wants an \"id\"" },
		{ "{ agents: { defaults: { lanes: { a: { dir: 'x', alowed: {} } } } } }",
		  "agents.defaults.lanes.a.alowed: no such member" },
		{ "{ tools: { elevated: { enabled: 'yes' } } }", "tools.elevated.enabled" },
		{ "{ tools: { alow: [] } }", "tools.alow: no such member" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++)
		refuses(CASES[i].text, CASES[i].words);
}

static void what_is_the_gateways_is_passed_over(void **state)
{
	(void)state;
	load("{ $schema: 'x', gateway: { port: 1 }, models: { x: [] }, agents: { ownership: "
	     "'explicit', defaults: { model: 'm', heartbeat: {} }, list: [{ id: 'main', name: 'M' "
	     "}] }, security: { other: 1 }, tools: { codeMode: { executor: 'quickjs' } }, plugins: "
	     "{ load: {}, entries: { other: { config: { uid: 0 } } } } }",
	     NULL);
	assert_string_equal(box.agent, "main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, help_make_dir, unload)
		T(without_a_word_nothing_is_fenced_and_the_scope_is_the_session),
		T(an_agents_field_wins_and_the_others_stay),
		T(a_shared_scope_ignores_the_agents_docker_browser_and_prune),
		T(also_when_the_agent_itself_chose_it),
		T(docker_merges_by_field_env_by_name_and_binds_add_up),
		T(an_empty_list_of_the_agent_clears_nothing_and_its_env_stands_alone),
		T(an_agent_can_take_a_dangerous_flag_back),
		T(a_backend_is_shown_without_blanks_around_it),
		T(an_agents_id_counts_in_any_case),
		T(per_session_is_the_old_scope_where_no_scope_stands),
		T(security_is_the_base_of_every_agent),
		T(the_plugins_config_gives_the_identity),
		T(it_does_not_count_for_another_backend_or_switched_off),
		T(fence_to_lane_without_rw_is_a_warning),
		T(each_of_several_agents_has_a_workspace_of_its_own),
		T(what_is_ours_is_read_strictly),
		T(what_is_the_gateways_is_passed_over),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
