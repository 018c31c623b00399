/* SPDX-License-Identifier: MIT */
/* tool: which tools an agent may use, and which of the eight levels takes one away. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/agent_options.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_agents.h"

struct tool_options {
	struct agent_options agent; /* first: shared setters */
	struct pinfold_agents *agents;
	struct pinfold_tool_query q;
	const char *log;
	bool json;
	cJSON *list;
};

static int set_target(void *data, const char *value)
{
	struct tool_options *o = data;

	o->q.target = value;
	return 0;
}

static int set_registry(void *data, const char *value)
{
	struct tool_options *o = data;

	o->q.registry = value;
	return 0;
}

static int set_subagent(void *data, const char *value)
{
	struct tool_options *o = data;

	(void)value;
	o->q.subagent = true;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct tool_options *o = data;

	o->log = value;
	return 0;
}

static int set_json(void *data, const char *value)
{
	struct tool_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row TOOL_OPTIONS[] = {
	AGENT_OPTION_ROWS,
	{ "provider", 0, "P[/MODEL]", "the model's provider", set_provider },
	{ "subagent", 0, NULL, "a subagent asks", set_subagent },
	{ "target", 0, "KEY", "the session that a session tool names", set_target },
	{ "parent", 0, "KEY", "who spawned the session; is remembered", set_parent },
	{ "registry", 0, "DIR", "where sessions and parents are remembered", set_registry },
	{ "log", 0, "FILE", "check: append what is refused to the record FILE", set_log },
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ 0 },
};

/* ---- printing ------------------------------------------------------------------------------- */

static const char *verdict_word(const struct pinfold_tool_answer *a)
{
	return a->answer.verdict == PINFOLD_ALLOW ? "allow" : "deny";
}

static void add_text(cJSON *o, const char *key, const char *text)
{
	if (text && text[0])
		cJSON_AddStringToObject(o, key, text);
	else
		cJSON_AddNullToObject(o, key);
}

static void add_call(cJSON *o, const struct pinfold_tool_answer *a)
{
	cJSON_AddStringToObject(o, "agent", a->agent);
	cJSON_AddStringToObject(o, "session", a->session);
	cJSON_AddBoolToObject(o, "sandboxed", a->sandboxed);
	cJSON_AddBoolToObject(o, "subagent", a->subagent);
}

static void add_verdict(cJSON *o, const struct pinfold_tool_answer *a)
{
	cJSON *fix;

	cJSON_AddStringToObject(o, "verdict", verdict_word(a));
	cJSON_AddStringToObject(o, "tool", a->tool);
	add_text(o, "level", a->level);
	add_text(o, "rule", a->answer.rule);
	add_text(o, "origin", a->answer.origin);
	add_text(o, "reason", a->answer.reason);
	fix = cJSON_AddArrayToObject(o, "fix");
	if (a->answer.fix[0])
		cJSON_AddItemToArray(fix, cJSON_CreateString(a->answer.fix));
}

static void add_levels(cJSON *o, const struct pinfold_tool_answer *a)
{
	cJSON *levels = cJSON_AddArrayToObject(o, "levels");

	for (size_t i = 0; i < PINFOLD_TOOL_LEVELS; i++) {
		cJSON *l = cJSON_CreateObject();

		cJSON_AddStringToObject(l, "level", a->levels[i].level);
		cJSON_AddStringToObject(l, "outcome", a->levels[i].outcome);
		add_text(l, "rule", a->levels[i].rule);
		add_text(l, "origin", a->levels[i].origin);
		cJSON_AddBoolToObject(l, "decided",
				      a->level && strcmp(a->level, a->levels[i].level) == 0);
		cJSON_AddItemToArray(levels, l);
	}
}

static void print_value(cJSON *v)
{
	char *text = cJSON_PrintUnformatted(v);

	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(v);
}

static void print_words(const struct pinfold_tool_answer *a)
{
	printf("%s  %s\n", verdict_word(a), a->tool);
	printf("  agent    %s, session %s, %s%s\n", a->agent, a->session,
	       a->sandboxed ? "in a pen" : "on the host", a->subagent ? ", a subagent" : "");
	printf("  because  %s\n", a->answer.reason);
	if (a->level)
		printf("  level    %s\n", a->level);
	if (a->answer.rule[0])
		printf("  rule     %s\n", a->answer.rule);
	if (a->answer.origin[0])
		printf("  origin   %s\n", a->answer.origin);
	if (a->answer.fix[0])
		printf("  to change it: %s\n", a->answer.fix);
}

static void print_levels(const struct pinfold_tool_answer *a)
{
	puts("");
	for (size_t i = 0; i < PINFOLD_TOOL_LEVELS; i++) {
		const struct pinfold_tool_level *l = &a->levels[i];
		bool decided = a->level && strcmp(a->level, l->level) == 0;

		printf("%s %zu %-16s %-12s %s%s%s%s\n", decided ? ">" : " ", i + 1, l->level,
		       l->outcome, l->rule, l->origin[0] ? "  (" : "", l->origin,
		       l->origin[0] ? ")" : "");
	}
}

/* ---- check and explain ---------------------------------------------------------------------- */

static int fail(const struct pinfold_error *e, int r)
{
	complain("%s", e->text);
	return r == -ENOMEM ? EXIT_NOT_CONFINED : EXIT_POLICY;
}

/* A refusal stands, whether or not it could be written down. */
static void write_down(const struct tool_options *o, const struct pinfold_tool_answer *a)
{
	struct pinfold_error e = { 0 };

	if (pinfold_tool_log(o->agents, &o->q.call, a, o->log, &e) < 0)
		complain("tool: the refusal is not in the record: %s", e.text);
}

static int check(struct tool_options *o, bool all_levels)
{
	struct pinfold_tool_answer a = { 0 };
	struct pinfold_error e = { 0 };
	int r = pinfold_tool_check(o->agents, &o->q, &a, &e);

	if (r < 0)
		return fail(&e, r);
	if (o->json) {
		cJSON *v = cJSON_CreateObject();

		add_verdict(v, &a);
		add_call(v, &a);
		if (all_levels)
			add_levels(v, &a);
		print_value(v);
	} else {
		print_words(&a);
		if (all_levels)
			print_levels(&a);
	}
	if (all_levels || a.answer.verdict == PINFOLD_ALLOW)
		return 0;
	write_down(o, &a);
	return EXIT_REFUSED;
}

static void list_one(void *data, const struct pinfold_tool_answer *a)
{
	struct tool_options *o = data;
	cJSON *row;

	if (!o->json) {
		printf("%-5s  %-24s %-16s %s\n", verdict_word(a), a->tool, a->level ? a->level : "",
		       a->level ? a->answer.rule : "");
		return;
	}
	row = cJSON_CreateObject();
	add_verdict(row, a);
	add_levels(row, a);
	cJSON_AddItemToArray(o->list, row);
}

static int list(struct tool_options *o)
{
	struct pinfold_error e = { 0 };
	int r;

	if (o->json)
		o->list = cJSON_CreateArray();
	r = pinfold_tool_list(o->agents, &o->q, list_one, o, &e);
	if (r == 0 && o->json)
		print_value(take_ptr(o->list));
	cJSON_Delete(o->list);
	return r < 0 ? fail(&e, r) : 0;
}

int verb_tool(int argc, char **argv)
{
	struct tool_options o = { 0 };
	const char *words[2];
	int n = opt_parse_words(find_verb("tool"), argc, argv, &o, words, 2);
	bool explain;
	int status;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	explain = n > 0 && strcmp(words[0], "explain") == 0;
	if (n == 0 || n > 2 || (!explain && (strcmp(words[0], "check") != 0 || n != 2))) {
		complain("tool: 'check TOOL' or 'explain [TOOL]' is wanted; see 'pinfold tool "
			 "--help'");
		return EXIT_USAGE;
	}
	status = agent_options_load(&o.agent, false, &o.agents);
	if (status)
		return status;
	o.q.call = o.agent.call;
	o.q.tool = n == 2 ? words[1] : NULL;
	status = n == 1 ? list(&o) : check(&o, explain);
	pinfold_agents_free(o.agents);
	return status;
}
