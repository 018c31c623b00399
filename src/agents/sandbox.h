/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of one agent, resolved from the configuration, field by field.
 *
 * Sources, each field of a later one winning: security.sandbox (or sandbox at the top); the config
 * of our plugins; agents.defaults.sandbox; the agent's sandbox.  Lists of denies add up.  The
 * agent's docker, browser and prune don't count where the resolved scope is "shared".
 */
#ifndef PINFOLD_AGENTS_SANDBOX_H
#define PINFOLD_AGENTS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/bind.h"
#include "agents/config.h"

enum sandbox_mode { MODE_OFF = 0, MODE_NON_MAIN, MODE_ALL };
enum sandbox_scope { SCOPE_SESSION = 0, SCOPE_AGENT, SCOPE_SHARED };
enum sandbox_visibility { VISIBLE_SPAWNED = 0, VISIBLE_ALL };
enum sandbox_implementation {
	IMPLEMENTATION_AUTO = 0,
	IMPLEMENTATION_PINFOLD,
	IMPLEMENTATION_BWRAP
};

/* The words of the configuration for them, in the order of the enums; NULL ends each. */
extern const char *const MODE_WORDS[];
extern const char *const SCOPE_WORDS[];
extern const char *const VISIBILITY_WORDS[];
extern const char *const ACCESS_WORDS[]; /* of enum workspace_access */

/* What each field of a sandbox came from; for explain. */
enum sandbox_field {
	FIELD_MODE = 0,
	FIELD_BACKEND,
	FIELD_SCOPE,
	FIELD_ACCESS,
	FIELD_VISIBILITY,
	FIELD_WORKSPACE_ROOT,
	FIELD_FENCE_TO_LANE,
	FIELD_IMPLEMENTATION,
	FIELD_MAX,
};

const char *sandbox_field_name(enum sandbox_field f);

#define BACKEND_PINFOLD "pinfold"
#define BACKEND_LOCAL_USER "local-user"

struct agents_sandbox {
	char agent[AGENT_ID_MAX + 1];
	enum sandbox_mode mode;
	enum sandbox_scope scope;
	enum workspace_access access;
	enum sandbox_visibility visibility;
	enum sandbox_implementation implementation;
	bool fence_to_lane;
	char *backend;                       /* as shown: trimmed */
	char *workspace;                     /* the agent's; absolute */
	char *workspace_root;                /* of private directories; absolute */
	char *state_dir;                     /* the gateway's; absolute */
	const struct json5 *from[FIELD_MAX]; /* borrowed; NULL: the default */
	struct json5 *policy; /* members of a policy, joined; origins lie in the configuration */
	struct json5 *docker; /* joined */
	struct bind *bind;
	size_t n_binds;
	struct string_list warnings;
};

/* agent as agents_config_agent_id() gives it.  sandbox_done() ret.  -EINVAL with file, line, column
 * and JSON path. */
int sandbox_resolve(const struct agents_config *c, const char *agent, struct agents_sandbox *ret,
		    struct pinfold_error *e);

/* Any state. */
void sandbox_done(struct agents_sandbox *s);

/* ---- parts of it (sandbox_*.c) -------------------------------------------------------------- */

#define SANDBOX_SOURCES_MAX 5

struct sandbox_sources {
	const struct json5 *v[SANDBOX_SOURCES_MAX]; /* NULL: absent; the last is the agent's */
};

/* Which parts apply; backend as resolved. */
void sandbox_sources(const struct agents_config *c, const char *agent, const char *backend,
		     struct sandbox_sources *ret);

/* The last source that has the member; NULL: none. */
const struct json5 *sandbox_last(const struct sandbox_sources *s, const char *name);

/* s->policy and s->docker, of which the other fields are resolved. */
int sandbox_join(struct agents_sandbox *s, const struct sandbox_sources *sources,
		 struct pinfold_error *e);

/* Adds a string, number or bool that stands nowhere, told as standing where from does.  -ENOMEM. */
int sandbox_put_text(struct json5 *object, const char *key, enum json5_type type, const char *text,
		     const struct json5 *from);

/* The object or list that is object's member; made where there is none, as above. */
int sandbox_member(struct json5 *object, const char *key, enum json5_type type,
		   const struct json5 *from, struct json5 **ret);

/* Whether what one source says about a policy is sound by itself. */
int sandbox_check_policy(const struct json5 *source, const struct agents_config *c,
			 struct pinfold_error *e);

/* docker.network or browser.network (NULL: absent). */
int sandbox_check_network(const struct json5 *v, bool may_join, struct pinfold_error *e);

/* s->bind, and the rules of networks and profiles. */
int sandbox_judge_docker(struct agents_sandbox *s, const struct agents_config *c,
			 struct pinfold_error *e);

#endif
