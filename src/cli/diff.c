/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/colour.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_review.h"

struct diff_options {
	bool json;
	bool colour;
	cJSON *list;
	const char *area; /* of the change before */
	size_t count[PINFOLD_CHANGES + 1];
};

static int set_json(void *data, const char *value)
{
	struct diff_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row DIFF_OPTIONS[] = {
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ 0 },
};

static const struct {
	const char *word;
	char mark;
	enum colour colour;
} EFFECTS[] = {
	[PINFOLD_OPENS] = { "opens", '+', COLOUR_RED },
	[PINFOLD_CLOSES] = { "closes", '-', COLOUR_GREEN },
	[PINFOLD_CHANGES] = { "changes", '~', COLOUR_YELLOW },
};
_Static_assert(ARRAY_SIZE(EFFECTS) == PINFOLD_CHANGES + 1, "a row for every effect");

static void add_json(struct diff_options *o, const struct pinfold_change *c)
{
	cJSON *row = cJSON_CreateObject();

	cJSON_AddStringToObject(row, "effect", EFFECTS[c->effect].word);
	cJSON_AddStringToObject(row, "area", c->area);
	cJSON_AddStringToObject(row, "what", c->what);
	cJSON_AddStringToObject(row, "from", c->from);
	cJSON_AddStringToObject(row, "to", c->to);
	if (c->origin)
		cJSON_AddStringToObject(row, "origin", c->origin);
	cJSON_AddItemToArray(o->list, row);
}

static void print_words(struct diff_options *o, const struct pinfold_change *c)
{
	if (!o->area || strcmp(o->area, c->area) != 0)
		printf("%s\n", c->area);
	o->area = c->area;
	printf("  %s%c %-7s%s %s: %s -> %s\n", colour_start(o->colour, EFFECTS[c->effect].colour),
	       EFFECTS[c->effect].mark, EFFECTS[c->effect].word, colour_end(o->colour), c->what,
	       c->from, c->to);
	if (c->origin)
		printf("      by %s\n", c->origin);
}

static void report(void *data, const struct pinfold_change *c)
{
	struct diff_options *o = data;

	o->count[c->effect]++;
	if (o->json)
		add_json(o, c);
	else
		print_words(o, c);
}

static void print_object(struct diff_options *o, const char *const words[2])
{
	cJSON *object = cJSON_CreateObject();
	char *text;

	cJSON_AddStringToObject(object, "old", words[0]);
	cJSON_AddStringToObject(object, "new", words[1]);
	cJSON_AddBoolToObject(object, "same", !cJSON_GetArraySize(o->list));
	for (size_t i = 0; i < ARRAY_SIZE(EFFECTS); i++)
		cJSON_AddNumberToObject(object, EFFECTS[i].word, (double)o->count[i]);
	cJSON_AddItemToObject(object, "differences", o->list);
	text = cJSON_Print(object);
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(object);
}

static int compare(struct diff_options *o, const char *const words[2],
		   struct pinfold_policy *const p[2])
{
	struct pinfold_error e = { 0 };
	int n;

	if (o->json)
		o->list = cJSON_CreateArray();
	n = pinfold_diff(p[0], p[1], report, o, &e);
	if (n < 0) {
		cJSON_Delete(o->list);
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	if (o->json)
		print_object(o, words);
	else if (n > 0)
		printf("%zu opened, %zu closed, %zu changed\n", o->count[PINFOLD_OPENS],
		       o->count[PINFOLD_CLOSES], o->count[PINFOLD_CHANGES]);
	return n > 0;
}

int verb_diff(int argc, char **argv)
{
	struct diff_options o = { .colour = colour_is_wanted(stdout) };
	struct pinfold_policy *p[2] = { NULL };
	const char *words[2] = { NULL };
	struct pinfold_error e = { 0 };
	int n = opt_parse_words(find_verb("diff"), argc, argv, &o, words, 2);
	int status = 0;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 2) {
		complain("diff: two policy files are wanted, the old one and the new one; see "
			 "'pinfold diff --help'");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(p) && status == 0; i++)
		if (pinfold_policy_load(words[i], &p[i], &e) < 0) {
			complain("%s", e.text);
			status = EXIT_POLICY;
		}
	if (status == 0)
		status = compare(&o, words, p);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		pinfold_policy_free(p[i]);
	return status;
}
