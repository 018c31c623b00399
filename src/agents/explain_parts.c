/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "agents/explain.h"
#include "base/clean.h"
#include "base/json5_tree.h"

#define KEY_MAX 320

/* ---- tools ---------------------------------------------------------------------------------- */

static bool has_string(const cJSON *array, const char *text)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, array)
		if (strcmp(v->valuestring, text) == 0)
			return true;
	return false;
}

static bool add_once(cJSON *array, const char *text)
{
	return has_string(array, text) || cJSON_AddItemToArray(array, cJSON_CreateString(text));
}

static bool add_entry(cJSON *array, const char *text, enum tool_groups groups)
{
	if (strncmp(text, TOOL_GROUP_PREFIX, strlen(TOOL_GROUP_PREFIX)) != 0)
		return add_once(array, text);
	for (const char *const *tool = TOOL_BUILT_IN; *tool; tool++) {
		struct tool_name name;

		if (tool_name_read(*tool, groups, &name) == 0 &&
		    tool_pattern_matches(text, &name, groups, TOOL_COMPARE_ALLOW) &&
		    !add_once(array, *tool))
			return false;
	}
	return true;
}

static bool add_list(cJSON *array, const struct tool_list *l, enum tool_groups groups)
{
	for (size_t i = 0; i < l->n; i++)
		if (!add_entry(array, l->entry[i].text, groups))
			return false;
	return true;
}

static bool add_words(cJSON *array, const char *const *words)
{
	for (; *words; words++)
		if (!add_once(array, *words))
			return false;
	return true;
}

/* Of the built-in denies those that nothing allows by name. */
static bool add_default_denies(cJSON *array, const struct tool_block *b, enum tool_groups groups)
{
	for (const char *const *word = TOOL_SANDBOX_DENY; *word; word++) {
		struct tool_name name;
		bool allowed = false;

		if (tool_name_read(*word, groups, &name) < 0)
			continue;
		for (size_t i = 0; i < b->allow.n; i++)
			allowed |= tool_pattern_matches(b->allow.entry[i].text, &name, groups,
							TOOL_COMPARE_ALLOW);
		for (size_t i = 0; i < b->also.n; i++)
			allowed |= tool_pattern_matches(b->also.entry[i].text, &name, groups,
							TOOL_COMPARE_ALLOW);
		if (!allowed && !add_once(array, *word))
			return false;
	}
	return true;
}

bool explain_tools(const struct explaining *x, struct cJSON *object, struct explain_sources *ret)
{
	static const struct tool_block none = { 0 };
	const struct tool_config *t = &x->tools;
	bool own = t->agent.sandbox.given;
	const struct tool_block *b = own                       ? &t->agent.sandbox
				     : t->global.sandbox.given ? &t->global.sandbox
							       : &none;
	const char *source = own ? "agent" : "global";
	cJSON *allow = cJSON_AddArrayToObject(object, "allow");
	cJSON *deny = cJSON_AddArrayToObject(object, "deny");
	bool is_default = !b->allow.given;
	bool ok = allow && deny;

	if (ok && is_default)
		ok = add_words(allow, TOOL_SANDBOX_ALLOW);
	ok = ok && add_list(allow, &b->allow, t->groups) && add_list(allow, &b->also, t->groups);
	ok = ok && (b->deny.given ? add_list(deny, &b->deny, t->groups)
				  : add_default_denies(deny, b, t->groups));
	ret->allow = b->allow.given || b->also.given ? source : "default";
	ret->deny = b->deny.given ? source : "default";
	return ok;
}

/* ---- gates ---------------------------------------------------------------------------------- */

const char *explain_agent_place(const struct explaining *x)
{
	const struct json5 *own = agents_config_node(x->config, x->d.place.agent, "");
	const struct json5 *place = own ? own->parent : NULL;

	if (!place || place->type == JSON5_ARRAY)
		return "agents.list[]";
	return place->key && strcmp(place->key, "instances") == 0 ? "agents.instances.*"
								  : "agents.entries.*";
}

static bool is_told(const struct elevated_failure *f, bool all)
{
	return all || !strchr(f->key, '<');
}

static bool add_senders(cJSON *object, const char *key, const struct json5 *list)
{
	cJSON *array = list ? cJSON_AddArrayToObject(object, key) : NULL;

	if (!list)
		return true;
	for (const struct json5 *v = list->child; v && array; v = v->next)
		if (!cJSON_AddItemToArray(array, cJSON_CreateString(v->string)))
			return false;
	return array != NULL;
}

static bool add_failures(cJSON *object, const struct elevated_gates *g, bool all)
{
	cJSON *array = cJSON_AddArrayToObject(object, "failures");

	for (size_t i = 0; i < g->n_failures && array; i++) {
		const struct elevated_failure *f = &g->failure[i];
		cJSON *one = is_told(f, all) ? cJSON_CreateObject() : NULL;

		if (!is_told(f, all))
			continue;
		if (!cJSON_AddStringToObject(one, "gate", f->gate) ||
		    !cJSON_AddStringToObject(one, "key", f->key) ||
		    !cJSON_AddItemToArray(array, one)) {
			cJSON_Delete(one);
			return false;
		}
	}
	return array != NULL;
}

struct cJSON *explain_gates(const struct explaining *x, bool all)
{
	const struct elevated_gates *g = &x->d.gates;
	const char *provider = place_provider(&x->d.place);
	cJSON *object = cJSON_CreateObject();
	cJSON *from;
	bool ok = cJSON_AddBoolToObject(object, "enabled", g->enabled) &&
		  (!provider || cJSON_AddStringToObject(object, "channel", provider)) &&
		  cJSON_AddBoolToObject(object, "allowedByConfig", g->allowed) &&
		  cJSON_AddBoolToObject(object, "alwaysAllowedByConfig", g->always);

	from = ok ? cJSON_AddObjectToObject(object, "allowFrom") : NULL;
	ok = from && add_senders(from, "global", g->global_list) &&
	     add_senders(from, "agent", g->agent_list) && add_failures(object, g, all);
	if (ok)
		return object;
	cJSON_Delete(object);
	return NULL;
}

struct cJSON *explain_keys(const struct explaining *x, bool all)
{
	static const char *const TOOL_KEYS[] = { "tools.sandbox.tools.allow",
						 "tools.sandbox.tools.deny" };
	const struct elevated_gates *g = &x->d.gates;
	const char *place = explain_agent_place(x);
	cJSON *array = cJSON_CreateArray();
	char key[KEY_MAX];
	bool ok = array != NULL;

	if (ok && x->d.sandbox.mode != MODE_OFF) {
		snprintf(key, sizeof(key), "%s.sandbox.mode=off", place);
		ok = add_once(array, "agents.defaults.sandbox.mode=off") && add_once(array, key);
	}
	for (size_t i = 0; i < ARRAY_SIZE(TOOL_KEYS) && ok; i++)
		ok = add_once(array, TOOL_KEYS[i]);
	for (size_t i = 0; i < ARRAY_SIZE(TOOL_KEYS) && ok; i++) {
		snprintf(key, sizeof(key), "%s.%s", place, TOOL_KEYS[i]);
		ok = add_once(array, key);
	}
	ok = ok && add_once(array, "tools.elevated.enabled");
	for (size_t i = 0; i < g->n_failures && ok; i++)
		ok = !is_told(&g->failure[i], all) || add_once(array, g->failure[i].key);
	if (ok)
		return array;
	cJSON_Delete(array);
	return NULL;
}

const char *explain_workdir(const struct explaining *x)
{
	const struct agents_place *p = &x->d.place;

	if (p->in_pen && p->private_dir)
		return p->private_dir;
	return p->in_pen && p->lane_fenced ? p->lane_dir : x->d.sandbox.workspace;
}
