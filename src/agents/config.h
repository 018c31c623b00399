/* SPDX-License-Identifier: MIT */
/* A gateway's configuration: one file in OpenClaw's shape, with what it includes, as one tree.  The
 * tree remembers file, line and column of every value.  Parts that are the gateway's own are left
 * as they are. */
#ifndef PINFOLD_AGENTS_CONFIG_H
#define PINFOLD_AGENTS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json5.h"
#include "policy/policy.h"

struct pinfold_error;

#define CONFIG_INCLUDE_DEPTH 10
#define CONFIG_FILES_MAX 256
#define AGENT_ID_MAX 64

struct agents_config {
	char *path; /* absolute, symlinks resolved */
	char *dir;  /* of it */
	char *cwd;
	char *home;
	struct policy_context context; /* borrows from above; env is the process's own */
	struct string_list files;      /* every file read, as told in messages */
	struct string_list warnings;   /* sentences for a person */
	struct json5 *root;
};

/* Reads path and what it includes, puts the environment's values in, and checks the shape of our
 * parts.  -EINVAL with file, line, column and JSON path; other codes: the file can't be read.
 * agents_config_free() it. */
int agents_config_load(const char *path, struct agents_config **ret, struct pinfold_error *e);

/* Accepts NULL. */
void agents_config_free(struct agents_config *c);

/* Stores "FILE:LINE:COLUMN: JSON.path: words" for a value of the tree (or a copy) and yields
 * -EINVAL.  A macro for the reason that err_set() is one. */
#define agents_fail(v, e, ...)                                                                     \
	({                                                                                         \
		agents_explain((v), (e), __VA_ARGS__);                                             \
		-EINVAL;                                                                           \
	})
void agents_explain(const struct json5 *v, struct pinfold_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "FILE:LINE (JSON path)" for origins; cut to fit. */
void agents_origin(const struct json5 *v, char *ret, size_t size);

/* ---- places in the tree; each NULL when nothing stands there ------------------------------- */

/* At a dotted name from the root: "tools", "tools.sandbox.tools", "session.scope". */
const struct json5 *agents_config_global(const struct agents_config *c, const char *name);

/* At a dotted name of agents.defaults ("" for itself). */
const struct json5 *agents_config_default(const struct agents_config *c, const char *name);

/* At a dotted name of the agent's own object ("" for itself).  agent as agents_config_agent_id()
 * gives it. */
const struct json5 *agents_config_node(const struct agents_config *c, const char *agent,
				       const char *name);

/* security.exec-approvals, or exec-approvals at the top. */
const struct json5 *agents_config_approvals(const struct agents_config *c);

/* security.sandbox, or sandbox at the top. */
const struct json5 *agents_config_security(const struct agents_config *c);

/* plugins.entries.<id>.config of a plugin that is not switched off. */
const struct json5 *agents_config_plugin(const struct agents_config *c, const char *id);

/* ---- agents --------------------------------------------------------------------------------- */

/* The agent that is meant by id (any case; blanks around it don't count), or with NULL the only
 * one, or the one with "default": true, or "main" where none is named.  -ENOENT with words: there
 * is no such agent, or several and none was named.  Where the file names no agent, any id is one.
 */
int agents_config_agent_id(const struct agents_config *c, const char *id,
			   char ret[static AGENT_ID_MAX + 1], struct pinfold_error *e);

/* How many agents the file names. */
size_t agents_config_count(const struct agents_config *c);

/* The id of one of them, n below the count. */
void agents_config_nth(const struct agents_config *c, size_t n, char ret[static AGENT_ID_MAX + 1]);

/* For the check of the file: v is an object of a place where agents stand.  -EINVAL: it has no
 * usable id, or another object of that place has the same. */
int agents_config_check_id(const struct json5 *v, struct pinfold_error *e);

#endif
