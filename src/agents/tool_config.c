/* SPDX-License-Identifier: MIT */
#include "agents/tool_config.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "agents/config.h"
#include "base/clean.h"
#include "base/json5_tree.h"

static const char *const PLUGINS[] = { "pinfold", "local-user-sandbox" };

/* The value that chooses the table, and where it stands: the agent's own wins. */
static const struct json5 *find_groups(const struct agents_config *c)
{
	const struct json5 *v = agents_config_global(c, "tools.toolGroups");

	if (!v)
		v = agents_config_global(c, "toolGroups");
	for (size_t i = 0; i < ARRAY_SIZE(PLUGINS) && !v; i++)
		v = json5_at(agents_config_plugin(c, PLUGINS[i]), "toolGroups");
	return v;
}

static int read_groups(const struct agents_config *c, enum tool_groups *ret,
		       struct pinfold_error *e)
{
	const struct json5 *v = find_groups(c);

	*ret = TOOL_GROUPS_CLASSIC;
	return v ? tool_groups_parse(v, v->file ? v->file : "", ret, e) : 0;
}

int tool_config_read(const struct agents_config *c, const char *agent, struct tool_config *ret,
		     struct pinfold_error *e)
{
	const struct json5 *tools = agents_config_node(c, agent, "tools");
	struct tool_config t = { 0 };
	int r = tool_rules_parse(agents_config_global(c, "tools"), c->path, &t.global, e);

	if (!tools)
		tools = agents_config_default(c, "tools");
	if (r == 0)
		r = tool_rules_parse(tools, c->path, &t.agent, e);
	if (r == 0)
		r = read_groups(c, &t.groups, e);
	if (r < 0) {
		tool_config_done(&t);
		return r;
	}
	if (t.agent.groups_given)
		t.groups = t.agent.groups;
	*ret = t;
	return 0;
}

void tool_config_done(struct tool_config *t)
{
	tool_rules_done(&t->global);
	tool_rules_done(&t->agent);
	*t = (struct tool_config){ 0 };
}
