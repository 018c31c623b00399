/* SPDX-License-Identifier: MIT */
#include "agents/approval_config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents/api.h"
#include "agents/queue.h"
#include "base/clean.h"
#include "base/err.h"
#include "pinfold_agents.h"
#include "policy/parse.h"

int approval_by_config(const struct agents_config *c, const struct approval_query *q,
		       struct pinfold_answer *ret, uint64_t *ret_timeout_ms,
		       struct pinfold_error *e)
{
	const struct json5 *node = agents_config_approvals(c);
	struct approval_rules *rules = NULL;
	int r = approval_rules_parse(node, &rules, e);

	if (r < 0)
		return r;
	if (!node)
		rules->skip_in_pen = true;
	r = approval_judge(rules, q, ret);
	*ret_timeout_ms = rules->timeout_ms;
	approval_rules_free(rules);
	if (r < 0)
		return err_set(e, r, "out of memory");
	if (!node && ret->verdict == PINFOLD_ALLOW)
		snprintf(ret->reason, sizeof(ret->reason),
			 "there are no exec-approvals: inside a pen nothing is asked");
	return 0;
}

/* Where a call's commands run, as exec has it.  What can't be told is left as on the host. */
static void look_around(const struct agents_config *c, const struct agents_decision *d,
			const struct pinfold_call *call, struct policy *policy,
			struct approval_query *q)
{
	struct pinfold_error e;

	q->path = getenv("PATH");
	q->home = c->home;
	q->cwd = c->cwd;
	if (!d->place.in_pen || (call->elevated && d->gates.allowed))
		return;
	if (pen_policy(c, &d->sandbox, &d->place, policy, &e) < 0)
		return;
	q->in_pen = !policy->degrade;
	q->path = policy->identity.path;
	q->home = policy->identity.home;
	q->cwd = policy->workspace;
}

int pinfold_why_command(const struct pinfold_agents *a, const struct pinfold_call *call,
			const char *line, struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct agents_decision decision = { 0 };
	struct approval_query q = { .line = line };
	struct policy policy = { 0 };
	uint64_t timeout_ms;
	int r = agents_decide(a->config, call, &decision, e);

	if (r == 0) {
		look_around(a->config, &decision, call, &policy, &q);
		r = approval_by_config(a->config, &q, ret, &timeout_ms, e);
	}
	policy_done(&policy);
	agents_decision_done(&decision);
	return r;
}

int pinfold_approvals(char **ret, struct pinfold_error *e)
{
	return queue_list(ret, e);
}

int pinfold_approval_show(const char *id, char **ret, struct pinfold_error *e)
{
	return queue_show(id, ret, e);
}

int pinfold_approval_decide(const char *id, enum pinfold_approval decision, struct pinfold_error *e)
{
	const struct queue_decision d = { .grant = decision != PINFOLD_APPROVAL_DENY,
					  .always = decision == PINFOLD_APPROVAL_ALWAYS };

	return queue_decide(id, &d, e);
}
