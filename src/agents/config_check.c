/* SPDX-License-Identifier: MIT */
#include "agents/config_check.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "agents/approval.h"
#include "agents/config.h"
#include "agents/lane.h"
#include "agents/sandbox.h"
#include "agents/shape.h"
#include "agents/tool.h"
#include "base/clean.h"
#include "base/json5_tree.h"

/* ---- tables --------------------------------------------------------------------------------- */

static const char *const IMPLEMENTATION_WORDS[] = { "auto", "pinfold", "bubblewrap", "bwrap",
						    NULL };

static const struct shape DOCKER[] = {
	{ "image", shape_text, NULL, 0 },
	{ "containerPrefix", shape_text, NULL, 0 },
	{ "workdir", shape_text, NULL, 0 },
	{ "readOnlyRoot", shape_bool, NULL, 0 },
	{ "tmpfs", shape_texts, NULL, 0 },
	{ "network", shape_text, NULL, 0 },
	{ "user", shape_text, NULL, 0 },
	{ "capDrop", shape_texts, NULL, 0 },
	{ "env", shape_text_map, NULL, 0 },
	{ "setupCommand", shape_text_or_texts, NULL, 0 },
	{ "pidsLimit", shape_count, NULL, 1 },
	{ "memory", shape_size, NULL, 0 },
	{ "memorySwap", shape_size, NULL, 0 },
	{ "cpus", shape_number, NULL, 0 },
	{ "gpus", shape_any, NULL, 0 },
	{ "ulimits", shape_object, NULL, 0 },
	{ "seccompProfile", shape_text, NULL, 0 },
	{ "apparmorProfile", shape_text, NULL, 0 },
	{ "dns", shape_texts, NULL, 0 },
	{ "extraHosts", shape_texts, NULL, 0 },
	{ "binds", shape_texts, NULL, 0 },
	{ "dangerouslyAllowReservedContainerTargets", shape_bool, NULL, 0 },
	{ "dangerouslyAllowExternalBindSources", shape_bool, NULL, 0 },
	{ "dangerouslyAllowContainerNamespaceJoin", shape_bool, NULL, 0 },
	{ 0 },
};

static const struct shape BROWSER[] = {
	{ "enabled", shape_bool, NULL, 0 },
	{ "image", shape_text, NULL, 0 },
	{ "containerPrefix", shape_text, NULL, 0 },
	{ "network", shape_text, NULL, 0 },
	{ "cdpPort", shape_count, NULL, 1 },
	{ "cdpSourceRange", shape_text, NULL, 0 },
	{ "vncPort", shape_count, NULL, 1 },
	{ "noVncPort", shape_count, NULL, 1 },
	{ "headless", shape_bool, NULL, 0 },
	{ "noVncEnabled", shape_bool, NULL, 0 },
	{ "enableNoVnc", shape_bool, NULL, 0 },
	{ "enableVnc", shape_bool, NULL, 0 },
	{ "allowHostControl", shape_bool, NULL, 0 },
	{ "autoStart", shape_bool, NULL, 0 },
	{ "autoStartTimeoutMs", shape_count, NULL, 1 },
	{ "binds", shape_texts, NULL, 0 },
	{ 0 },
};

static const struct shape PRUNE[] = {
	{ "idleHours", shape_count, NULL, 0 },
	{ "maxAgeDays", shape_count, NULL, 0 },
	{ 0 },
};

/* Members without words of their own are a policy's: sandbox_check_policy() reads them. */
static const struct shape SANDBOX[] = {
	{ "mode", shape_word, MODE_WORDS, 0 },
	{ "backend", shape_text, NULL, 0 },
	{ "workspaceAccess", shape_word, ACCESS_WORDS, 0 },
	{ "sessionToolsVisibility", shape_word, VISIBILITY_WORDS, 0 },
	{ "scope", shape_word, SCOPE_WORDS, 0 },
	{ "perSession", shape_bool, NULL, 0 },
	{ "workspaceRoot", shape_text, NULL, 0 },
	{ "fenceToLane", shape_bool, NULL, 0 },
	{ "docker", shape_object, NULL, 0 },
	{ "ssh", shape_object, NULL, 0 },
	{ "browser", shape_object, NULL, 0 },
	{ "prune", shape_object, NULL, 0 },
	{ "network", shape_any, NULL, 0 },
	{ "filesystem", shape_any, NULL, 0 },
	{ "unixSockets", shape_any, NULL, 0 },
	{ "identity", shape_any, NULL, 0 },
	{ "seccomp", shape_any, NULL, 0 },
	{ "limits", shape_any, NULL, 0 },
	{ "onUnavailable", shape_any, NULL, 0 },
	{ "audit", shape_any, NULL, 0 },
	{ 0 },
};

static const struct shape SECURITY[] = {
	{ "mode", shape_word, MODE_WORDS, 0 },
	{ "implementation", shape_word, IMPLEMENTATION_WORDS, 0 },
	{ "network", shape_any, NULL, 0 },
	{ 0 },
};

static const struct shape SECURITY_NETWORK[] = {
	{ "allowOutbound", shape_any, NULL, 0 },
	{ "denyOutbound", shape_any, NULL, 0 },
	{ "allowInbound", shape_any, NULL, 0 },
	{ 0 },
};

static const char *const TOOL_GROUP_WORDS[] = { "classic", "2026.9", NULL };

static const struct shape PLUGIN[] = {
	{ "uid", shape_any, NULL, 0 },
	{ "gid", shape_any, NULL, 0 },
	{ "home", shape_text, NULL, 0 },
	{ "path", shape_text, NULL, 0 },
	{ "network", shape_any, NULL, 0 },
	{ "filesystem", shape_any, NULL, 0 },
	{ "unixSockets", shape_any, NULL, 0 },
	{ "identity", shape_any, NULL, 0 },
	{ "seccomp", shape_any, NULL, 0 },
	{ "limits", shape_any, NULL, 0 },
	{ "onUnavailable", shape_any, NULL, 0 },
	{ "audit", shape_any, NULL, 0 },
	{ "toolGroups", shape_word, TOOL_GROUP_WORDS, 0 },
	{ 0 },
};

/* ---- parts ---------------------------------------------------------------------------------- */

static int want_object(const struct json5 *v, struct pinfold_error *e)
{
	return !v || v->type == JSON5_OBJECT ? 0 : agents_fail(v, e, "an object is wanted");
}

/* Two spellings of one part would leave open which one counts. */
static int check_spellings(const struct agents_config *c, struct pinfold_error *e)
{
	static const char *const PAIRS[][2] = {
		{ "security.sandbox", "sandbox" },
		{ "security.exec-approvals", "exec-approvals" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(PAIRS); i++) {
		const struct json5 *one = json5_at(c->root, PAIRS[i][0]);
		const struct json5 *other = json5_at(c->root, PAIRS[i][1]);

		if (one && other)
			return agents_fail(other, e, "this stands twice, as %s too", PAIRS[i][0]);
	}
	return 0;
}

static int check_table(const struct json5 *v, const char *name, const struct shape *table,
		       struct pinfold_error *e)
{
	const struct json5 *m = json5_member(v, name);

	return m ? shape_check(m, table, e) : 0;
}

static int check_sandbox(const struct agents_config *c, const struct json5 *v,
			 struct pinfold_error *e)
{
	const struct json5 *network = json5_at(v, "browser.network");
	int r = v ? shape_check(v, SANDBOX, e) : 0;

	if (!v || r < 0)
		return r;
	r = check_table(v, "docker", DOCKER, e);
	if (r == 0)
		r = check_table(v, "browser", BROWSER, e);
	if (r == 0)
		r = check_table(v, "prune", PRUNE, e);
	if (r == 0)
		r = sandbox_check_network(network, false, e);
	return r < 0 ? r : sandbox_check_policy(v, c, e);
}

static int check_security(const struct agents_config *c, struct pinfold_error *e)
{
	const struct json5 *v = agents_config_security(c);
	int r = v ? shape_check(v, SECURITY, e) : 0;

	if (!v || r < 0)
		return r;
	r = check_table(v, "network", SECURITY_NETWORK, e);
	return r < 0 ? r : sandbox_check_policy(v, c, e);
}

static int check_plugins(const struct agents_config *c, struct pinfold_error *e)
{
	static const char *const IDS[] = { "pinfold", "local-user-sandbox" };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(IDS) && r == 0; i++) {
		const struct json5 *v = agents_config_plugin(c, IDS[i]);

		r = v ? shape_check(v, PLUGIN, e) : 0;
		if (v && r == 0)
			r = sandbox_check_policy(v, c, e);
	}
	return r;
}

/* Sender lists: {"telegram": ["4711", "*"]}. */
static int check_senders(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	int r = shape_object(v, s, e);

	for (const struct json5 *p = v->child; p && r == 0; p = p->next) {
		if (p->type != JSON5_ARRAY)
			return agents_fail(p, e, "a list of senders is wanted");
		for (const struct json5 *c = p->child; c && r == 0; c = c->next)
			if (c->type != JSON5_STRING && c->type != JSON5_NUMBER)
				r = agents_fail(c, e, "a sender is wanted");
	}
	return r;
}

static const struct shape ELEVATED[] = {
	{ "enabled", shape_bool, NULL, 0 },
	{ "allowFrom", check_senders, NULL, 0 },
	{ 0 },
};

static int check_tools(const struct agents_config *c, const struct json5 *v,
		       struct pinfold_error *e)
{
	struct tool_rules rules = { 0 };
	int r = v ? tool_rules_parse(v, v->file ? v->file : c->path, &rules, e) : 0;

	if (!v || r < 0)
		return r;
	tool_rules_done(&rules);
	return check_table(v, "elevated", ELEVATED, e);
}

/* ---- agents --------------------------------------------------------------------------------- */

static int check_agent(const struct agents_config *c, const struct json5 *v,
		       struct pinfold_error *e)
{
	const struct json5 *workspace = json5_member(v, "workspace");
	const struct json5 *lanes = json5_member(v, "lanes");
	int r = workspace ? shape_text(workspace, NULL, e) : 0;

	if (r == 0 && lanes)
		r = lane_check(lanes, e);
	if (r == 0)
		r = check_sandbox(c, json5_member(v, "sandbox"), e);
	return r < 0 ? r : check_tools(c, json5_member(v, "tools"), e);
}

/* Agents by key (entries, instances) or in a list with an id. */
static int check_place(const struct agents_config *c, const struct json5 *place,
		       enum json5_type type, struct pinfold_error *e)
{
	int r = 0;

	if (!place)
		return 0;
	if (place->type != type)
		return agents_fail(
		    place, e, type == JSON5_ARRAY ? "a list is wanted" : "an object is wanted");
	for (const struct json5 *v = place->child; v && r == 0; v = v->next) {
		r = want_object(v, e);
		if (r == 0 && type == JSON5_ARRAY && !json5_text(v, "id"))
			r = agents_fail(v, e, "an agent wants an \"id\"");
		if (r == 0)
			r = agents_config_check_id(v, e);
		if (r == 0)
			r = check_agent(c, v, e);
	}
	return r;
}

static int check_agents(const struct agents_config *c, struct pinfold_error *e)
{
	static const struct {
		const char *name;
		enum json5_type type;
	} PLACES[] = {
		{ "agents.entries", JSON5_OBJECT },
		{ "agents.instances", JSON5_OBJECT },
		{ "agents.list", JSON5_ARRAY },
	};
	const struct json5 *defaults = json5_at(c->root, "agents.defaults");
	int r = defaults ? check_agent(c, defaults, e) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(PLACES) && r == 0; i++)
		r = check_place(c, json5_at(c->root, PLACES[i].name), PLACES[i].type, e);
	return r;
}

/* What only shows when everything is put together, of every agent. */
static int check_resolved(const struct agents_config *c, struct pinfold_error *e)
{
	size_t n = agents_config_count(c);
	int r = 0;

	for (size_t i = 0; i < (n ? n : 1) && r == 0; i++) {
		struct agents_sandbox s = { 0 };
		char id[AGENT_ID_MAX + 1] = "main";

		if (n > 0)
			agents_config_nth(c, i, id);
		r = sandbox_resolve(c, id, &s, e);
		sandbox_done(&s);
	}
	return r;
}

static int check_approvals(const struct agents_config *c, struct pinfold_error *e)
{
	struct approval_rules *rules = NULL;
	const struct json5 *v = agents_config_approvals(c);
	int r = v ? approval_rules_parse(v, &rules, e) : 0;

	approval_rules_free(rules);
	return r;
}

int config_check(const struct agents_config *c, struct pinfold_error *e)
{
	static const char *const OBJECTS[] = { "agents",   "agents.defaults", "tools",
					       "security", "plugins",         "plugins.entries" };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(OBJECTS) && r == 0; i++)
		r = want_object(json5_at(c->root, OBJECTS[i]), e);
	if (r == 0)
		r = check_spellings(c, e);
	if (r == 0)
		r = check_security(c, e);
	if (r == 0)
		r = check_plugins(c, e);
	if (r == 0)
		r = check_tools(c, json5_at(c->root, "tools"), e);
	if (r == 0)
		r = check_approvals(c, e);
	if (r == 0)
		r = check_agents(c, e);
	return r < 0 ? r : check_resolved(c, e);
}
