/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/policy_options.h"
#include "cli/verbs.h"
#include "cli/why_last.h"
#include "pinfold.h"
#include "pinfold_agents.h"

struct why_options {
	struct policy_options policy; /* first: shared setters */
	bool json;
	bool last;
	const char *log;
	const char *config;
	const char *agent;
};

static int set_json(void *data, const char *value)
{
	struct why_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_last(void *data, const char *value)
{
	struct why_options *o = data;

	(void)value;
	o->last = true;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct why_options *o = data;

	o->log = value;
	return 0;
}

static int set_config(void *data, const char *value)
{
	struct why_options *o = data;

	o->config = value;
	return 0;
}

static int set_agent(void *data, const char *value)
{
	struct why_options *o = data;

	o->agent = value;
	return 0;
}

const struct option_row WHY_OPTIONS[] = {
	POLICY_OPTION_ROWS,
	{ "last", 0, NULL, "explain the last denial of SESSION (else: of the newest)", set_last },
	{ "log", 0, "FILE", "with --last: the record; without: the policy's audit.path", set_log },
	{ "config", 0, "FILE", "tool, cmd: the gateway's configuration", set_config },
	{ "agent", 0, "ID", "tool, cmd: the agent; without it: the only one", set_agent },
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ 0 },
};

static const struct {
	const char *word;
	enum pinfold_question question;
} QUESTIONS[] = {
	{ "connect", PINFOLD_WHY_CONNECT }, { "resolve", PINFOLD_WHY_RESOLVE },
	{ "read", PINFOLD_WHY_READ },       { "write", PINFOLD_WHY_WRITE },
	{ "exec", PINFOLD_WHY_EXEC },       { "unix", PINFOLD_WHY_UNIX },
};

static const char *const VERDICT_WORDS[] = {
	[PINFOLD_DENY] = "deny",
	[PINFOLD_ALLOW] = "allow",
	[PINFOLD_ASK] = "ask",
	[PINFOLD_NOT_OURS] = "not_ours",
};

static void print_json(const struct pinfold_answer *a)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *fix = cJSON_AddArrayToObject(o, "fix");
	char *text;

	cJSON_AddStringToObject(o, "verdict", VERDICT_WORDS[a->verdict]);
	if (a->rule[0])
		cJSON_AddStringToObject(o, "rule", a->rule);
	else
		cJSON_AddNullToObject(o, "rule");
	if (a->origin[0])
		cJSON_AddStringToObject(o, "origin", a->origin);
	else
		cJSON_AddNullToObject(o, "origin");
	cJSON_AddStringToObject(o, "reason", a->reason);
	if (a->fix[0])
		cJSON_AddItemToArray(fix, cJSON_CreateString(a->fix));
	text = cJSON_PrintUnformatted(o);
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(o);
}

static void print_words(const char *subject, const struct pinfold_answer *a)
{
	printf("%s  %s\n", VERDICT_WORDS[a->verdict], subject);
	printf("  because  %s\n", a->reason);
	if (a->rule[0])
		printf("  rule     %s\n", a->rule);
	if (a->origin[0])
		printf("  origin   %s\n", a->origin);
	if (a->fix[0])
		printf("  to change it: %s\n", a->fix);
}

static int print_answer(const struct why_options *o, const char *subject,
			const struct pinfold_answer *a)
{
	if (o->json)
		print_json(a);
	else
		print_words(subject, a);
	return a->verdict == PINFOLD_ALLOW ? 0
	       : a->verdict == PINFOLD_ASK ? EXIT_NEEDS_APPROVAL
					   : EXIT_REFUSED;
}

static int about_tool(const struct pinfold_agents *agents, const struct pinfold_call *call,
		      const char *tool, struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct pinfold_tool_query q = { .call = *call, .tool = tool };
	struct pinfold_tool_answer answer = { 0 };
	int r = pinfold_tool_check(agents, &q, &answer, e);

	if (r == 0)
		*ret = answer.answer;
	return r;
}

static const struct {
	const char *word;
	int (*ask)(const struct pinfold_agents *agents, const struct pinfold_call *call,
		   const char *subject, struct pinfold_answer *ret, struct pinfold_error *e);
} GATEWAY_QUESTIONS[] = {
	{ "tool", about_tool },
	{ "cmd", pinfold_why_command },
};

static int ask_gateway(const struct why_options *o, size_t question, const char *subject)
{
	const struct pinfold_call call = { .agent = o->agent };
	struct pinfold_agents *agents = NULL;
	struct pinfold_answer answer = { 0 };
	struct pinfold_error e = { 0 };
	int r;

	if (!o->config) {
		complain("why: %s wants --config FILE; see 'pinfold why --help'",
			 GATEWAY_QUESTIONS[question].word);
		return EXIT_USAGE;
	}
	r = pinfold_agents_load(o->config, &agents, &e);
	if (r == 0)
		r = GATEWAY_QUESTIONS[question].ask(agents, &call, subject, &answer, &e);
	pinfold_agents_free(agents);
	if (r < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	return print_answer(o, subject, &answer);
}

static int ask(const struct why_options *o, enum pinfold_question q, const char *subject)
{
	struct pinfold_answer answer;
	struct pinfold_error e = { 0 };
	struct pinfold_policy *policy;
	int r = policy_options_load(&o->policy, &policy);

	if (r != 0)
		return r;
	r = pinfold_why(policy, q, subject, &answer, &e);
	pinfold_policy_free(policy);
	if (r < 0) {
		complain("%s", e.text);
		return EXIT_USAGE;
	}
	return print_answer(o, subject, &answer);
}

/* Without a policy on the command line the record speaks alone. */
static int ask_record(const struct why_options *o, const char *session)
{
	struct why_last w = { .log = o->log, .session = session, .json = o->json };
	struct pinfold_policy *policy = NULL;
	int r = 0;

	if (o->policy.file || o->policy.n > 0)
		r = policy_options_load(&o->policy, &policy);
	if (r != 0)
		return r;
	w.policy = policy;
	r = why_last(&w);
	pinfold_policy_free(policy);
	return r;
}

int verb_why(int argc, char **argv)
{
	struct why_options o = { 0 };
	const char *words[2];
	int n = opt_parse_words(find_verb("why"), argc, argv, &o, words, 2);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (o.last && n <= 1)
		return ask_record(&o, n == 1 ? words[0] : NULL);
	if (o.last || o.log) {
		complain(o.last ? "why: --last takes one session at most; see 'pinfold why --help'"
				: "why: --log goes with --last; see 'pinfold why --help'");
		return EXIT_USAGE;
	}
	if (n != 2) {
		complain("why: one question and its subject are wanted, such as 'connect "
			 "example.org:443'; see 'pinfold why --help'");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(GATEWAY_QUESTIONS); i++)
		if (strcmp(GATEWAY_QUESTIONS[i].word, words[0]) == 0)
			return ask_gateway(&o, i, words[1]);
	for (size_t i = 0; i < ARRAY_SIZE(QUESTIONS); i++)
		if (strcmp(QUESTIONS[i].word, words[0]) == 0)
			return ask(&o, QUESTIONS[i].question, words[1]);
	complain("why: no such question '%s'; there are connect, resolve, read, write, exec, "
		 "unix, tool and cmd",
		 words[0]);
	return EXIT_USAGE;
}
