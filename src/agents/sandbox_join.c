/* SPDX-License-Identifier: MIT */
/* What the sources of a sandbox say about a policy, and about docker, as one tree each. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agents/sandbox.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/env.h"
#include "policy/parse.h"
#include "policy/read.h"

static const char *const POLICY_MEMBERS[] = { "network", "filesystem", "unixSockets",   "identity",
					      "seccomp", "limits",     "onUnavailable", "audit" };

/* Of a plugin's config: what stands there without "identity" around it. */
static const char *const IDENTITY_MEMBERS[] = { "uid", "gid", "home", "path" };

static int no_memory(struct pinfold_error *e)
{
	return err_set(e, -ENOMEM, "out of memory");
}

/* A copy of v as object's member. */
static int put(struct json5 *object, const char *key, const struct json5 *v,
	       struct pinfold_error *e)
{
	struct json5 *copy = NULL;

	if (json5_copy(v, &copy) < 0 || json5_append(object, copy, key) < 0)
		return no_memory(e);
	return 0;
}

/* A new value, told as standing where `from` does. */
static struct json5 *new_like(enum json5_type type, const struct json5 *from)
{
	struct json5 *v = json5_new(type);

	if (!v)
		return NULL;
	v->line = from->line;
	v->column = from->column;
	v->file = from->file;
	v->origin = from->origin ? from->origin : from;
	return v;
}

int sandbox_put_text(struct json5 *object, const char *key, enum json5_type type, const char *text,
		     const struct json5 *from)
{
	struct json5 *v = new_like(type, from);

	if (!v)
		return -ENOMEM;
	v->string = strdup(text);
	v->number = type == JSON5_NUMBER ? strtod(text, NULL) : 0;
	if (!v->string) {
		json5_free(v);
		return -ENOMEM;
	}
	return json5_append(object, v, key);
}

static int put_text(struct json5 *object, const char *key, enum json5_type type, const char *text,
		    const struct json5 *from, struct pinfold_error *e)
{
	return sandbox_put_text(object, key, type, text, from) < 0 ? no_memory(e) : 0;
}

int sandbox_member(struct json5 *object, const char *key, enum json5_type type,
		   const struct json5 *from, struct json5 **ret)
{
	struct json5 *v = json5_member(object, key);

	if (!v) {
		v = new_like(type, from);
		if (json5_append(object, v, key) < 0)
			return -ENOMEM;
	}
	*ret = v;
	return 0;
}

static int member_object(struct json5 *object, const char *key, const struct json5 *from,
			 struct json5 **ret, struct pinfold_error *e)
{
	return sandbox_member(object, key, JSON5_OBJECT, from, ret) < 0 ? no_memory(e) : 0;
}

/* ---- joining -------------------------------------------------------------------------------- */

static bool adds_up(const char *key, const char *const *lists)
{
	for (; lists && *lists; lists++)
		if (strcmp(key, *lists) == 0)
			return true;
	return false;
}

/* What stands in target at the place that v has below source; NULL: nothing. */
static struct json5 *twin(struct json5 *target, const struct json5 *source, const struct json5 *v)
{
	const struct json5 *up[JSON5_NESTING_MAX + 1];
	struct json5 *at = target;
	size_t n = 0;

	for (; v != source && n < ARRAY_SIZE(up); v = v->parent)
		up[n++] = v;
	while (at && n-- > 0)
		at = up[n]->key ? json5_member(at, up[n]->key) : NULL;
	return at;
}

/* Puts a copy of source over target, member by member.  Lists replace each other, but for those
 * named in lists, which add up (NULL: none). */
static int put_over(struct json5 *target, const struct json5 *source, const char *const *lists,
		    struct pinfold_error *e)
{
	struct json5 *copy = NULL;

	for (const struct json5 *v = source; v; v = json5_after(source, v)) {
		struct json5 *old;

		if (v->type != JSON5_ARRAY || !v->key || adds_up(v->key, lists))
			continue;
		old = twin(target, source, v);
		if (!old || old == target)
			continue;
		json5_detach(old);
		json5_free(old);
	}
	if (json5_copy(source, &copy) < 0)
		return no_memory(e);
	json5_merge(target, copy);
	return 0;
}

/* ---- the policy ----------------------------------------------------------------------------- */

/* The members of one source that a policy has, as an object like a policy. */
static int policy_part(const struct json5 *source, struct json5 **ret, struct pinfold_error *e)
{
	struct json5 *part = json5_new(JSON5_OBJECT);
	struct json5 *identity;
	int r = part ? 0 : no_memory(e);

	for (size_t i = 0; i < ARRAY_SIZE(POLICY_MEMBERS) && r == 0; i++) {
		const struct json5 *v = json5_member(source, POLICY_MEMBERS[i]);

		r = v ? put(part, POLICY_MEMBERS[i], v, e) : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(IDENTITY_MEMBERS) && r == 0; i++) {
		const struct json5 *v = json5_member(source, IDENTITY_MEMBERS[i]);

		if (!v)
			continue;
		r = member_object(part, "identity", source, &identity, e);
		if (r == 0 && json5_member(identity, IDENTITY_MEMBERS[i]))
			r = agents_fail(v, e, "this stands in identity, too");
		if (r == 0)
			r = put(identity, IDENTITY_MEMBERS[i], v, e);
	}
	if (r < 0) {
		json5_free(part);
		return r;
	}
	*ret = part;
	return 0;
}

static int add_policy(struct agents_sandbox *s, const struct json5 *source, struct pinfold_error *e)
{
	static const char *const ADD_UP[] = { "denyOutbound", "deny", NULL };
	struct json5 *part = NULL;
	int r = policy_part(source, &part, e);

	if (r == 0)
		r = put_over(s->policy, part, ADD_UP, e);
	/* The copies' origins lie in the configuration, not in part. */
	json5_free(part);
	return r;
}

/* The gid is the uid's number where nothing else is said. */
static int add_gid(struct json5 *identity, struct pinfold_error *e)
{
	const struct json5 *uid = json5_member(identity, "uid");

	if (!uid || uid->type != JSON5_NUMBER || json5_member(identity, "gid"))
		return 0;
	return put(identity, "gid", uid, e);
}

int sandbox_check_policy(const struct json5 *source, const struct agents_config *c,
			 struct pinfold_error *e)
{
	struct policy p = { 0 };
	struct json5 *part = NULL;
	int r = policy_part(source, &part, e);

	if (r == 0)
		r = put_text(part, "workspaceAccess", JSON5_STRING, "none", source, e);
	/* A plugin's uid may stand without a gid. */
	if (r == 0 && json5_member(part, "identity"))
		r = add_gid(json5_member(part, "identity"), e);
	if (r == 0)
		r = policy_parse_tree(part, c->path, &c->context, &p, e);
	if (r == 0)
		policy_done(&p);
	json5_free(part);
	return r;
}

/* ---- docker's settings that a pen has, too --------------------------------------------------- */

/* Docker writes units in either case. */
static int put_memory(struct json5 *limits, const struct json5 *v, struct pinfold_error *e)
{
	auto_free char *text = strdup(v->string);

	if (!text)
		return no_memory(e);
	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return put_text(limits, "memory", v->type, text, v, e);
}

/* docker.pidsLimit and the like, where limits says nothing. */
static int add_limits(struct agents_sandbox *s, struct pinfold_error *e)
{
	const struct json5 *pids = json5_member(s->docker, "pidsLimit");
	const struct json5 *memory = json5_member(s->docker, "memory");
	const struct json5 *cpus = json5_member(s->docker, "cpus");
	struct json5 *limits;
	int r = 0;

	if (pids)
		r = member_object(s->policy, "limits", pids, &limits, e);
	if (r == 0 && pids && !json5_member(limits, "pids"))
		r = put(limits, "pids", pids, e);
	if (r == 0 && memory)
		r = member_object(s->policy, "limits", memory, &limits, e);
	if (r == 0 && memory && !json5_member(limits, "memory"))
		r = put_memory(limits, memory, e);
	if (r < 0 || !cpus)
		return r;
	r = member_object(s->policy, "limits", cpus, &limits, e);
	if (r == 0 && !json5_member(limits, "cpu")) {
		char percent[32];

		snprintf(percent, sizeof(percent), "%.0f%%",
			 cpus->number * 100 < 1 ? 1 : cpus->number * 100);
		r = put_text(limits, "cpu", JSON5_STRING, percent, cpus, e);
	}
	return r;
}

static bool is_ours(const char *name)
{
	static const char *const OWN[] = { "PATH",    "HOME",  "TMPDIR", "USER",
					   "LOGNAME", "SHELL", "PWD",    NULL };

	return adds_up(name, OWN) || !env_name_is_sound(name, ENV_NAME);
}

/* docker.env, where identity.setEnv says nothing.  A pen's own variables stay what they are. */
static int add_env(struct agents_sandbox *s, struct pinfold_error *e)
{
	const struct json5 *env = json5_member(s->docker, "env");
	struct json5 *identity;
	struct json5 *set;
	int r = 0;

	for (const struct json5 *v = env ? env->child : NULL; v && r == 0; v = v->next) {
		if (is_ours(v->key))
			continue;
		r = member_object(s->policy, "identity", v, &identity, e);
		if (r == 0)
			r = member_object(identity, "setEnv", v, &set, e);
		if (r == 0 && !json5_member(set, v->key))
			r = put(set, v->key, v, e);
	}
	return r;
}

/* With the local-user backend (named at from) the identity is a fixed one. */
static int add_local_user(struct agents_sandbox *s, const struct json5 *from,
			  struct pinfold_error *e)
{
	static const struct {
		const char *name;
		enum json5_type type;
		const char *text;
	} DEFAULTS[] = {
		{ "uid", JSON5_NUMBER, "10001" },
		{ "home", JSON5_STRING, "/data/.sandbox-home" },
		{ "path", JSON5_STRING, "/usr/local/bin:/usr/bin:/bin" },
		{ "handover", JSON5_TRUE, "true" },
	};
	struct json5 *identity;
	int r = member_object(s->policy, "identity", from, &identity, e);

	for (size_t i = 0; i < ARRAY_SIZE(DEFAULTS) && r == 0; i++) {
		bool has = json5_member(identity, DEFAULTS[i].name);

		if (!has && (DEFAULTS[i].type != JSON5_TRUE || s->access == WORKSPACE_RW))
			r = put_text(identity, DEFAULTS[i].name, DEFAULTS[i].type, DEFAULTS[i].text,
				     from, e);
	}
	return r;
}

static int add_identity(struct agents_sandbox *s, struct pinfold_error *e)
{
	struct json5 *identity;
	int r = 0;

	if (strcasecmp(s->backend, BACKEND_LOCAL_USER) == 0)
		r = add_local_user(s, s->from[FIELD_BACKEND], e);
	identity = json5_member(s->policy, "identity");
	return r == 0 && identity ? add_gid(identity, e) : r;
}

/* ---- all of it ------------------------------------------------------------------------------ */

int sandbox_join(struct agents_sandbox *s, const struct sandbox_sources *sources,
		 struct pinfold_error *e)
{
	static const char *const ADD_UP[] = { "binds", NULL };
	int r = 0;

	s->policy = json5_new(JSON5_OBJECT);
	s->docker = json5_new(JSON5_OBJECT);
	if (!s->policy || !s->docker)
		return no_memory(e);
	for (size_t i = 0; i < SANDBOX_SOURCES_MAX && r == 0; i++) {
		bool is_own = i == SANDBOX_SOURCES_MAX - 1;
		const struct json5 *v = sources->v[i];
		const struct json5 *docker = v ? json5_member(v, "docker") : NULL;

		if (v)
			r = add_policy(s, v, e);
		if (r == 0 && docker && !(is_own && s->scope == SCOPE_SHARED))
			r = put_over(s->docker, docker, ADD_UP, e);
	}
	if (r == 0)
		r = add_limits(s, e);
	if (r == 0)
		r = add_env(s, e);
	return r < 0 ? r : add_identity(s, e);
}
