/* SPDX-License-Identifier: MIT */
/*
 * Which tools an agent may use: eight levels, each of which can only take away.
 *
 * At every level a deny wins, and a list of allowed names that is not empty blocks what it does not
 * list.  `alsoAllow` widens nothing but a profile and the pen's own default list.
 */
#ifndef PINFOLD_AGENTS_TOOL_H
#define PINFOLD_AGENTS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/tool_names.h"

struct json5;
struct pinfold_error;

#define TOOL_PROVIDERS_MAX 1024

/* In the order in which they are asked. */
enum tool_level {
	TOOL_PROFILE = 0,
	TOOL_PROVIDER_PROFILE,
	TOOL_GLOBAL,
	TOOL_PROVIDER,
	TOOL_AGENT,
	TOOL_AGENT_PROVIDER,
	TOOL_SANDBOX,
	TOOL_SUBAGENT,
	TOOL_LEVELS,
};

/* "profile", "providerProfile", "global", "provider", "agent", "agentProvider", "sandbox",
 * "subagent". */
const char *tool_level_word(enum tool_level level);

struct tool_entry {
	char *text; /* trimmed, lower-case, never blank */
	char *origin;
};

struct tool_list {
	struct tool_entry *entry;
	size_t n;
	bool given; /* the configuration has this member, be it empty */
	char *origin;
};

/* {profile, allow, alsoAllow, deny} as it stands in one place. */
struct tool_block {
	bool given;
	char *profile; /* a name that tool_profile() knows; NULL: none */
	char *profile_origin;
	struct tool_list allow;
	struct tool_list also;
	struct tool_list deny;
};

struct tool_provider {
	char *key; /* lower-case: "provider" or "provider/model" */
	struct tool_block block;
};

/* One `tools` object, the global or an agent's.  All zero is the absent one. */
struct tool_rules {
	struct tool_block own;
	struct tool_provider *provider;
	size_t n_providers;
	struct tool_block sandbox;   /* sandbox.tools */
	struct tool_block subagents; /* subagents.tools */
	bool groups_given;
	enum tool_groups groups; /* toolGroups */
};

/* Reads a `tools` object (NULL: absent).  Members that are the gateway's own are passed over,
 * `elevated` and `sessions` too: others read them.  -EINVAL with file, line, column and JSON path;
 * -ENOMEM.  ret is tool_rules_done()d by the caller, untouched on failure. */
int tool_rules_parse(const struct json5 *tools, const char *file, struct tool_rules *ret,
		     struct pinfold_error *e);

/* Reads the value of a "toolGroups" member: "classic" or "2026.9". */
int tool_groups_parse(const struct json5 *v, const char *file, enum tool_groups *ret,
		      struct pinfold_error *e);

/* Any state. */
void tool_rules_done(struct tool_rules *r);

struct tool_query {
	const struct tool_rules *global; /* NULL: none; likewise agent */
	const struct tool_rules *agent;
	enum tool_groups groups;
	const struct tool_name *tool;
	const char *provider; /* "provider", "provider/model" or NULL */
	bool sandboxed;
	bool subagent;
};

enum tool_outcome {
	TOOL_DENIED = 0,  /* a deny names it */
	TOOL_NOT_ALLOWED, /* a list of allowed names does not */
	TOOL_PASSED,
	TOOL_ABSENT,  /* nothing is configured at this level */
	TOOL_SKIPPED, /* the level is not for this call */
};

/* "denied", "not allowed", "passed", "absent", "skipped". */
const char *tool_outcome_word(enum tool_outcome o);

/* What one level said.  Texts are borrowed from the rules or static; NULL where there is none. */
struct tool_step {
	enum tool_outcome outcome;
	const char *rule;
	const char *origin;
};

struct tool_verdict {
	bool allowed;
	enum tool_level level; /* the first that blocked; TOOL_LEVELS: none did */
	struct tool_step step[TOOL_LEVELS];
};

/* Every level is asked, also behind the one that decides. */
void tool_judge(const struct tool_query *q, struct tool_verdict *ret);

#endif
