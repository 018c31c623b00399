/* SPDX-License-Identifier: MIT */
/* The order of things for one command of a gateway's session: who and where, may this tool be used,
 * may it be used there, may this command run, run it, write it down. */
#include "session/exec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agents/registry.h"
#include "agents/tool_config.h"
#include "agents/tool_decide.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "policy/parse.h"
#include "session/api.h"

#define NOTICE_MAX 512
#define DEFAULT_TOOL "exec"

const char *exec_location_word(enum exec_location l)
{
	static const char *const WORDS[] = {
		[EXEC_NOWHERE] = "nowhere",
		[EXEC_PEN] = "pen",
		[EXEC_BWRAP] = "bubblewrap",
		[EXEC_HOST] = "host",
	};

	return WORDS[l];
}

void exec_notice(const struct exec *x, const char *format, ...)
{
	char text[NOTICE_MAX];
	va_list ap;

	if (!x->args->notice)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	x->args->notice(x->args->notice_data, text);
}

/* ---- who and where -------------------------------------------------------------------------- */

static int decide(struct exec *x, struct pinfold_error *e)
{
	const struct agents_config *c = x->args->agents->config;
	struct policy p = { 0 };
	int r = agents_decide(c, &x->args->call, &x->decision, e);

	if (r == 0)
		r = pen_policy(c, &x->decision.sandbox, &x->decision.place, &p, e);
	if (r == 0)
		r = session_policy_handle(&p, &x->policy, e);
	policy_done(&p);
	return r;
}

/* Warnings of the configuration come at every set-up of a session, as lines of the record too. */
static int tell_warnings(struct exec *x, struct pinfold_error *e)
{
	const struct agents_sandbox *s = &x->decision.sandbox;

	(void)e;
	for (size_t i = 0; i < s->warnings.n; i++) {
		exec_notice(x, "warning: %s", s->warnings.s[i]);
		exec_log_degraded(x, "configuration", s->warnings.s[i], EXEC_NOWHERE);
	}
	return 0;
}

/* Somebody whom the lanes shut out does not get the whole workspace instead. */
static int check_lane(struct exec *x, struct pinfold_error *e)
{
	const struct agents_place *p = &x->decision.place;

	if (p->lane.decision != LANE_DENIED)
		return 0;
	return err_set(e, -EKEYREJECTED, "refused: the lane '%s' is not for %s", p->lane.name,
		       x->args->call.sender ? x->args->call.sender : "this sender");
}

static int note_session(struct exec *x, struct pinfold_error *e)
{
	const char *parent = x->args->call.parent;
	char key[SESSION_KEY_MAX + 1];
	struct registry reg;
	int r = parent ? agents_whole_key(x->decision.place.agent, parent, key, e) : 0;

	if (r < 0)
		return r;
	r = registry_open(NULL, REGISTRY_MAKE, &reg, e);

	/* Without a place to remember it a session has no descendants: that only closes. */
	if (r < 0)
		return parent ? r : 0;
	r = registry_note(&reg, x->decision.place.session, parent ? key : NULL, e);
	registry_done(&reg);
	return r;
}

/* ---- which tools ---------------------------------------------------------------------------- */

static int judge_tool(const struct exec *x, const struct tool_config *t, struct tool_verdict *ret,
		      struct pinfold_error *e)
{
	struct tool_name name;
	struct tool_query q = {
		.global = &t->global,
		.agent = &t->agent,
		.groups = t->groups,
		.tool = &name,
		.provider = x->args->call.provider,
		.sandboxed = x->decision.place.in_pen,
		.subagent = strstr(x->decision.place.session, ":subagent:") != NULL,
	};

	if (tool_name_read(x->tool, q.groups, &name) < 0)
		return err_set(e, -EINVAL, "'%.60s' is no name of a tool", x->tool);
	tool_judge(&q, ret);
	return 0;
}

static int refuse_tool(const struct exec *x, const struct tool_verdict *v, struct pinfold_error *e)
{
	const struct tool_step *s = &v->step[v->level];

	exec_log_tool_policy(x, tool_level_word(v->level), s->rule);
	return err_set(e, -EKEYREJECTED, "refused: the tool '%.60s' is %s by the %s level%s%.100s",
		       x->tool, tool_outcome_word(s->outcome), tool_level_word(v->level),
		       s->origin ? ": " : "", s->origin ? s->origin : "");
}

static int check_tool(struct exec *x, struct pinfold_error *e)
{
	struct tool_config t = { 0 };
	struct tool_verdict v = { 0 };
	int r = tool_config_read(x->args->agents->config, x->decision.place.agent, &t, e);

	if (r == 0)
		r = judge_tool(x, &t, &v, e);
	if (r == 0 && !v.allowed)
		r = refuse_tool(x, &v, e);
	tool_config_done(&t);
	return r;
}

/* Only `exec` can be lifted out of the pen, and only through every gate. */
static int check_elevation(struct exec *x, struct pinfold_error *e)
{
	const struct elevated_gates *g = &x->decision.gates;

	if (!x->args->call.elevated)
		return 0;
	if (strcmp(x->tool, DEFAULT_TOOL) != 0 && strcmp(x->tool, "bash") != 0)
		return err_set(e, -EKEYREJECTED, "refused: only exec can be elevated, not '%.60s'",
			       x->tool);
	if (!g->allowed)
		return err_set(e, -EKEYREJECTED,
			       "refused: elevated needs %s; see 'pinfold explain' for the gates",
			       g->n_failures ? g->failure[0].key : "an open gate");
	x->elevated = true;
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int go_through(struct exec *x, struct pinfold_error *e)
{
	static int (*const STEPS[])(struct exec * x, struct pinfold_error * e) = {
		tell_warnings,   check_lane,   note_session, check_tool,
		check_elevation, exec_approve, exec_run,
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(STEPS) && r == 0; i++)
		r = STEPS[i](x, e);
	return r;
}

int pinfold_exec(const struct pinfold_exec *args, int *ret_status, struct pinfold_error *e)
{
	struct exec x = {
		.args = args,
		.tool = args->tool ? args->tool : DEFAULT_TOOL,
	};
	int r;

	if (!args->argv || !args->argv[0])
		return err_set(e, -EINVAL, "no command to run");
	r = decide(&x, e);
	if (r == 0)
		r = exec_open_record(&x, e);
	if (r == 0) {
		r = go_through(&x, e);
		exec_log_end(&x, r < 0 ? e->text : NULL);
	}
	if (x.has_status)
		*ret_status = x.status;
	record_free(x.record);
	pinfold_policy_free(x.policy);
	agents_decision_done(&x.decision);
	return r;
}
