/* SPDX-License-Identifier: MIT */
/* One tool call, decided with everything that the configuration says, in words. */
#ifndef PINFOLD_AGENTS_TOOL_DECIDE_H
#define PINFOLD_AGENTS_TOOL_DECIDE_H

struct agents_config;
struct agents_place;
struct agents_sandbox;
struct pinfold_error;
struct pinfold_tool_answer;
struct pinfold_tool_query;

/* Of q, provider, tool, subagent, target, parent and registry count: config, agent and session are
 * those of c, s and p.  With a parent the session is noted in the registry first, whatever the
 * verdict.  -EINVAL: not a tool's name; whatever registry_note() says. */
int tool_decide(const struct agents_config *c, const struct agents_sandbox *s,
		const struct agents_place *p, const struct pinfold_tool_query *q,
		struct pinfold_tool_answer *ret, struct pinfold_error *e);

#endif
