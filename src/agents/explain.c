/* SPDX-License-Identifier: MIT */
/* The effective sandbox of a call, in words for programs. */
#include "agents/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "base/err.h"
#include "pinfold_agents.h"
#include "policy/read.h"

#define SHAPE_DOCS "https://docs.openclaw.ai/gateway/sandboxing"

static bool add_text(cJSON *object, const char *key, const char *text)
{
	return text ? cJSON_AddStringToObject(object, key, text) != NULL
		    : cJSON_AddNullToObject(object, key) != NULL;
}

static bool add_bool(cJSON *object, const char *key, bool value)
{
	return cJSON_AddBoolToObject(object, key, value) != NULL;
}

static bool add_texts(cJSON *object, const char *key, const struct string_list *l)
{
	cJSON *array = cJSON_AddArrayToObject(object, key);

	for (size_t i = 0; i < l->n && array; i++)
		if (!cJSON_AddItemToArray(array, cJSON_CreateString(l->s[i])))
			return false;
	return array != NULL;
}

/* ---- our shape ------------------------------------------------------------------------------ */

static bool add_fields(cJSON *o, const struct explaining *x)
{
	const struct agents_sandbox *s = &x->d.sandbox;
	const struct agents_place *p = &x->d.place;

	return add_text(o, "agent", p->agent) && add_text(o, "session", p->session) &&
	       add_text(o, "mainSession", p->main_session) &&
	       add_text(o, "mode", MODE_WORDS[s->mode]) &&
	       add_text(o, "scope", SCOPE_WORDS[s->scope]) &&
	       add_text(o, "workspaceAccess", ACCESS_WORDS[s->access]) &&
	       add_bool(o, "fenceToLane", s->fence_to_lane) &&
	       add_text(o, "sessionToolsVisibility", VISIBILITY_WORDS[s->visibility]) &&
	       add_bool(o, "isCurrentlySandboxed", p->in_pen) &&
	       add_text(o, "backend", s->backend) && add_text(o, "workspace", s->workspace) &&
	       add_text(o, "workspaceRoot", s->workspace_root) &&
	       add_text(o, "workdir", explain_workdir(x)) && add_text(o, "scopeKey", p->scope_key);
}

static bool add_lane(cJSON *o, const struct agents_place *p)
{
	cJSON *lane;

	if (p->lane.decision == LANE_ABSENT)
		return add_text(o, "lane", NULL);
	lane = cJSON_AddObjectToObject(o, "lane");
	return lane && add_text(lane, "name", p->lane.name) &&
	       add_text(lane, "decision", lane_decision_word(p->lane.decision)) &&
	       add_text(lane, "directory", p->lane_dir) && add_bool(lane, "fenced", p->lane_fenced);
}

static bool add_tool_policy(cJSON *o, const struct explaining *x)
{
	cJSON *policy = cJSON_AddObjectToObject(o, "sandboxToolPolicy");
	struct explain_sources from;

	if (!policy || !explain_tools(x, policy, &from))
		return false;
	/* A block holds as a whole: where one list was given, the block is the source. */
	return add_text(policy, "source",
			strcmp(from.allow, "default") != 0 ? from.allow : from.deny);
}

static bool add_binds(cJSON *o, const struct agents_sandbox *s)
{
	cJSON *array = cJSON_AddArrayToObject(o, "binds");

	for (size_t i = 0; i < s->n_binds && array; i++) {
		cJSON *one = cJSON_CreateObject();

		if (!add_text(one, "source", s->bind[i].source) ||
		    !add_bool(one, "writable", !s->bind[i].read_only) ||
		    !cJSON_AddItemToArray(array, one)) {
			cJSON_Delete(one);
			return false;
		}
	}
	return array != NULL;
}

static bool add_sources(cJSON *o, const struct agents_sandbox *s)
{
	cJSON *sources = cJSON_AddObjectToObject(o, "sources");
	bool ok = sources != NULL;

	for (int f = 0; f < FIELD_MAX && ok; f++) {
		char origin[PINFOLD_ERROR_MAX] = "default";

		if (s->from[f])
			agents_origin(s->from[f], origin, sizeof(origin));
		ok = add_text(sources, sandbox_field_name((enum sandbox_field)f), origin);
	}
	return ok;
}

/* Takes value over. */
static bool add_item(cJSON *o, const char *key, cJSON *value)
{
	if (value && cJSON_AddItemToObject(o, key, value))
		return true;
	cJSON_Delete(value);
	return false;
}

struct cJSON *explain_own(const struct explaining *x)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = add_fields(o, x) && add_lane(o, &x->d.place) && add_tool_policy(o, x) &&
		  add_item(o, "elevatedGates", explain_gates(x, true)) &&
		  add_item(o, "fixItKeys", explain_keys(x, true)) && add_binds(o, &x->d.sandbox) &&
		  add_sources(o, &x->d.sandbox) && add_texts(o, "steps", &x->d.place.steps) &&
		  add_texts(o, "warnings", &x->d.sandbox.warnings);

	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* ---- the gateway's shape -------------------------------------------------------------------- */

static bool add_mount(cJSON *array, const char *root, bool writable, const char *source)
{
	cJSON *one = cJSON_CreateObject();

	if (add_text(one, "hostRoot", root) && add_text(one, "containerRoot", root) &&
	    add_bool(one, "writable", writable) && add_text(one, "source", source) &&
	    cJSON_AddItemToArray(array, one))
		return true;
	cJSON_Delete(one);
	return false;
}

/* Whether the backend is one of these, in any case. */
static bool backend_is(const struct agents_sandbox *s, const char *const *names)
{
	for (; *names; names++)
		if (strcasecmp(s->backend, *names) == 0)
			return true;
	return false;
}

/* The gateway knows of mounts where it makes the container itself; a plugin's are the plugin's. */
static bool is_container(const struct agents_sandbox *s)
{
	static const char *const NAMES[] = { "docker", "podman", NULL };

	return !s->from[FIELD_BACKEND] || backend_is(s, NAMES);
}

static bool add_workdir(cJSON *o, const struct explaining *x)
{
	static const char *const KNOWN[] = { BACKEND_PINFOLD, BACKEND_LOCAL_USER, "ssh", NULL };
	const struct agents_sandbox *s = &x->d.sandbox;

	/* Of a backend that isn't there nobody knows it. */
	return (!is_container(s) && !backend_is(s, KNOWN)) ||
	       add_text(o, "runtimeWorkdir", explain_workdir(x));
}

/* A pen shows everything at its own path. */
static bool add_mounts(cJSON *o, const struct explaining *x)
{
	const struct agents_sandbox *s = &x->d.sandbox;
	cJSON *array = cJSON_AddArrayToObject(o, "workspaceMounts");
	bool ok = array != NULL;

	if (!ok || !x->d.place.in_pen || !is_container(s))
		return ok;
	ok = add_mount(array, explain_workdir(x), s->access != WORKSPACE_RO, "workspace");
	if (ok && s->access == WORKSPACE_RO)
		ok = add_mount(array, s->workspace, false, "agent");
	for (size_t i = 0; i < s->n_binds && ok; i++)
		ok = add_mount(array, s->bind[i].source, !s->bind[i].read_only, "bind");
	return ok;
}

static bool add_source(cJSON *sources, const struct explaining *x, const char *list,
		       const char *source)
{
	cJSON *o = cJSON_AddObjectToObject(sources, list);
	char key[128];

	snprintf(key, sizeof(key), "%s%stools.sandbox.tools.%s",
		 strcmp(source, "agent") == 0 ? explain_agent_place(x) : "",
		 strcmp(source, "agent") == 0 ? "." : "", list);
	return o && add_text(o, "source", source) && add_text(o, "key", key);
}

static bool add_openclaw_tools(cJSON *o, const struct explaining *x)
{
	cJSON *tools = cJSON_AddObjectToObject(o, "tools");
	struct explain_sources from;
	cJSON *sources;

	if (!tools || !explain_tools(x, tools, &from))
		return false;
	sources = cJSON_AddObjectToObject(tools, "sources");
	return sources && add_source(sources, x, "allow", from.allow) &&
	       add_source(sources, x, "deny", from.deny);
}

static bool add_sandbox(cJSON *o, const struct explaining *x)
{
	const struct agents_sandbox *s = &x->d.sandbox;
	const struct agents_place *p = &x->d.place;
	const char *root = p->in_pen && p->private_dir ? p->private_dir : s->workspace;
	const char *source = !p->in_pen ? "direct" : p->private_dir ? "sandbox" : "agent";

	return add_text(o, "mode", MODE_WORDS[s->mode]) &&
	       add_text(o, "scope", SCOPE_WORDS[s->scope]) && add_text(o, "backend", s->backend) &&
	       add_text(o, "workspaceAccess", ACCESS_WORDS[s->access]) &&
	       add_text(o, "workspaceRoot", s->workspace_root) &&
	       add_text(o, "effectiveHostWorkspaceRoot", root) && add_workdir(o, x) &&
	       add_mounts(o, x) && add_text(o, "workspaceSource", source) &&
	       add_bool(o, "sessionIsSandboxed", p->in_pen) && add_openclaw_tools(o, x);
}

struct cJSON *explain_openclaw(const struct explaining *x)
{
	const struct agents_place *p = &x->d.place;
	cJSON *o = cJSON_CreateObject();
	cJSON *sandbox;
	bool ok = add_text(o, "docsUrl", SHAPE_DOCS) && add_text(o, "agentId", p->agent) &&
		  add_text(o, "sessionKey", p->session) &&
		  add_text(o, "mainSessionKey", p->main_session);

	sandbox = ok ? cJSON_AddObjectToObject(o, "sandbox") : NULL;
	ok = sandbox && add_sandbox(sandbox, x) &&
	     add_item(o, "elevated", explain_gates(x, false)) &&
	     add_item(o, "fixIt", explain_keys(x, false));
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* ---- both ----------------------------------------------------------------------------------- */

static int explain(struct explaining *x, const struct pinfold_call *call,
		   enum pinfold_explain shape, char **ret, struct pinfold_error *e)
{
	int r = agents_decide(x->config, call, &x->d, e);
	cJSON *o;

	if (r == 0)
		r = tool_config_read(x->config, x->d.place.agent, &x->tools, e);
	if (r < 0)
		return r;
	o = shape == PINFOLD_EXPLAIN_OPENCLAW ? explain_openclaw(x) : explain_own(x);
	*ret = o ? cJSON_PrintUnformatted(o) : NULL;
	cJSON_Delete(o);
	return *ret ? 0 : err_set(e, -ENOMEM, "out of memory");
}

int pinfold_agents_explain(const struct pinfold_agents *a, const struct pinfold_call *call,
			   enum pinfold_explain shape, char **ret, struct pinfold_error *e)
{
	struct explaining x = { .config = a->config };
	char *text = NULL;
	int r = explain(&x, call, shape, &text, e);

	tool_config_done(&x.tools);
	agents_decision_done(&x.d);
	if (r == 0)
		*ret = text;
	return r;
}
