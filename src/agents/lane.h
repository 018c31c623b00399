/* SPDX-License-Identifier: MIT */
/*
 * Lanes: parts of an agent's workspace, each for some of those who talk to it.
 *
 *	lanes: {
 *	  alice: { dir: "lanes/alice", allowed: { telegram: ["4711"] } },
 *	  guests: { dir: "lanes/guests", allowed: { discord: ["*"] }, denied: { discord: ["666"] }
 *}, notes: "lanes/notes",
 *	}
 *
 * A lane without "dir" is the directory of its name.
 */
#ifndef PINFOLD_AGENTS_LANE_H
#define PINFOLD_AGENTS_LANE_H

#include "agents/config.h"

struct pinfold_error;

enum lane_decision { LANE_ABSENT = 0, LANE_DENIED, LANE_ALLOWED };

/* "absent", "denied", "allowed". */
const char *lane_decision_word(enum lane_decision d);

struct lane_choice {
	enum lane_decision decision;
	const char *name; /* borrowed from the configuration; NULL: absent */
	const char *dir;  /* relative to the workspace, or absolute inside it; borrowed */
	const struct json5 *from;
};

/* The shape of a "lanes" member. */
int lane_check(const struct json5 *lanes, struct pinfold_error *e);

/* The lane that a sender (may be NULL) of a channel (NULL: none) gets; or the named one (NULL: by
 * sender), which a sender on a channel must be let into, too.  A deny wins, over all lanes.
 * -ENOENT with words: there is no lane of that name. */
int lane_choose(const struct json5 *lanes, const char *name, const char *channel,
		const char *sender, struct lane_choice *ret, struct pinfold_error *e);

/* Whether one of a list of senders means this one; "*" is anybody. */
bool lane_has_sender(const struct json5 *list, const char *sender);

#endif
