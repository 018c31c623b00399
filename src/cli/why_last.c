/* SPDX-License-Identifier: MIT */
#include "cli/why_last.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/opt.h"
#include "pinfold.h"

static const char *verdict_of(const struct pinfold_last *l)
{
	if (l->answer.verdict == PINFOLD_NOT_OURS)
		return "not_ours";
	return l->observed ? "would_deny" : "deny";
}

static void print_json(const struct pinfold_last *l)
{
	const struct {
		const char *key;
		const char *value;
	} TEXTS[] = {
		{ "rule", l->answer.rule }, { "origin", l->answer.origin },
		{ "session", l->session },  { "ts", l->time },
		{ "event", l->event },      { "op", l->op },
		{ "subject", l->subject },  { "process", l->process },
	};
	cJSON *o = cJSON_CreateObject();
	cJSON *fix = cJSON_AddArrayToObject(o, "fix");
	char *text;

	cJSON_AddStringToObject(o, "verdict", verdict_of(l));
	cJSON_AddStringToObject(o, "reason", l->answer.reason);
	if (l->answer.fix[0])
		cJSON_AddItemToArray(fix, cJSON_CreateString(l->answer.fix));
	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++)
		if (TEXTS[i].value[0])
			cJSON_AddStringToObject(o, TEXTS[i].key, TEXTS[i].value);
		else
			cJSON_AddNullToObject(o, TEXTS[i].key);
	cJSON_AddNumberToObject(o, "denials", (double)l->denials);
	cJSON_AddBoolToObject(o, "allowedNow", l->allowed_now);
	text = cJSON_PrintUnformatted(o);
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(o);
}

static void print_row(const char *head, const char *text)
{
	if (text[0])
		printf("  %-8s %s\n", head, text);
}

static void print_words(const struct pinfold_last *l)
{
	bool ours = l->answer.verdict != PINFOLD_NOT_OURS;

	printf("%s  %s%s%s\n", verdict_of(l), ours ? l->op : "session ",
	       ours && l->op[0] ? " " : "", ours ? l->subject : l->session);
	print_row("because", l->answer.reason);
	print_row("rule", l->answer.rule);
	print_row("origin", l->answer.origin);
	print_row("by", l->process);
	print_row("at", l->time);
	if (ours)
		print_row("session", l->session);
	if (l->allowed_now)
		puts("  the policy as it is now allows it: run the command again");
	else if (l->answer.fix[0] && strncmp(l->answer.fix, "to allow it ", 12) == 0)
		printf("  %s\n", l->answer.fix);
	else if (l->answer.fix[0])
		printf("  %s %s\n", ours ? "to change it:" : "but:", l->answer.fix);
}

int why_last(const struct why_last *w)
{
	struct pinfold_error e = { 0 };
	struct pinfold_last last;
	int r = pinfold_why_last(w->policy, w->log, w->session, &last, &e);

	if (r < 0) {
		complain("%s", e.text);
		return EXIT_USAGE;
	}
	if (w->json)
		print_json(&last);
	else
		print_words(&last);
	return last.answer.verdict == PINFOLD_NOT_OURS ? EXIT_NOT_OURS : EXIT_REFUSED;
}
