/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold.h"

#define CELL_MAX 512
#define COMMAND_MAX 1024

struct show_options {
	bool json;
};

static int set_json(void *data, const char *value)
{
	struct show_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row SHOW_OPTIONS[] = {
	{ "json", 0, NULL, "print one JSON object", set_json },
	{ 0 },
};

static void print_head(const cJSON *o)
{
	static const char *const TEXTS[] = { "session", "agent", "workspace", "source", "hash" };
	static const char *const NUMBERS[] = { "pid",     "uid",     "generation",
					       "allowed", "evicted", "lost" };
	const cJSON *denied = cJSON_GetObjectItemCaseSensitive(o, "denied");
	char text[COMMAND_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++)
		printf("%-11s %s\n", TEXTS[i], live_string(o, TEXTS[i], text, sizeof(text)));
	live_command(o, text, sizeof(text));
	printf("%-11s %s\n", "command", text);
	live_age(live_number(o, "ageMs"), text, sizeof(text));
	printf("%-11s %s\n", "age", text);
	for (size_t i = 0; i < ARRAY_SIZE(NUMBERS); i++)
		printf("%-11s %.0f\n", NUMBERS[i], live_number(o, NUMBERS[i]));
	printf("%-11s net %.0f, dns %.0f, fs %.0f\n", "denied", live_number(denied, "net"),
	       live_number(denied, "dns"), live_number(denied, "fs"));
}

static void print_vouched(const cJSON *o)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "vouched");
	const cJSON *row;
	char address[CELL_MAX];
	char name[CELL_MAX];

	puts("vouched");
	cJSON_ArrayForEach(row, list)
		printf("  %-40s %s (%.0f s)\n",
		       live_string(row, "address", address, sizeof(address)),
		       live_string(row, "name", name, sizeof(name)), live_number(row, "seconds"));
}

static int print_words(const char *text)
{
	cJSON *o = cJSON_Parse(text);
	char *policy = cJSON_Print(cJSON_GetObjectItemCaseSensitive(o, "policy"));

	if (!o || !policy) {
		complain("show: the session's answer is no JSON");
		cJSON_Delete(o);
		return EXIT_NOT_CONFINED;
	}
	print_head(o);
	print_vouched(o);
	printf("policy %s\n", policy);
	cJSON_free(policy);
	cJSON_Delete(o);
	return 0;
}

int verb_show(int argc, char **argv)
{
	struct show_options o = { 0 };
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	const char *session = NULL;
	int n = opt_parse_words(find_verb("show"), argc, argv, &o, &session, 1);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 1) {
		complain("show: one session is wanted; see 'pinfold ps'");
		return EXIT_USAGE;
	}
	r = pinfold_session_show(session, &text, &e);
	if (r < 0)
		return live_complain(r, &e);
	if (!o.json)
		return print_words(text);
	puts(text);
	return 0;
}
