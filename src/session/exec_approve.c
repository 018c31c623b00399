/* SPDX-License-Identifier: MIT */
/* Before a command runs: the rules for commands, and where they want it a person. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_config.h"
#include "agents/queue.h"
#include "base/clean.h"
#include "base/err.h"
#include "identity/identity.h"
#include "policy/path_text.h"
#include "session/exec.h"

static bool is_fenced(const struct exec *x)
{
	return x->decision.place.in_pen && !x->elevated;
}

/* Where the command starts; see fs_fence_start_dir(). */
static const char *start_dir(const struct exec *x)
{
	const struct policy *p = &x->policy->policy;
	const char *work = p->fence_to_lane && p->lane ? p->lane : p->workspace;
	const char *cwd = x->policy->context.cwd;

	return !is_fenced(x) || path_is_within(cwd, work) ? cwd : work;
}

static struct approval_query query_of(const struct exec *x)
{
	const struct identity_policy *id = &x->policy->policy.identity;

	return (struct approval_query){
		.argv = x->args->argv,
		.path = is_fenced(x) ? id->path : getenv("PATH"),
		.home = !is_fenced(x) ? getenv("HOME")
			: id->home    ? id->home
				      : IDENTITY_PRIVATE_HOME,
		.cwd = start_dir(x),
		.in_pen = is_fenced(x),
	};
}

static void note_waiting(void *data, const char *id)
{
	struct exec *x = data;

	snprintf(x->approval.id, sizeof(x->approval.id), "%s", id);
	exec_log_approval(x, "requested");
	if (strcmp(id, "terminal") != 0)
		exec_notice(x, "waits for approval: pinfold approve allow %s", id);
}

static int take(struct exec *x, const struct queue_outcome *o, struct pinfold_error *e)
{
	static const char *const RESULTS[] = {
		[QUEUE_DENIED] = "denied",
		[QUEUE_GRANTED] = "approved",
		[QUEUE_TIMED_OUT] = "timed out",
	};

	_Static_assert(ARRAY_SIZE(RESULTS) == QUEUE_RESULTS, "a word for every result");
	x->approval.result = RESULTS[o->result];
	x->approval.latency_ms = (int64_t)o->latency_ms;
	snprintf(x->approval.by, sizeof(x->approval.by), "%s", o->by);
	exec_log_approval(x, queue_result_word(o->result));
	if (o->result == QUEUE_GRANTED)
		return 0;
	if (o->result == QUEUE_TIMED_OUT)
		return err_set(e, -EKEYREJECTED, "refused: nobody approved the command in time");
	return err_set(e, -EKEYREJECTED, "refused by %s", o->by[0] ? o->by : "whoever was asked");
}

/* Exactly one decision, for exactly this command here and now. */
static int wait_for_person(struct exec *x, uint64_t timeout_ms, const struct pinfold_answer *a,
			   struct pinfold_error *e)
{
	const struct queue_request q = {
		.argv = x->args->argv,
		.cwd = start_dir(x),
		.agent = x->decision.place.agent,
		.session = x->decision.place.session,
		.location = is_fenced(x) ? "pen" : "host",
		.rule = a->rule,
		.origin = a->origin,
		.reason = a->reason,
		.timeout_ms = timeout_ms,
		.ask = x->args->ask,
		.waits = note_waiting,
		.data = x,
	};
	struct queue_outcome outcome = { 0 };
	int r = q.ask ? queue_prompt(&q, &outcome) : -ENOTTY;

	if (r == -ENOTTY)
		r = queue_wait(&q, &outcome, e);
	if (r == 0)
		return take(x, &outcome, e);
	/* Nobody can be asked, so nobody said yes. */
	x->approval.result = "denied";
	return err_wrap(e, -EKEYREJECTED, "refused: the command needs approval");
}

static int ask(struct exec *x, uint64_t timeout_ms, const struct pinfold_answer *a,
	       struct pinfold_error *e)
{
	const struct queue_always known = {
		.argv = x->args->argv,
		.cwd = start_dir(x),
		.agent = x->decision.place.agent,
	};
	struct pinfold_error unheard = { 0 };
	size_t line;

	x->approval.required = true;
	/* A list that others could write says nothing. */
	if (queue_always_has(&known, &line, &unheard) != 1)
		return wait_for_person(x, timeout_ms, a, e);
	x->approval.result = "approved";
	snprintf(x->approval.by, sizeof(x->approval.by), "always (line %zu)", line);
	exec_log_approval(x, queue_result_word(QUEUE_GRANTED));
	return 0;
}

static int refuse(struct exec *x, const struct pinfold_answer *a, struct pinfold_error *e)
{
	x->approval.result = "denied";
	snprintf(x->approval.by, sizeof(x->approval.by), "%s", "rule");
	exec_log_approval(x, queue_result_word(QUEUE_DENIED));
	return err_set(e, -EKEYREJECTED, "refused: %.150s%s%.60s", a->reason,
		       a->origin[0] ? "; " : "", a->origin);
}

int exec_approve(struct exec *x, struct pinfold_error *e)
{
	const struct approval_query q = query_of(x);
	struct pinfold_answer a = { 0 };
	uint64_t timeout_ms = 0;
	int r = approval_by_config(x->args->agents->config, &q, &a, &timeout_ms, e);

	if (r < 0)
		return r;
	snprintf(x->approval.rule, sizeof(x->approval.rule), "%.120s", a.rule);
	switch (a.verdict) {
	case PINFOLD_ALLOW:
		return 0;
	case PINFOLD_ASK:
		return ask(x, timeout_ms, &a, e);
	case PINFOLD_DENY:
	case PINFOLD_NOT_OURS:
		break;
	}
	return refuse(x, &a, e);
}
