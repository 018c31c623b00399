/* SPDX-License-Identifier: MIT */
/* approve: the commands that wait for a person. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold_agents.h"

#define CELL_MAX 512
#define COMMAND_MAX 4096

struct approve_options {
	bool always;
	bool json;
};

static int set_always(void *data, const char *value)
{
	struct approve_options *o = data;

	(void)value;
	o->always = true;
	return 0;
}

static int set_json(void *data, const char *value)
{
	struct approve_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

const struct option_row APPROVE_OPTIONS[] = {
	{ "always", 0, NULL, "allow: from now on, exactly this command needs no approval",
	  set_always },
	{ "json", 0, NULL, "list, show: print JSON; allow, deny: print what was decided",
	  set_json },
	{ 0 },
};

static int complain_of(int r, const struct pinfold_error *e)
{
	complain("%s", e->text);
	return r == -ENOENT || r == -EALREADY ? EXIT_USAGE : EXIT_NOT_CONFINED;
}

/* ---- list and show -------------------------------------------------------------------------- */

static void print_row(const cJSON *row)
{
	char id[CELL_MAX];
	char agent[CELL_MAX];
	char where[CELL_MAX];
	char age[CELL_MAX];
	char left[CELL_MAX];
	char command[COMMAND_MAX];

	live_command(row, command, sizeof(command));
	live_age(live_number(row, "ageMs"), age, sizeof(age));
	live_age(live_number(row, "leftMs"), left, sizeof(left));
	printf("%-10s %-12s %-5s %5s %5s  %s\n", live_string(row, "id", id, sizeof(id)),
	       live_string(row, "agent", agent, sizeof(agent)),
	       live_string(row, "location", where, sizeof(where)), age, left, command);
}

static int list(const struct approve_options *o, const char *id)
{
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	const cJSON *row;
	cJSON *all;
	int r = pinfold_approvals(&text, &e);

	(void)id;
	if (r < 0)
		return complain_of(r, &e);
	if (o->json) {
		puts(text);
		return 0;
	}
	all = cJSON_Parse(text);
	printf("%-10s %-12s %-5s %5s %5s  %s\n", "ID", "AGENT", "WHERE", "AGE", "LEFT", "COMMAND");
	cJSON_ArrayForEach(row, all)
		print_row(row);
	cJSON_Delete(all);
	return 0;
}

/* One word as a shell would take it back; what is no plain text is spelled out. */
static void print_word(const char *word)
{
	const bool plain = word[0] && !strpbrk(word, " \t\n'\"\\$`;&|<>()*?[]{}~#!");

	fputs(plain ? " " : " '", stdout);
	for (const unsigned char *c = (const unsigned char *)word; *c; c++)
		if (*c < 0x20 || *c >= 0x7f)
			printf("\\x%02x", *c);
		else if (*c == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*c);
	fputs(plain ? "" : "'", stdout);
}

static void print_request(const cJSON *o)
{
	static const char *const ROWS[] = { "id",     "agent", "session", "location",   "cwd",
					    "reason", "rule",  "origin",  "requestedAt" };
	const cJSON *words = cJSON_GetObjectItemCaseSensitive(o, "command");
	const cJSON *word;
	char text[CELL_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		printf("%-12s %s\n", ROWS[i], live_string(o, ROWS[i], text, sizeof(text)));
	live_age(live_number(o, "leftMs"), text, sizeof(text));
	printf("%-12s %s\n%-12s", "left", text, "command");
	cJSON_ArrayForEach(word, words)
		if (cJSON_IsString(word))
			print_word(word->valuestring);
	putchar('\n');
}

static int show(const struct approve_options *o, const char *id)
{
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	cJSON *request;
	int r = pinfold_approval_show(id, &text, &e);

	if (r < 0)
		return complain_of(r, &e);
	if (o->json) {
		puts(text);
		return 0;
	}
	request = cJSON_Parse(text);
	print_request(request);
	cJSON_Delete(request);
	return 0;
}

/* ---- allow and deny ------------------------------------------------------------------------- */

static void tell(const struct approve_options *o, const char *id, bool allowed)
{
	cJSON *object;
	char *text;

	if (!o->json) {
		printf("%s %s%s\n", allowed ? "allowed" : "denied", id,
		       allowed && o->always ? " for good" : "");
		return;
	}
	object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "id", id);
	cJSON_AddStringToObject(object, "decision", allowed ? "allow" : "deny");
	cJSON_AddBoolToObject(object, "always", allowed && o->always);
	text = cJSON_PrintUnformatted(object);
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(object);
}

static int decide(const struct approve_options *o, const char *id, enum pinfold_approval decision)
{
	struct pinfold_error e = { 0 };
	int r = pinfold_approval_decide(id, decision, &e);

	if (r < 0)
		return complain_of(r, &e);
	tell(o, id, decision != PINFOLD_APPROVAL_DENY);
	return 0;
}

static int allow(const struct approve_options *o, const char *id)
{
	return decide(o, id, o->always ? PINFOLD_APPROVAL_ALWAYS : PINFOLD_APPROVAL_ALLOW);
}

static int deny(const struct approve_options *o, const char *id)
{
	return decide(o, id, PINFOLD_APPROVAL_DENY);
}

static const struct {
	const char *word;
	int words; /* itself included */
	bool takes_always;
	int (*run)(const struct approve_options *o, const char *id);
} ACTIONS[] = {
	{ "list", 1, false, list },
	{ "show", 2, false, show },
	{ "allow", 2, true, allow },
	{ "deny", 2, false, deny },
};

int verb_approve(int argc, char **argv)
{
	struct approve_options o = { 0 };
	const char *words[2];
	int n = opt_parse_words(find_verb("approve"), argc, argv, &o, words, 2);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	for (size_t i = 0; n > 0 && i < ARRAY_SIZE(ACTIONS); i++) {
		if (strcmp(ACTIONS[i].word, words[0]) != 0)
			continue;
		if (n != ACTIONS[i].words || (o.always && !ACTIONS[i].takes_always))
			break;
		return ACTIONS[i].run(&o, n == 2 ? words[1] : NULL);
	}
	complain("approve: wants list, show ID, allow ID [--always] or deny ID; see 'pinfold "
		 "approve --help'");
	return EXIT_USAGE;
}
