/* SPDX-License-Identifier: MIT */
#include "agents/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/path_text.h"
#include "policy/read.h"

#define DEFAULT_STATE ".openclaw"
#define DEFAULT_WORKSPACE "workspace"
#define DEFAULT_ROOT "sandboxes"
#define MAIN_AGENT "main"

const char *const MODE_WORDS[] = {
	[MODE_OFF] = "off", [MODE_NON_MAIN] = "non-main", [MODE_ALL] = "all", NULL
};
const char *const SCOPE_WORDS[] = {
	[SCOPE_SESSION] = "session", [SCOPE_AGENT] = "agent", [SCOPE_SHARED] = "shared", NULL
};
const char *const VISIBILITY_WORDS[] = {
	[VISIBLE_SPAWNED] = "spawned", [VISIBLE_ALL] = "all", NULL
};
const char *const ACCESS_WORDS[] = {
	[WORKSPACE_NONE] = "none", [WORKSPACE_RO] = "ro", [WORKSPACE_RW] = "rw", NULL
};

static const char *const FIELD_NAMES[] = {
	[FIELD_MODE] = "mode",
	[FIELD_BACKEND] = "backend",
	[FIELD_SCOPE] = "scope",
	[FIELD_ACCESS] = "workspaceAccess",
	[FIELD_VISIBILITY] = "sessionToolsVisibility",
	[FIELD_WORKSPACE_ROOT] = "workspaceRoot",
	[FIELD_FENCE_TO_LANE] = "fenceToLane",
	[FIELD_IMPLEMENTATION] = "implementation",
};
_Static_assert(ARRAY_SIZE(FIELD_NAMES) == FIELD_MAX, "a name for each field");

const char *sandbox_field_name(enum sandbox_field f)
{
	return FIELD_NAMES[f];
}

/* ---- sources -------------------------------------------------------------------------------- */

/* The backend's plugin is the last word of what lies below the agents' own settings. */
void sandbox_sources(const struct agents_config *c, const char *agent, const char *backend,
		     struct sandbox_sources *ret)
{
	bool local = backend && strcasecmp(backend, BACKEND_LOCAL_USER) == 0;

	*ret = (struct sandbox_sources){ {
	    agents_config_security(c),
	    agents_config_plugin(c, "pinfold"),
	    local ? agents_config_plugin(c, "local-user-sandbox") : NULL,
	    agents_config_default(c, "sandbox"),
	    agents_config_node(c, agent, "sandbox"),
	} };
}

const struct json5 *sandbox_last(const struct sandbox_sources *s, const char *name)
{
	const struct json5 *last = NULL;

	for (size_t i = 0; i < SANDBOX_SOURCES_MAX; i++) {
		const struct json5 *v = s->v[i] ? json5_member(s->v[i], name) : NULL;

		last = v ? v : last;
	}
	return last;
}

/* ---- plain fields --------------------------------------------------------------------------- */

/* The shape has been checked: v is one of the words. */
static int word_of(const struct json5 *v, const char *const *words, int otherwise)
{
	for (int i = 0; v && words[i]; i++)
		if (strcmp(v->string, words[i]) == 0)
			return i;
	return otherwise;
}

static int implementation_of(const struct json5 *v)
{
	if (!v || strcmp(v->string, "auto") == 0)
		return IMPLEMENTATION_AUTO;
	return strcmp(v->string, "pinfold") == 0 ? IMPLEMENTATION_PINFOLD : IMPLEMENTATION_BWRAP;
}

/* perSession is the old spelling: it counts only where no scope stands anywhere. */
static enum sandbox_scope scope_of(const struct sandbox_sources *sources,
				   const struct json5 **ret_from)
{
	const struct json5 *v = sandbox_last(sources, "scope");
	const struct json5 *old = sandbox_last(sources, "perSession");

	*ret_from = v ? v : old;
	if (v || !old)
		return (enum sandbox_scope)word_of(v, SCOPE_WORDS, SCOPE_SESSION);
	return old->type == JSON5_TRUE ? SCOPE_SESSION : SCOPE_SHARED;
}

/* Without blanks around it; a blank one falls through to the source before. */
static char *backend_of(const struct sandbox_sources *sources, const struct json5 **ret_from)
{
	const char *text = BACKEND_PINFOLD;
	size_t n;

	for (size_t i = 0; i < SANDBOX_SOURCES_MAX; i++) {
		const struct json5 *v =
		    sources->v[i] ? json5_member(sources->v[i], "backend") : NULL;

		if (!v || v->string[strspn(v->string, " \t")] == '\0')
			continue;
		text = v->string;
		*ret_from = v;
	}
	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	return strndup(text, n);
}

static void read_words(struct agents_sandbox *s, const struct sandbox_sources *sources)
{
	const struct json5 *fence;

	for (int f = 0; f < FIELD_MAX; f++)
		if (f != FIELD_BACKEND && f != FIELD_SCOPE)
			s->from[f] = sandbox_last(sources, FIELD_NAMES[f]);
	fence = s->from[FIELD_FENCE_TO_LANE];
	s->mode = (enum sandbox_mode)word_of(s->from[FIELD_MODE], MODE_WORDS, MODE_OFF);
	s->access =
	    (enum workspace_access)word_of(s->from[FIELD_ACCESS], ACCESS_WORDS, WORKSPACE_NONE);
	s->visibility = (enum sandbox_visibility)word_of(s->from[FIELD_VISIBILITY],
							 VISIBILITY_WORDS, VISIBLE_SPAWNED);
	s->implementation =
	    (enum sandbox_implementation)implementation_of(s->from[FIELD_IMPLEMENTATION]);
	s->fence_to_lane = fence && fence->type == JSON5_TRUE;
	s->scope = scope_of(sources, &s->from[FIELD_SCOPE]);
}

/* ---- directories ---------------------------------------------------------------------------- */

static int expand(const struct agents_config *c, const struct json5 *v, char **ret,
		  struct pinfold_error *e)
{
	struct pinfold_error why = { 0 };
	int r = path_expand(v->string, c->dir, &c->context, ret, &why);

	if (r == -ENOMEM)
		return err_set(e, r, "out of memory");
	return r < 0 ? agents_fail(v, e, "%s", why.text) : 0;
}

static int join(const char *dir, const char *name, char **ret, struct pinfold_error *e)
{
	return asprintf(ret, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name) < 0
		   ? err_set(e, -ENOMEM, "out of memory")
		   : 0;
}

static int find_state_dir(const struct agents_config *c, char **ret, struct pinfold_error *e)
{
	const char *given = getenv("OPENCLAW_STATE_DIR");
	int r;

	if (!given || given[0] != '/')
		return join(c->home, DEFAULT_STATE, ret, e);
	r = path_clean("/", given, ret);
	return r < 0 ? err_set(e, r, "OPENCLAW_STATE_DIR holds no usable path") : 0;
}

/* The agent's own; the default's, below which each of several agents has a directory of its name;
 * or in the gateway's state. */
static int find_workspace(const struct agents_config *c, struct agents_sandbox *s,
			  struct pinfold_error *e)
{
	const struct json5 *own = agents_config_node(c, s->agent, "workspace");
	const struct json5 *common = agents_config_default(c, "workspace");
	bool is_one = agents_config_count(c) <= 1;
	auto_free char *base = NULL;
	auto_free char *name = NULL;
	int r;

	if (own)
		return expand(c, own, &s->workspace, e);
	if (common) {
		r = expand(c, common, &base, e);
		if (r < 0)
			return r;
		if (!is_one)
			return join(base, s->agent, &s->workspace, e);
		s->workspace = take_ptr(base);
		return 0;
	}
	if (is_one || strcmp(s->agent, MAIN_AGENT) == 0)
		return join(s->state_dir, DEFAULT_WORKSPACE, &s->workspace, e);
	if (asprintf(&name, DEFAULT_WORKSPACE "-%s", s->agent) < 0)
		return err_set(e, -ENOMEM, "out of memory");
	return join(s->state_dir, name, &s->workspace, e);
}

static int find_directories(const struct agents_config *c, struct agents_sandbox *s,
			    struct pinfold_error *e)
{
	int r = find_state_dir(c, &s->state_dir, e);

	if (r == 0)
		r = find_workspace(c, s, e);
	if (r < 0)
		return r;
	return s->from[FIELD_WORKSPACE_ROOT]
		   ? expand(c, s->from[FIELD_WORKSPACE_ROOT], &s->workspace_root, e)
		   : join(s->state_dir, DEFAULT_ROOT, &s->workspace_root, e);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int warn(struct agents_sandbox *s, const char *text, struct pinfold_error *e)
{
	return list_add(&s->warnings, text) < 0 ? err_set(e, -ENOMEM, "out of memory") : 0;
}

static int check_fields(struct agents_sandbox *s, const struct sandbox_sources *sources,
			struct pinfold_error *e)
{
	static const char *const IGNORED[] = { "docker", "browser", "prune" };
	const struct json5 *own = sources->v[SANDBOX_SOURCES_MAX - 1];
	int r = 0;

	if (s->fence_to_lane && s->access != WORKSPACE_RW)
		r = warn(s,
			 "fenceToLane is complete only with workspaceAccess \"rw\": with \"none\" "
			 "and \"ro\" two sessions of one scope key could read each other's seeded "
			 "files",
			 e);
	for (size_t i = 0; i < ARRAY_SIZE(IGNORED) && r == 0; i++) {
		char text[PINFOLD_ERROR_MAX];
		char origin[PINFOLD_ERROR_MAX / 2];

		if (s->scope != SCOPE_SHARED || !own || !json5_member(own, IGNORED[i]))
			continue;
		agents_origin(json5_member(own, IGNORED[i]), origin, sizeof(origin));
		snprintf(text, sizeof(text), "%s is ignored: the scope is shared", origin);
		r = warn(s, text, e);
	}
	return r;
}

static int resolve(const struct agents_config *c, struct agents_sandbox *s, struct pinfold_error *e)
{
	struct sandbox_sources sources;
	int r;

	sandbox_sources(c, s->agent, NULL, &sources);
	s->backend = backend_of(&sources, &s->from[FIELD_BACKEND]);
	if (!s->backend)
		return err_set(e, -ENOMEM, "out of memory");
	sandbox_sources(c, s->agent, s->backend, &sources);
	read_words(s, &sources);
	r = find_directories(c, s, e);
	if (r == 0)
		r = check_fields(s, &sources, e);
	if (r == 0)
		r = sandbox_join(s, &sources, e);
	return r < 0 ? r : sandbox_judge_docker(s, c, e);
}

int sandbox_resolve(const struct agents_config *c, const char *agent, struct agents_sandbox *ret,
		    struct pinfold_error *e)
{
	struct agents_sandbox s = { 0 };
	int r;

	snprintf(s.agent, sizeof(s.agent), "%s", agent);
	r = resolve(c, &s, e);
	if (r < 0) {
		sandbox_done(&s);
		return r;
	}
	*ret = s;
	return 0;
}

void sandbox_done(struct agents_sandbox *s)
{
	free(s->backend);
	free(s->workspace);
	free(s->workspace_root);
	free(s->state_dir);
	json5_free(s->policy);
	json5_free(s->docker);
	for (size_t i = 0; i < s->n_binds; i++)
		bind_done(&s->bind[i]);
	free(s->bind);
	list_done(&s->warnings);
	*s = (struct agents_sandbox){ 0 };
}
