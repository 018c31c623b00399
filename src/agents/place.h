/* SPDX-License-Identifier: MIT */
/* Where one call of a session runs, under which key, in which directory; each step in words. */
#ifndef PINFOLD_AGENTS_PLACE_H
#define PINFOLD_AGENTS_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/lane.h"
#include "agents/sandbox.h"

struct pinfold_error;

#define SESSION_KEY_MAX 512
#define SCOPE_NAME_LEN 32

enum origin_kind { ORIGIN_NONE = 0, ORIGIN_CLI, ORIGIN_WEBSOCKET, ORIGIN_CHANNEL };

/* What a gateway says about a call.  All borrowed; NULL: not said. */
struct agents_call {
	const char *agent;
	const char *session; /* a key, or a short name */
	const char *origin;  /* "cli", "websocket" or "channel:NAME" */
	const char *sender;
	const char *lane;
	bool elevated;
};

struct agents_place {
	char agent[AGENT_ID_MAX + 1];
	char session[SESSION_KEY_MAX + 1]; /* the whole key */
	char main_session[SESSION_KEY_MAX + 1];
	enum origin_kind origin;
	const char *channel; /* borrowed from the call; NULL: no channel */
	bool in_pen;
	struct lane_choice lane; /* borrowed from the configuration */
	bool lane_fenced;        /* fenceToLane takes effect */
	char *lane_dir;          /* absolute; NULL: no lane is resolved */
	char *scope_key;
	char scope_name[SCOPE_NAME_LEN + 1]; /* its hash, or "shared": names cgroup and directory */
	char *private_dir; /* with access none and ro; NULL: the agent's workspace itself */
	struct string_list steps;
};

/* Which agent is meant: by name, by the session's key ("agent:ID:..."), or the only one; see
 * agents_config_agent_id().  -EINVAL: name and key contradict each other. */
int place_agent(const struct agents_config *c, const struct agents_call *call,
		char ret[static AGENT_ID_MAX + 1], struct pinfold_error *e);

/* place_done() ret.  -EINVAL with words: the call is malformed (an unknown origin, say); -ENOENT:
 * no such lane. */
int place_decide(const struct agents_config *c, const struct agents_sandbox *s,
		 const struct agents_call *call, struct agents_place *ret, struct pinfold_error *e);

/* By what name allow-lists know where the call came from: the channel's, "webchat" for a websocket,
 * "cli"; NULL: not said. */
const char *place_provider(const struct agents_place *p);

/* Any state. */
void place_done(struct agents_place *p);

/* ---- elevation ------------------------------------------------------------------------------ */

#define ELEVATED_FAILURES_MAX 4

struct elevated_failure {
	const char *gate; /* "enabled", "allowFrom" */
	char key[256];    /* what to change in the configuration */
};

/* The gates of `exec` on the host.  All must be open. */
struct elevated_gates {
	bool enabled;
	bool allowed;                    /* every gate is open for this sender */
	bool always;                     /* by a "*" everywhere */
	const struct json5 *global_list; /* tools.elevated.allowFrom.<channel>; NULL: none */
	const struct json5 *agent_list;
	struct elevated_failure failure[ELEVATED_FAILURES_MAX];
	size_t n_failures;
};

/* provider as place_provider() gives it. */
void elevated_judge(const struct agents_config *c, const char *agent, const char *provider,
		    const char *sender, struct elevated_gates *ret);

#endif
