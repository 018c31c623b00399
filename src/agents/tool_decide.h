/* SPDX-License-Identifier: MIT */
/* One tool call, decided with everything that the configuration says, in words. */
#ifndef PINFOLD_AGENTS_TOOL_DECIDE_H
#define PINFOLD_AGENTS_TOOL_DECIDE_H

#include "agents/place.h"

struct agents_config;
struct agents_decision;
struct pinfold_error;
struct pinfold_tool_answer;
struct pinfold_tool_query;

/* Of q->call only provider and parent count: who and where is decided.  With a parent the session
 * is noted in the registry first, whatever the verdict.  -EINVAL: not a tool's name; whatever
 * registry_note() says. */
int tool_decide(const struct agents_config *c, const struct agents_decision *d,
		const struct pinfold_tool_query *q, struct pinfold_tool_answer *ret,
		struct pinfold_error *e);

/* The whole key of a session: a short name is one of the agent's own.  -EINVAL: it can't be a
 * key. */
int agents_whole_key(const char *agent, const char *text, char ret[static SESSION_KEY_MAX + 1],
		     struct pinfold_error *e);

#endif
