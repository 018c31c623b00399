/* SPDX-License-Identifier: MIT */
/* The gates of `exec` on the host: tools.elevated, and the agent's own. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agents/place.h"
#include "base/clean.h"
#include "base/json5_tree.h"

#define GLOBAL_KEY "tools.elevated"

static void fail(struct elevated_gates *g, const char *gate, const char *format, const char *name)
{
	struct elevated_failure *f;

	if (g->n_failures == ELEVATED_FAILURES_MAX)
		return;
	f = &g->failure[g->n_failures++];
	f->gate = gate;
	snprintf(f->key, sizeof(f->key), "%s.%.100s", format, name);
}

static bool is_off(const struct json5 *elevated)
{
	const struct json5 *v = json5_at(elevated, "enabled");

	return v && v->type == JSON5_FALSE;
}

/* allowFrom.<channel>, channels in any case. */
static const struct json5 *list_of(const struct json5 *elevated, const char *channel)
{
	const struct json5 *from = json5_at(elevated, "allowFrom");

	for (const struct json5 *v = from ? from->child : NULL; v && channel; v = v->next)
		if (strcasecmp(v->key, channel) == 0)
			return v;
	return NULL;
}

static bool has_star(const struct json5 *list)
{
	for (const struct json5 *v = list ? list->child : NULL; v; v = v->next)
		if (v->type == JSON5_STRING && strcmp(v->string, "*") == 0)
			return true;
	return false;
}

/* How fix-it keys write the place of the agent's settings. */
static const char *agent_place(const struct agents_config *c, const char *agent)
{
	const struct json5 *own = agents_config_node(c, agent, "");
	const struct json5 *place = own ? own->parent : NULL;

	if (place && place->type == JSON5_ARRAY)
		return "agents.list[].tools.elevated";
	return place && place->key && strcmp(place->key, "instances") == 0
		   ? "agents.instances.*.tools.elevated"
		   : "agents.entries.*.tools.elevated";
}

static void judge_lists(struct elevated_gates *g, const struct json5 *own, const char *place,
			const char *provider, const char *sender)
{
	char key[128];

	snprintf(key, sizeof(key), "allowFrom.%.100s", provider ? provider : "<provider>");
	if (!lane_has_sender(g->global_list, sender))
		fail(g, "allowFrom", GLOBAL_KEY, key);
	/* Where the agent has lists of its own, a channel's absence is an empty list. */
	if (json5_at(own, "allowFrom") && !lane_has_sender(g->agent_list, sender))
		fail(g, "allowFrom", place, key);
}

void elevated_judge(const struct agents_config *c, const char *agent, const char *provider,
		    const char *sender, struct elevated_gates *ret)
{
	const struct json5 *global = agents_config_global(c, "tools.elevated");
	const struct json5 *own = agents_config_node(c, agent, "tools.elevated");
	const char *place = agent_place(c, agent);
	struct elevated_gates g = { .enabled = !is_off(global) && !is_off(own) };

	g.global_list = list_of(global, provider);
	g.agent_list = list_of(own, provider);
	if (is_off(global))
		fail(&g, "enabled", GLOBAL_KEY, "enabled");
	if (is_off(own))
		fail(&g, "enabled", place, "enabled");
	if (g.enabled)
		judge_lists(&g, own, place, provider, sender);
	g.allowed = g.enabled && g.n_failures == 0;
	g.always = g.allowed && has_star(g.global_list) &&
		   (!json5_at(own, "allowFrom") || has_star(g.agent_list));
	*ret = g;
}
