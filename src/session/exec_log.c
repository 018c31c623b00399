/* SPDX-License-Identifier: MIT */
/* What `exec` leaves in the record. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "session/exec.h"

#define MS 1000

int exec_open_record(struct exec *x, struct pinfold_error *e)
{
	const struct agents_place *p = &x->decision.place;
	const char *path = x->args->log_path ? x->args->log_path : x->policy->policy.audit.path;
	const struct record_who who = {
		.session = p->session,
		.agent = p->agent,
		.lane = p->lane.name,
		.channel = place_provider(p),
	};

	int r = record_open(path, &who, &x->record, e);

	if (r == 0 && x->args->log_to)
		r = record_mirror(x->record, x->args->log_to, e);
	/* No word about the configuration. */
	return r == -EINVAL || r == -ENOENT ? -EDESTADDRREQ : r;
}

void exec_log_tool_policy(const struct exec *x, const char *level, const char *rule)
{
	struct record_line *l = record_begin(x->record, "tool_policy");

	record_text(l, "tool", x->tool);
	record_text(l, "verdict", "deny");
	record_text(l, "level", level);
	record_text(l, "rule", rule);
	record_end(l);
}

void exec_log_approval(const struct exec *x, const char *result)
{
	struct record_line *l = record_begin(x->record, "approval");
	size_t argc = 0;

	while (x->args->argv[argc])
		argc++;
	record_text(l, "id", x->approval.id[0] ? x->approval.id : NULL);
	record_text(l, "result", result);
	record_texts(l, "command", (const char *const *)x->args->argv, argc);
	record_text(l, "rule", x->approval.rule[0] ? x->approval.rule : NULL);
	record_text(l, "by", x->approval.by[0] ? x->approval.by : NULL);
	if (x->approval.result)
		record_number(l, "latencyMs", x->approval.latency_ms);
	record_end(l);
}

void exec_log_degraded(struct exec *x, const char *fence, const char *reason,
		       enum exec_location location)
{
	struct record_line *l = record_begin(x->record, "degraded");

	record_text(l, "fence", fence);
	record_text(l, "reason", reason);
	if (location != EXEC_NOWHERE)
		record_text(l, "location", exec_location_word(location));
	record_end(l);
}

static void write_approval(const struct exec *x, struct record_line *l)
{
	record_object(l, "approval");
	record_bool(l, "required", x->approval.required);
	record_text(l, "result", x->approval.result ? x->approval.result : "not required");
	if (x->approval.required)
		record_number(l, "latencyMs", x->approval.latency_ms);
	record_text(l, "by", x->approval.by[0] ? x->approval.by : NULL);
	record_text(l, "rule", x->approval.rule[0] ? x->approval.rule : NULL);
	record_object_end(l);
}

static void write_result(const struct exec *x, struct record_line *l)
{
	bool exited = x->has_status && WIFEXITED(x->status);
	bool killed = x->has_status && WIFSIGNALED(x->status);

	record_object(l, "result");
	if (x->has_status)
		record_number(l, "exitCode",
			      exited ? WEXITSTATUS(x->status) : 128 + WTERMSIG(x->status));
	if (killed)
		record_number(l, "signal", WTERMSIG(x->status));
	record_bool(l, "success", exited && WEXITSTATUS(x->status) == 0);
	record_number(l, "executionTimeMs", (int64_t)((clock_us() - x->run_us) / MS));
	record_object_end(l);
}

void exec_log_end(const struct exec *x, const char *refused)
{
	const struct agents_place *p = &x->decision.place;
	struct record_line *l;
	size_t argc = 0;

	record_tick(x->record); /* the file may have been renamed while the command ran */
	l = record_begin(x->record, "tool_execution");

	while (x->args->argv[argc])
		argc++;
	record_text(l, "tool", x->tool);
	record_bool(l, "sandbox", x->location == EXEC_PEN || x->location == EXEC_BWRAP);
	record_text(l, "location", exec_location_word(x->location));
	record_text(l, "scope", p->scope_key);
	record_text(l, "sender", x->args->call.sender);
	if (x->args->call.elevated)
		record_bool(l, "elevated", x->elevated);
	record_texts(l, "argv", (const char *const *)x->args->argv, argc);
	write_approval(x, l);
	if (x->has_status || !refused)
		write_result(x, l);
	record_text(l, "refused", refused);
	record_texts(l, "steps", (const char *const *)p->steps.s, p->steps.n);
	record_end(l);
}
