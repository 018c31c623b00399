/* SPDX-License-Identifier: MIT */
/* What `tool check` refuses, in the record: the gateway's own tools are held by that answer alone.
 */
#include <errno.h>

#include "agents/api.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "pinfold_agents.h"
#include "policy/parse.h"

static void write_line(struct record *r, const struct pinfold_call *call,
		       const struct pinfold_tool_answer *a)
{
	struct record_line *l = record_begin(r, "tool_policy");

	record_text(l, "tool", a->tool);
	record_text(l, "verdict", "deny");
	record_text(l, "level", a->level);
	record_text(l, "rule", a->answer.rule[0] ? a->answer.rule : NULL);
	record_text(l, "origin", a->answer.origin[0] ? a->answer.origin : NULL);
	record_text(l, "reason", a->answer.reason);
	record_text(l, "provider", call->provider);
	record_end(l);
}

int pinfold_tool_log(const struct pinfold_agents *a, const struct pinfold_call *call,
		     const struct pinfold_tool_answer *refused, const char *path,
		     struct pinfold_error *e)
{
	struct agents_decision d = { 0 };
	struct policy p = { 0 };
	struct record *record = NULL;
	int r = agents_decide(a->config, call, &d, e);

	if (r == 0 && !path)
		r = pen_policy(a->config, &d.sandbox, &d.place, &p, e);
	if (r == 0) {
		const struct record_who who = {
			.session = d.place.session,
			.agent = d.place.agent,
			.lane = d.place.lane.name,
			.channel = place_provider(&d.place),
		};

		r = record_open(path ? path : p.audit.path, &who, &record, e);
	}
	if (r == 0) {
		write_line(record, call, refused);
		record_free(record);
	}
	policy_done(&p);
	agents_decision_done(&d);
	return r;
}
