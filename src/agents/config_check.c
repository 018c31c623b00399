/* SPDX-License-Identifier: MIT */
#include "agents/config_check.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "agents/config.h"
#include "base/clean.h"
#include "base/json5_tree.h"

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

/* Agents by key (entries, instances) or in a list with an id. */
static int check_agents(const struct json5 *place, enum json5_type type, struct pinfold_error *e)
{
	if (!place)
		return 0;
	if (place->type != type)
		return agents_fail(
		    place, e, type == JSON5_ARRAY ? "a list is wanted" : "an object is wanted");
	for (const struct json5 *v = place->child; v; v = v->next) {
		int r = want_object(v, e);

		if (r < 0)
			return r;
		if (type == JSON5_ARRAY && !json5_text(v, "id"))
			return agents_fail(v, e, "an agent wants an \"id\"");
	}
	return 0;
}

int config_check(const struct agents_config *c, struct pinfold_error *e)
{
	static const char *const OBJECTS[] = { "agents",   "agents.defaults", "tools",
					       "security", "plugins",         "plugins.entries" };
	static const struct {
		const char *name;
		enum json5_type type;
	} PLACES[] = {
		{ "agents.entries", JSON5_OBJECT },
		{ "agents.instances", JSON5_OBJECT },
		{ "agents.list", JSON5_ARRAY },
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(OBJECTS) && r == 0; i++)
		r = want_object(json5_at(c->root, OBJECTS[i]), e);
	if (r == 0)
		r = check_spellings(c, e);
	for (size_t i = 0; i < ARRAY_SIZE(PLACES) && r == 0; i++)
		r = check_agents(json5_at(c->root, PLACES[i].name), PLACES[i].type, e);
	return r;
}
