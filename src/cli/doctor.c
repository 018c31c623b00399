/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_agents.h"

#define EXIT_HOLES 1
#define STATE_DIRS_MAX 64

struct doctor_options {
	bool json;
	const char *config;
	const char *state_dir[STATE_DIRS_MAX];
	size_t n;
	cJSON *list;
};

static int set_json(void *data, const char *value)
{
	struct doctor_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_config(void *data, const char *value)
{
	struct doctor_options *o = data;

	o->config = value;
	return 0;
}

static int set_state_dir(void *data, const char *value)
{
	struct doctor_options *o = data;

	if (o->n == STATE_DIRS_MAX) {
		complain("doctor: more than %d state directories", STATE_DIRS_MAX);
		return -E2BIG;
	}
	o->state_dir[o->n++] = value;
	return 0;
}

const struct option_row DOCTOR_OPTIONS[] = {
	{ "config", 0, "FILE", "say what a gateway's configuration and files leave open",
	  set_config },
	{ "state-dir", 0, "DIR", "with --config: one more directory of state", set_state_dir },
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

static void report_hole(void *data, const struct pinfold_hole *h)
{
	struct doctor_options *o = data;
	cJSON *row;

	if (!o->json) {
		printf("hole     %-15s %s\n%-24s %s\n%-24s to close it: %s\n", h->check, h->place,
		       "", h->detail, "", h->fix);
		return;
	}
	row = cJSON_CreateObject();
	cJSON_AddStringToObject(row, "check", h->check);
	cJSON_AddStringToObject(row, "state", "hole");
	cJSON_AddStringToObject(row, "place", h->place);
	cJSON_AddStringToObject(row, "detail", h->detail);
	cJSON_AddStringToObject(row, "fix", h->fix);
	cJSON_AddItemToArray(o->list, row);
}

static int doctor_config(struct doctor_options *o)
{
	struct pinfold_error e = { 0 };
	int holes = pinfold_doctor_config(o->config, o->state_dir, o->n, report_hole, o, &e);

	if (holes < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	if (holes == 0 && !o->json)
		puts("no holes found");
	return holes == 0 ? 0 : EXIT_HOLES;
}

static void print_list(struct doctor_options *o)
{
	char *text = cJSON_Print(o->list);

	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(o->list);
}

int verb_doctor(int argc, char **argv)
{
	struct doctor_options o = { 0 };
	struct pinfold_error e = { 0 };
	int first = opt_parse_all(find_verb("doctor"), argc, argv, &o);
	int missing;

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	if (o.n > 0 && !o.config) {
		complain("doctor: --state-dir goes with --config; see 'pinfold doctor --help'");
		return EXIT_USAGE;
	}
	if (o.json)
		o.list = cJSON_CreateArray();
	if (o.config) {
		int status = doctor_config(&o);

		if (o.json && status != EXIT_POLICY)
			print_list(&o);
		return status;
	}
	missing = pinfold_doctor(report, &o, &e);
	if (o.json)
		print_list(&o);
	if (missing < 0)
		complain("%s", e.text);
	return missing == 0 ? 0 : EXIT_NOT_CONFINED;
}
