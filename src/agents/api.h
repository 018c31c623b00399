/* SPDX-License-Identifier: MIT */
/* What the public handle holds, for session as well. */
#ifndef PINFOLD_AGENTS_API_H
#define PINFOLD_AGENTS_API_H

#include "agents/config.h"
#include "agents/pen.h"
#include "agents/place.h"
#include "agents/sandbox.h"

struct pinfold_call;

struct pinfold_agents {
	struct agents_config *config;
};

/* A call with everything that follows from it. */
struct agents_decision {
	struct agents_sandbox sandbox;
	struct agents_place place;
	struct elevated_gates gates;
};

/* agents_decision_done() ret. */
int agents_decide(const struct agents_config *c, const struct pinfold_call *call,
		  struct agents_decision *ret, struct pinfold_error *e);

/* Any state. */
void agents_decision_done(struct agents_decision *d);

#endif
