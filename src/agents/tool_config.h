/* SPDX-License-Identifier: MIT */
/* The tool rules of one agent, taken out of a gateway's configuration. */
#ifndef PINFOLD_AGENTS_TOOL_CONFIG_H
#define PINFOLD_AGENTS_TOOL_CONFIG_H

#include "agents/tool.h"

struct agents_config;
struct pinfold_error;

struct tool_config {
	struct tool_rules global;
	struct tool_rules agent;
	enum tool_groups groups;
};

/* agent as agents_config_agent_id() gives it.  tool_config_done() it. */
int tool_config_read(const struct agents_config *c, const char *agent, struct tool_config *ret,
		     struct pinfold_error *e);

/* Any state. */
void tool_config_done(struct tool_config *t);

#endif
