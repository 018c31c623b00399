/* SPDX-License-Identifier: MIT */
/* What docker's settings may not ask for: they could be carried over to an engine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agents/sandbox.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/read.h"

#define JOIN_FLAG "dangerouslyAllowContainerNamespaceJoin"
#define HOMES_MAX 8

/* v's text without blanks around it; free() it. */
static char *trimmed(const struct json5 *v)
{
	const char *text = v->string + strspn(v->string, " \t");
	size_t n = strlen(text);

	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	return strndup(text, n);
}

static bool is_set(const struct json5 *docker, const char *flag)
{
	const struct json5 *v = docker ? json5_member(docker, flag) : NULL;

	return v && v->type == JSON5_TRUE;
}

int sandbox_check_network(const struct json5 *v, bool may_join, struct pinfold_error *e)
{
	auto_free char *name = v ? trimmed(v) : NULL;

	if (!v)
		return 0;
	if (!name)
		return err_set(e, -ENOMEM, "out of memory");
	if (strcasecmp(name, "host") == 0)
		return agents_fail(v, e, "\"host\" is refused: it is no network of the pen's own");
	if (strncasecmp(name, "container:", 10) == 0 && !may_join)
		return agents_fail(v, e, "joining a container's network needs docker." JOIN_FLAG);
	return 0;
}

static int check_profiles(const struct json5 *docker, struct pinfold_error *e)
{
	static const char *const PROFILES[] = { "seccompProfile", "apparmorProfile" };

	for (size_t i = 0; i < ARRAY_SIZE(PROFILES); i++) {
		const struct json5 *v = json5_member(docker, PROFILES[i]);
		auto_free char *name = v ? trimmed(v) : NULL;

		if (name && strcasecmp(name, "unconfined") == 0)
			return agents_fail(v, e, "\"unconfined\" is refused");
	}
	return 0;
}

/* ---- binds ---------------------------------------------------------------------------------- */

static void list_homes(const struct agents_config *c, const char *ret[static HOMES_MAX])
{
	const char *const candidates[] = { c->home, getenv("HOME"), getenv("OPENCLAW_HOME"),
					   getenv("USERPROFILE") };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(candidates); i++)
		if (candidates[i] && candidates[i][0] == '/')
			ret[n++] = candidates[i];
	ret[n] = NULL;
}

static int judge_binds(struct agents_sandbox *s, const struct json5 *binds,
		       const struct bind_world *w, struct pinfold_error *e)
{
	int r = 0;

	for (const struct json5 *v = binds ? binds->child : NULL; v && r == 0; v = v->next) {
		struct bind *slot = grow(&s->bind, s->n_binds, sizeof(*slot));

		if (!slot)
			return err_set(e, -ENOMEM, "out of memory");
		r = bind_read(v, w, slot, e);
		if (r == 0)
			s->n_binds++;
	}
	return r;
}

int sandbox_judge_docker(struct agents_sandbox *s, const struct agents_config *c,
			 struct pinfold_error *e)
{
	const char *homes[HOMES_MAX];
	const struct bind_world w = {
		.workspace = s->workspace,
		.private_dir = s->access == WORKSPACE_RW ? NULL : s->workspace_root,
		.homes = homes,
		.allow_reserved = is_set(s->docker, "dangerouslyAllowReservedContainerTargets"),
		.allow_external = is_set(s->docker, "dangerouslyAllowExternalBindSources"),
	};
	int r;

	list_homes(c, homes);
	r = sandbox_check_network(json5_member(s->docker, "network"), is_set(s->docker, JOIN_FLAG),
				  e);
	if (r == 0)
		r = check_profiles(s->docker, e);
	return r < 0 ? r : judge_binds(s, json5_member(s->docker, "binds"), &w, e);
}
