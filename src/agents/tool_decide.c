/* SPDX-License-Identifier: MIT */
#include "agents/tool_decide.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agents/api.h"
#include "agents/registry.h"
#include "agents/tool.h"
#include "agents/tool_config.h"
#include "base/clean.h"
#include "base/err.h"
#include "pinfold_agents.h"

#define LEVEL_VISIBILITY "visibility"
#define SUBAGENT_MARK ":subagent:"
#define BUILT_IN "built-in"

_Static_assert(TOOL_LEVELS == PINFOLD_TOOL_LEVELS, "the public interface shows every level");

static void say(char ret[static PINFOLD_WHY_TEXT_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char ret[static PINFOLD_WHY_TEXT_MAX], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ret, PINFOLD_WHY_TEXT_MAX, format, ap);
	va_end(ap);
}

/* ---- words ---------------------------------------------------------------------------------- */

/* What each level is about. */
static const char *const LEVEL_NOUNS[] = {
	[TOOL_PROFILE] = "the tool profile",
	[TOOL_PROVIDER_PROFILE] = "the provider's tool profile",
	[TOOL_GLOBAL] = "the tools of every agent",
	[TOOL_PROVIDER] = "the provider's tools",
	[TOOL_AGENT] = "the agent's tools",
	[TOOL_AGENT_PROVIDER] = "the agent's tools with this provider",
	[TOOL_SANDBOX] = "the tools of a pen",
	[TOOL_SUBAGENT] = "the tools of subagents",
};

_Static_assert(ARRAY_SIZE(LEVEL_NOUNS) == TOOL_LEVELS, "one noun a level");

static bool is_profile(enum tool_level level)
{
	return level == TOOL_PROFILE || level == TOOL_PROVIDER_PROFILE;
}

static void say_fix(const struct tool_verdict *v, const char *tool,
		    char ret[static PINFOLD_WHY_TEXT_MAX])
{
	const struct tool_step *s = &v->step[v->level];
	const char *block =
	    v->level == TOOL_SANDBOX ? "tools.sandbox.tools" : "tools.subagents.tools";

	if (strcmp(s->origin, BUILT_IN) == 0)
		say(ret, "add \"%s\" to %s.alsoAllow", tool, block);
	else if (s->outcome == TOOL_DENIED)
		say(ret, "remove \"%s\" at %s", s->rule, s->origin);
	else if (is_profile(v->level))
		say(ret,
		    "add \"%s\" to alsoAllow beside the profile \"%s\" at %s, or choose another",
		    tool, s->rule, s->origin);
	else
		say(ret, "add \"%s\" to the list at %s", tool, s->origin);
}

static void say_refusal(const struct tool_verdict *v, const struct tool_name *tool,
			struct pinfold_answer *ret)
{
	const struct tool_step *s = &v->step[v->level];

	ret->verdict = PINFOLD_DENY;
	say(ret->rule, "%s", s->rule);
	say(ret->origin, "%s", s->origin);
	if (s->outcome == TOOL_DENIED)
		say(ret->reason, "%s deny it", LEVEL_NOUNS[v->level]);
	else
		say(ret->reason, "%s %s not list it", LEVEL_NOUNS[v->level],
		    is_profile(v->level) ? "does" : "do");
	if (is_profile(v->level) && s->outcome == TOOL_DENIED)
		say(ret->reason, "%s denies it", LEVEL_NOUNS[v->level]);
	say_fix(v, tool->name, ret->fix);
}

/* The narrowest thing that speaks for it. */
static void say_consent(const struct tool_verdict *v, struct pinfold_answer *ret)
{
	ret->verdict = PINFOLD_ALLOW;
	say(ret->reason, "no level takes it away");
	for (int i = TOOL_LEVELS - 1; i >= 0; i--) {
		const struct tool_step *s = &v->step[i];

		if (s->outcome != TOOL_PASSED || !s->rule || !s->origin)
			continue;
		say(ret->rule, "%s", s->rule);
		say(ret->origin, "%s", s->origin);
		return;
	}
}

static void fill(const struct tool_verdict *v, const struct tool_name *tool,
		 struct pinfold_tool_answer *ret)
{
	for (int i = 0; i < TOOL_LEVELS; i++) {
		const struct tool_step *s = &v->step[i];
		struct pinfold_tool_level *l = &ret->levels[i];

		l->level = tool_level_word((enum tool_level)i);
		l->outcome = tool_outcome_word(s->outcome);
		say(l->rule, "%s", s->rule ? s->rule : "");
		say(l->origin, "%s", s->origin ? s->origin : "");
	}
	if (v->allowed) {
		say_consent(v, &ret->answer);
		return;
	}
	ret->level = tool_level_word(v->level);
	say_refusal(v, tool, &ret->answer);
}

/* ---- targets -------------------------------------------------------------------------------- */

int agents_whole_key(const char *agent, const char *text, char ret[static SESSION_KEY_MAX + 1],
		     struct pinfold_error *e)
{
	bool whole = strchr(text, ':') || strcmp(text, "global") == 0;
	int n = whole ? snprintf(ret, SESSION_KEY_MAX + 1, "%s", text)
		      : snprintf(ret, SESSION_KEY_MAX + 1, "agent:%s:%s", agent, text);

	if (n < 0 || n > SESSION_KEY_MAX || !registry_key_is_sound(ret))
		return err_set(e, -EINVAL, "'%.64s' is no session's key", text);
	return 0;
}

/* 1, 0; a registry that nobody made knows no session. */
static int ask_registry(const struct pinfold_tool_query *q, const char *session, const char *target,
			struct pinfold_error *e)
{
	struct registry r = { .dir = -1 };
	int n = registry_open(q->registry, REGISTRY_LOOK, &r, e);

	if (n == -ENOENT) {
		e->text[0] = '\0';
		return 0;
	}
	if (n == 0)
		n = registry_descends(&r, target, session, e);
	registry_done(&r);
	return n;
}

static int judge_target(const struct agents_sandbox *s, const struct agents_place *p,
			const struct pinfold_tool_query *q, struct pinfold_tool_answer *ret,
			struct pinfold_error *e)
{
	const struct json5 *from = s->from[FIELD_VISIBILITY];
	char target[SESSION_KEY_MAX + 1];
	int r = agents_whole_key(p->agent, q->target, target, e);

	if (r < 0 || s->visibility == VISIBLE_ALL || strcmp(target, p->session) == 0)
		return r;
	r = ask_registry(q, p->session, target, e);
	if (r != 0)
		return r < 0 ? r : 0;
	ret->level = LEVEL_VISIBILITY;
	ret->answer = (struct pinfold_answer){ .verdict = PINFOLD_DENY };
	say(ret->answer.rule, "sessionToolsVisibility: spawned");
	if (from)
		agents_origin(from, ret->answer.origin, sizeof(ret->answer.origin));
	else
		say(ret->answer.origin, BUILT_IN);
	say(ret->answer.reason, "'%.160s' did not spawn '%.160s', directly or not", p->session,
	    target);
	say(ret->answer.fix, "set sandbox.sessionToolsVisibility to \"all\"");
	return 0;
}

static int note_parent(const struct agents_place *p, const struct pinfold_tool_query *q,
		       struct pinfold_error *e)
{
	struct registry r = { .dir = -1 };
	char parent[SESSION_KEY_MAX + 1];
	int n = agents_whole_key(p->agent, q->call.parent, parent, e);

	if (n == 0)
		n = registry_open(q->registry, REGISTRY_MAKE, &r, e);
	if (n == 0)
		n = registry_note(&r, p->session, parent, e);
	registry_done(&r);
	return n;
}

/* ---- one call ------------------------------------------------------------------------------- */

static int decide(const struct tool_config *t, const struct agents_decision *d,
		  const struct pinfold_tool_query *q, struct pinfold_tool_answer *ret,
		  struct pinfold_error *e)
{
	const struct agents_place *p = &d->place;
	struct tool_name tool;
	struct tool_verdict v = { 0 };
	struct tool_query query = {
		.global = &t->global,
		.agent = &t->agent,
		.groups = t->groups,
		.tool = &tool,
		.provider = q->call.provider,
		.sandboxed = p->in_pen,
		.subagent = q->subagent || strstr(p->session, SUBAGENT_MARK),
	};

	if (!q->tool || tool_name_read(q->tool, t->groups, &tool) < 0)
		return err_set(e, -EINVAL, "'%.64s' is not a tool's name", q->tool ? q->tool : "");
	*ret = (struct pinfold_tool_answer){ .sandboxed = query.sandboxed,
					     .subagent = query.subagent };
	say(ret->tool, "%s", tool.name);
	say(ret->agent, "%s", p->agent);
	snprintf(ret->session, sizeof(ret->session), "%s", p->session);
	tool_judge(&query, &v);
	fill(&v, &tool, ret);
	if (!v.allowed || !q->target)
		return 0;
	if (!tool_targets_sessions(&tool))
		return err_set(e, -EINVAL, "'%s' has no session as its target", tool.name);
	return judge_target(&d->sandbox, p, q, ret, e);
}

int tool_decide(const struct agents_config *c, const struct agents_decision *d,
		const struct pinfold_tool_query *q, struct pinfold_tool_answer *ret,
		struct pinfold_error *e)
{
	struct tool_config t = { 0 };
	struct pinfold_tool_answer answer;
	int r = tool_config_read(c, d->place.agent, &t, e);

	if (r == 0 && q->call.parent)
		r = note_parent(&d->place, q, e);
	if (r == 0)
		r = decide(&t, d, q, &answer, e);
	tool_config_done(&t);
	if (r == 0)
		*ret = answer;
	return r;
}

/* ---- the public interface ---------------------------------------------------------------------
 */

int pinfold_tool_check(const struct pinfold_agents *a, const struct pinfold_tool_query *q,
		       struct pinfold_tool_answer *ret, struct pinfold_error *e)
{
	struct agents_decision d = { 0 };
	int r = agents_decide(a->config, &q->call, &d, e);

	if (r == 0)
		r = tool_decide(a->config, &d, q, ret, e);
	agents_decision_done(&d);
	return r;
}

int pinfold_tool_list(const struct pinfold_agents *a, const struct pinfold_tool_query *q,
		      void (*report)(void *data, const struct pinfold_tool_answer *answer),
		      void *data, struct pinfold_error *e)
{
	struct agents_decision d = { 0 };
	int r = agents_decide(a->config, &q->call, &d, e);

	for (size_t i = 0; TOOL_BUILT_IN[i] && r == 0; i++) {
		struct pinfold_tool_query one = *q;
		struct pinfold_tool_answer answer;

		one.tool = TOOL_BUILT_IN[i];
		one.target = NULL;
		r = tool_decide(a->config, &d, &one, &answer, e);
		if (r == 0)
			report(data, &answer);
	}
	agents_decision_done(&d);
	return r;
}
