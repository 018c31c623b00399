/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/agent_options.h"
#include "cli/explain_words.h"
#include "cli/verbs.h"

struct explain_options {
	struct agent_options agent; /* first: shared setters */
	bool json;
	bool openclaw;
};

static int set_json(void *data, const char *value)
{
	struct explain_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_openclaw(void *data, const char *value)
{
	struct explain_options *o = data;

	(void)value;
	o->openclaw = true;
	return 0;
}

const struct option_row EXPLAIN_OPTIONS[] = {
	AGENT_OPTION_ROWS,
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ "openclaw", 0, NULL, "the JSON object in the gateway's own shape", set_openclaw },
	{ 0 },
};

static void add_fence(void *data, const struct pinfold_finding *f)
{
	static const char *const WORDS[] = {
		[PINFOLD_MISSING] = "missing",
		[PINFOLD_PARTIAL] = "partial",
		[PINFOLD_READY] = "ready",
	};
	cJSON *fences = data;
	cJSON *one = cJSON_AddObjectToObject(fences, f->fence);

	cJSON_AddStringToObject(one, "state", WORDS[f->state]);
	cJSON_AddStringToObject(one, "detail", f->detail);
	if (f->fix[0])
		cJSON_AddStringToObject(one, "fix", f->fix);
}

/* What this host can enforce belongs to what is in effect. */
static int add_fences(cJSON *o)
{
	struct pinfold_error e = { 0 };
	cJSON *fences = cJSON_AddObjectToObject(o, "fences");

	if (pinfold_doctor(add_fence, fences, &e) >= 0)
		return 0;
	complain("%s", e.text);
	return EXIT_NOT_CONFINED;
}

static int print_json(const char *text)
{
	cJSON *o = cJSON_Parse(text);
	int r = o ? add_fences(o) : EXIT_NOT_CONFINED;
	auto_free char *out = r == 0 ? cJSON_Print(o) : NULL;

	if (out)
		puts(out);
	cJSON_Delete(o);
	return r == 0 && !out ? EXIT_NOT_CONFINED : r;
}

static int print_openclaw(const char *text)
{
	cJSON *o = cJSON_Parse(text);
	auto_free char *out = o ? cJSON_Print(o) : NULL;

	if (out)
		puts(out);
	cJSON_Delete(o);
	return out ? 0 : EXIT_NOT_CONFINED;
}

static int print_words(const char *text)
{
	cJSON *o = cJSON_Parse(text);
	int r = o ? add_fences(o) : EXIT_NOT_CONFINED;

	if (r == 0)
		explain_print(o);
	cJSON_Delete(o);
	return r;
}

static int explain(const struct explain_options *o, const struct pinfold_agents *agents)
{
	enum pinfold_explain shape = o->openclaw ? PINFOLD_EXPLAIN_OPENCLAW : PINFOLD_EXPLAIN_OWN;
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	int r = pinfold_agents_explain(agents, &o->agent.call, shape, &text, &e);

	if (r < 0) {
		complain("%s", e.text);
		return r == -ENOMEM ? EXIT_NOT_CONFINED : EXIT_POLICY;
	}
	if (o->openclaw)
		return print_openclaw(text);
	return o->json ? print_json(text) : print_words(text);
}

int verb_explain(int argc, char **argv)
{
	struct explain_options o = { 0 };
	struct pinfold_agents *agents = NULL;
	int n = opt_parse_all(find_verb("explain"), argc, argv, &o);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	r = agent_options_load(&o.agent, true, &agents);
	if (r == 0)
		r = explain(&o, agents);
	pinfold_agents_free(agents);
	return r;
}
