/* SPDX-License-Identifier: MIT */
/* For test_agents_place.c: one configuration, and the last decision by it. */
#ifndef PINFOLD_TESTS_AGENTS_PLACE_HELP_H
#define PINFOLD_TESTS_AGENTS_PLACE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/api.h"
#include "agents_help.h"

static struct agents_config *config;
static struct agents_decision decision;

static inline void load(const char *text)
{
	struct pinfold_error e = { 0 };

	if (help_load(text, &config, &e) < 0)
		fail_msg("%s", e.text);
}

static inline void forget(void)
{
	agents_decision_done(&decision);
	agents_config_free(config);
	config = NULL;
}

static inline int unload(void **state)
{
	forget();
	return help_remove_dir(state);
}

static inline int try_to_decide(const struct pinfold_call *call, struct pinfold_error *e)
{
	agents_decision_done(&decision);
	e->text[0] = '\0';
	return agents_decide(config, call, &decision, e);
}

static inline void decide(const struct pinfold_call *call)
{
	struct pinfold_error e;

	if (try_to_decide(call, &e) < 0)
		fail_msg("%s", e.text);
}

#endif
