/* SPDX-License-Identifier: MIT */
/* Parts of pinfold_agents_explain(): what both of its shapes hold.  Functions that return a cJSON
 * return NULL when memory ran out. */
#ifndef PINFOLD_AGENTS_EXPLAIN_H
#define PINFOLD_AGENTS_EXPLAIN_H

#include <stdbool.h>

#include "agents/api.h"
#include "agents/tool_config.h"

struct cJSON;
struct pinfold_error;

struct explaining {
	const struct agents_config *config;
	struct agents_decision d;
	struct tool_config tools;
};

/* The tools of a pen as lists of names, groups taken apart: adds "allow" and "deny" to object.
 * Yields where each came from: "agent", "global" or "default". */
struct explain_sources {
	const char *allow;
	const char *deny;
};
bool explain_tools(const struct explaining *x, struct cJSON *object, struct explain_sources *ret);

/* {enabled, channel?, allowedByConfig, alwaysAllowedByConfig, allowFrom{global?, agent?},
 * failures[{gate, key}]}.  all: also what fails only because nobody said who asks. */
struct cJSON *explain_gates(const struct explaining *x, bool all);

/* Every key that opens a closed gate. */
struct cJSON *explain_keys(const struct explaining *x, bool all);

/* How fix-it keys write the place of the agent's settings: "agents.list[]". */
const char *explain_agent_place(const struct explaining *x);

/* Where commands work: the agent's workspace, its lane, or the private directory. */
const char *explain_workdir(const struct explaining *x);

struct cJSON *explain_openclaw(const struct explaining *x);
struct cJSON *explain_own(const struct explaining *x);

#endif
