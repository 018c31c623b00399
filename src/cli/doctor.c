/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/verbs.h"
#include "pinfold.h"

struct doctor_options {
	bool json;
	cJSON *list;
};

static int set_json(void *data, const char *value)
{
	struct doctor_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row DOCTOR_OPTIONS[] = {
	{ "json", 0, NULL, "print one JSON array", set_json },
	{ 0 },
};

static const char *const STATE_WORDS[] = {
	[PINFOLD_MISSING] = "missing",
	[PINFOLD_PARTIAL] = "partial",
	[PINFOLD_READY] = "ready",
};

static void report(void *data, const struct pinfold_finding *f)
{
	struct doctor_options *o = data;

	if (o->json) {
		cJSON *row = cJSON_CreateObject();

		cJSON_AddStringToObject(row, "fence", f->fence);
		cJSON_AddStringToObject(row, "state", STATE_WORDS[f->state]);
		cJSON_AddStringToObject(row, "detail", f->detail);
		cJSON_AddStringToObject(row, "fix", f->fix);
		cJSON_AddItemToArray(o->list, row);
		return;
	}
	printf("%-8s %-15s %s\n", STATE_WORDS[f->state], f->fence, f->detail);
	if (f->fix[0])
		printf("%-24s to change it: %s\n", "", f->fix);
}

int verb_doctor(int argc, char **argv)
{
	struct doctor_options o = { 0 };
	struct pinfold_error e = { 0 };
	int first = opt_parse_all(find_verb("doctor"), argc, argv, &o);
	int missing;

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	if (o.json)
		o.list = cJSON_CreateArray();
	missing = pinfold_doctor(report, &o, &e);
	if (o.json) {
		char *text = cJSON_Print(o.list);

		if (text)
			puts(text);
		cJSON_free(text);
		cJSON_Delete(o.list);
	}
	if (missing < 0)
		complain("%s", e.text);
	return missing == 0 ? 0 : EXIT_NOT_CONFINED;
}
