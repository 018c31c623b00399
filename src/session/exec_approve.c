/* SPDX-License-Identifier: MIT */
/* May this command run?  The rules say; or a person, who is waited for; and the record tells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_config.h"
#include "agents/queue.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "session/exec.h"

struct waiting {
	const struct exec *x;
	const struct pinfold_answer *answer;
	char id[QUEUE_ID_LEN + 1];
};

static struct record_line *begin(const struct waiting *w, const char *result)
{
	struct record_line *l = record_begin(w->x->record, "approval");
	size_t argc = 0;

	while (w->x->args->argv[argc])
		argc++;
	record_text(l, "id", w->id);
	record_texts(l, "command", (const char *const *)w->x->args->argv, argc);
	record_text(l, "rule", w->answer->rule[0] ? w->answer->rule : NULL);
	record_text(l, "reason", w->answer->reason);
	record_text(l, "result", result);
	return l;
}

static void tell_requested(void *data, const char *id)
{
	struct waiting *w = data;

	snprintf(w->id, sizeof(w->id), "%s", id);
	record_end(begin(w, "requested"));
	if (strcmp(id, "terminal") != 0)
		exec_notice(w->x, "waits for approval: pinfold approve allow %s", id);
}

static void tell_decided(const struct waiting *w, const struct queue_outcome *o)
{
	struct record_line *l = begin(w, queue_result_word(o->result));

	record_number(l, "latencyMs", (int64_t)o->latency_ms);
	record_text(l, "by", o->by[0] ? o->by : NULL);
	if (o->always)
		record_bool(l, "always", true);
	record_end(l);
}

static bool runs_in_pen(const struct exec *x)
{
	return x->decision.place.in_pen && !x->elevated;
}

/* As the command will have it.  A pen that may turn out to be none is no pen here. */
static void look_around(const struct exec *x, struct approval_query *q)
{
	const struct policy *p = &x->policy->policy;
	const struct agents_config *c = x->args->agents->config;
	const bool pen = runs_in_pen(x);

	*q = (struct approval_query){
		.argv = x->args->argv,
		.path = pen ? p->identity.path : getenv("PATH"),
		.home = pen ? p->identity.home : c->home,
		.cwd = pen ? p->workspace : c->cwd,
		.in_pen = pen && !p->degrade,
	};
}

static int decide(struct exec *x, const struct queue_request *request, struct waiting *w,
		  struct pinfold_error *e)
{
	static const char *const WORDS[] = {
		[QUEUE_DENIED] = "denied",
		[QUEUE_GRANTED] = "approved",
		[QUEUE_TIMED_OUT] = "timed out",
	};
	struct queue_outcome o;
	int r = request->ask ? queue_prompt(request, &o) : -ENOTTY;

	_Static_assert(ARRAY_SIZE(WORDS) == QUEUE_RESULTS, "one word a result");
	if (r == -ENOTTY)
		r = queue_wait(request, &o, e);
	if (r < 0)
		return err_set(e, -EKEYREJECTED, "refused: needs approval (%.80s), and %.100s",
			       w->answer->reason, e->text);
	tell_decided(w, &o);
	x->approval.result = WORDS[o.result];
	x->approval.latency_ms = (int64_t)o.latency_ms;
	snprintf(x->approval.by, sizeof(x->approval.by), "%s", o.by);
	if (o.result == QUEUE_GRANTED)
		return 0;
	if (o.result == QUEUE_TIMED_OUT)
		return err_set(e, -EKEYREJECTED,
			       "refused: nobody approved it within %llu s (%.120s)",
			       (unsigned long long)(request->timeout_ms / 1000), w->answer->reason);
	return err_set(e, -EKEYREJECTED, "refused: %s%s denied it (%.120s)",
		       o.by[0] ? "" : "it was interrupted, which", o.by, w->answer->reason);
}

static int wait_for_person(struct exec *x, const struct approval_query *q,
			   const struct pinfold_answer *answer, uint64_t timeout_ms,
			   struct pinfold_error *e)
{
	const struct agents_place *p = &x->decision.place;
	struct waiting w = { .x = x, .answer = answer };
	const struct queue_always always = { .argv = q->argv, .cwd = q->cwd, .agent = p->agent };
	const struct queue_request request = {
		.argv = q->argv,
		.cwd = q->cwd,
		.agent = p->agent,
		.session = p->session,
		.location = exec_location_word(runs_in_pen(x) ? EXEC_PEN : EXEC_HOST),
		.rule = answer->rule,
		.origin = answer->origin,
		.reason = answer->reason,
		.timeout_ms = timeout_ms,
		.ask = x->args->ask,
		.waits = tell_requested,
		.data = &w,
	};
	size_t line;

	/* A list that can't be trusted approves nothing; the person is asked all the same. */
	if (queue_always_has(&always, &line, e) > 0) {
		x->approval.result = "approved";
		snprintf(x->approval.by, sizeof(x->approval.by), "%s:%zu", QUEUE_ALWAYS_FILE, line);
		return 0;
	}
	x->approval.required = true;
	x->approval.result = "denied";
	return decide(x, &request, &w, e);
}

int exec_approve(struct exec *x, struct pinfold_error *e)
{
	struct pinfold_answer answer;
	struct approval_query q;
	uint64_t timeout_ms;
	int r;

	look_around(x, &q);
	r = approval_by_config(x->args->agents->config, &q, &answer, &timeout_ms, e);
	if (r < 0)
		return r;
	if (answer.verdict == PINFOLD_ASK)
		return wait_for_person(x, &q, &answer, timeout_ms, e);
	if (answer.verdict == PINFOLD_ALLOW) {
		x->approval.result = answer.rule[0] ? "auto" : NULL;
		return 0;
	}
	x->approval.result = "denied";
	return err_set(e, -EKEYREJECTED, "refused: %.120s%s%.100s", answer.reason,
		       answer.origin[0] ? ", by " : "", answer.origin);
}
