/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold.h"

#define CELL_MAX 256
#define COMMAND_MAX 512

struct ps_options {
	bool json;
};

static int set_json(void *data, const char *value)
{
	struct ps_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row PS_OPTIONS[] = {
	{ "json", 0, NULL, "print one JSON array", set_json },
	{ 0 },
};

static void print_row(const cJSON *row)
{
	char session[CELL_MAX];
	char agent[CELL_MAX];
	char workspace[CELL_MAX];
	char age[CELL_MAX];
	char command[COMMAND_MAX];

	live_command(row, command, sizeof(command));
	live_age(live_number(row, "ageMs"), age, sizeof(age));
	printf("%-16s %-12s %8.0f %10.0f %5s  %-24s %s\n",
	       live_string(row, "session", session, sizeof(session)),
	       live_string(row, "agent", agent, sizeof(agent)), live_number(row, "pid"),
	       live_number(row, "uid"), age,
	       live_string(row, "workspace", workspace, sizeof(workspace)), command);
}

static void print_table(const char *text)
{
	cJSON *list = cJSON_Parse(text);
	const cJSON *row;

	printf("%-16s %-12s %8s %10s %5s  %-24s %s\n", "SESSION", "AGENT", "PID", "UID", "AGE",
	       "WORKSPACE", "COMMAND");
	cJSON_ArrayForEach(row, list)
		print_row(row);
	cJSON_Delete(list);
}

int verb_ps(int argc, char **argv)
{
	struct ps_options o = { 0 };
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	int n = opt_parse_words(find_verb("ps"), argc, argv, &o, NULL, 0);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n > 0) {
		complain("ps: takes no words; see 'pinfold ps --help'");
		return EXIT_USAGE;
	}
	r = pinfold_sessions(&text, &e);
	if (r < 0)
		return live_complain(r, &e);
	if (o.json)
		puts(text);
	else
		print_table(text);
	return 0;
}
