/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/policy_options.h"
#include "cli/verbs.h"
#include "pinfold.h"

struct why_options {
	struct policy_options policy; /* first: shared setters */
	bool json;
};

static int set_json(void *data, const char *value)
{
	struct why_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row WHY_OPTIONS[] = {
	POLICY_OPTION_ROWS,
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
	if (o->json)
		print_json(&answer);
	else
		print_words(subject, &answer);
	return answer.verdict == PINFOLD_ALLOW ? 0
	       : answer.verdict == PINFOLD_ASK ? EXIT_NEEDS_APPROVAL
					       : EXIT_REFUSED;
}

int verb_why(int argc, char **argv)
{
	struct why_options o = { 0 };
	const char *words[2];
	int n = opt_parse_words(find_verb("why"), argc, argv, &o, words, 2);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 2) {
		complain("why: a question and its subject are wanted; see 'pinfold why --help'");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(QUESTIONS); i++)
		if (strcmp(QUESTIONS[i].word, words[0]) == 0)
			return ask(&o, QUESTIONS[i].question, words[1]);
	complain("why: no such question '%s'; see 'pinfold why --help'", words[0]);
	return EXIT_USAGE;
}
