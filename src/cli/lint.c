/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/colour.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_review.h"

struct lint_options {
	bool json;
	bool fix;
	bool colour;
	cJSON *list; /* that the next finding goes to */
};

static int set_json(void *data, const char *value)
{
	struct lint_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_fix(void *data, const char *value)
{
	struct lint_options *o = data;

	(void)value;
	o->fix = true;
	return 0;
}

const struct option_row LINT_OPTIONS[] = {
	{ "fix", 0, NULL, "take out of the file what may go; never opens anything", set_fix },
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ 0 },
};

static void add_json(const struct lint_options *o, const struct pinfold_lint_finding *f)
{
	cJSON *row = cJSON_CreateObject();

	cJSON_AddStringToObject(row, "code", f->code);
	cJSON_AddStringToObject(row, "rule", f->rule);
	cJSON_AddStringToObject(row, "origin", f->origin);
	cJSON_AddStringToObject(row, "reason", f->reason);
	cJSON_AddStringToObject(row, "fix", f->fix);
	cJSON_AddBoolToObject(row, "fixable", f->fixable);
	cJSON_AddItemToArray(o->list, row);
}

static void report(void *data, const struct pinfold_lint_finding *f)
{
	const struct lint_options *o = data;

	if (o->json) {
		add_json(o, f);
		return;
	}
	printf("%s: %s%s%s: %s\n  why: %s\n  fix: %s%s\n", f->origin,
	       colour_start(o->colour, COLOUR_YELLOW), f->code, colour_end(o->colour), f->rule,
	       f->reason, f->fix, f->fixable ? " (--fix does it)" : "");
}

static void report_fixed(void *data, const struct pinfold_lint_finding *f)
{
	const struct lint_options *o = data;

	if (o->json)
		add_json(o, f);
	else
		printf("%s: %sfixed%s %s: %s\n", f->origin, colour_start(o->colour, COLOUR_GREEN),
		       colour_end(o->colour), f->code, f->rule);
}

/* Mends the file and reads it again. */
static int mend(struct lint_options *o, const char *file, struct pinfold_policy **p)
{
	struct pinfold_error e = { 0 };
	int r = pinfold_lint_fix(*p, report_fixed, o, &e);

	if (r > 0) {
		pinfold_policy_free(take_ptr(*p));
		r = pinfold_policy_load(file, p, &e);
	}
	if (r < 0)
		complain("%s", e.text);
	return r < 0 ? r : 0;
}

static int check(struct lint_options *o, const char *file, struct pinfold_policy **p, cJSON *object)
{
	struct pinfold_error e = { 0 };
	int n;

	if (o->json) {
		cJSON_AddStringToObject(object, "policy", file);
		o->list = cJSON_AddArrayToObject(object, "fixed");
	}
	if (o->fix && mend(o, file, p) < 0)
		return EXIT_POLICY;
	if (o->json)
		o->list = cJSON_AddArrayToObject(object, "findings");
	n = pinfold_lint(*p, report, o, &e);
	if (n < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	if (!o->json && n > 0)
		printf("%d finding%s\n", n, n == 1 ? "" : "s");
	return n > 0;
}

int verb_lint(int argc, char **argv)
{
	struct lint_options o = { .colour = colour_is_wanted(stdout) };
	struct pinfold_policy *p = NULL;
	struct pinfold_error e = { 0 };
	const char *file = NULL;
	int n = opt_parse_words(find_verb("lint"), argc, argv, &o, &file, 1);
	cJSON *object;
	char *text;
	int status;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 1) {
		complain("lint: one policy file is wanted; see 'pinfold lint --help'");
		return EXIT_USAGE;
	}
	if (pinfold_policy_load(file, &p, &e) < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	object = cJSON_CreateObject();
	status = check(&o, file, &p, object);
	text = o.json && status <= 1 ? cJSON_Print(object) : NULL;
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(object);
	pinfold_policy_free(p);
	return status;
}
