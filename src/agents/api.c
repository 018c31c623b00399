/* SPDX-License-Identifier: MIT */
#include "agents/api.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/err.h"
#include "pinfold_agents.h"

int pinfold_agents_load(const char *path, struct pinfold_agents **ret, struct pinfold_error *e)
{
	struct pinfold_agents *a = calloc(1, sizeof(*a));
	int r = a ? agents_config_load(path, &a->config, e) : err_set(e, -ENOMEM, "out of memory");

	if (r < 0) {
		pinfold_agents_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

void pinfold_agents_free(struct pinfold_agents *a)
{
	if (!a)
		return;
	agents_config_free(a->config);
	free(a);
}

const char *pinfold_agents_warning(const struct pinfold_agents *a, size_t n)
{
	return n < a->config->warnings.n ? a->config->warnings.s[n] : NULL;
}

int agents_decide(const struct agents_config *c, const struct pinfold_call *call,
		  struct agents_decision *ret, struct pinfold_error *e)
{
	const struct agents_call asked = {
		.agent = call->agent,
		.session = call->session,
		.origin = call->origin,
		.sender = call->sender,
		.lane = call->lane,
		.elevated = call->elevated,
	};
	struct agents_decision d = { 0 };
	char agent[AGENT_ID_MAX + 1];
	int r = place_agent(c, &asked, agent, e);

	if (r == 0)
		r = sandbox_resolve(c, agent, &d.sandbox, e);
	if (r == 0)
		r = place_decide(c, &d.sandbox, &asked, &d.place, e);
	if (r < 0) {
		agents_decision_done(&d);
		return r;
	}
	elevated_judge(c, agent, place_provider(&d.place), call->sender, &d.gates);
	*ret = d;
	return 0;
}

void agents_decision_done(struct agents_decision *d)
{
	sandbox_done(&d->sandbox);
	place_done(&d->place);
}
