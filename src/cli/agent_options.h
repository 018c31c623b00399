/* SPDX-License-Identifier: MIT */
/* The options of verbs that go by a gateway's configuration. */
#ifndef PINFOLD_CLI_AGENT_OPTIONS_H
#define PINFOLD_CLI_AGENT_OPTIONS_H

#include "cli/opt.h"
#include "pinfold_agents.h"

struct agent_options {
	const char *config;
	struct pinfold_call call;
};

/* data starts with a struct agent_options. */
int set_config(void *data, const char *value);
int set_call_agent(void *data, const char *value);
int set_session(void *data, const char *value);
int set_origin(void *data, const char *value);
int set_sender(void *data, const char *value);
int set_lane(void *data, const char *value);
int set_parent(void *data, const char *value);
int set_provider(void *data, const char *value);
int set_elevated(void *data, const char *value);

#define AGENT_OPTION_ROWS                                                                          \
	{ "config", 'c', "FILE", "the gateway's configuration", set_config },                      \
	    { "agent", 0, "ID", "the agent", set_call_agent },                                     \
	    { "session", 0, "KEY", "the session's key, or a short name", set_session },            \
	    { "origin", 0, "ORIGIN", "cli, websocket or channel:NAME", set_origin },               \
	    { "sender", 0, "ID", "who asks, as the channel names them", set_sender },              \
	{                                                                                          \
		"lane", 0, "NAME", "the lane, instead of the sender's", set_lane                   \
	}

/* Reads the file; its warnings are printed where `warn` says so.  Returns 0, or the exit status
 * after saying what is wrong. */
int agent_options_load(const struct agent_options *o, bool warn, struct pinfold_agents **ret);

#endif
