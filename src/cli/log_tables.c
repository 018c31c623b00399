/* SPDX-License-Identifier: MIT */
#include "cli/log_tables.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/colour.h"
#include "cli/live.h"
#include "cli/log_options.h"

#define TOP_MAX 20
#define TEXT_MAX 1200

static void tell_passed_over(const cJSON *o)
{
	const struct pinfold_log_counts counts = {
		.broken = (uint64_t)live_number(o, "broken"),
		.forged = (uint64_t)live_number(o, "forged"),
		.damaged = (uint64_t)live_number(o, "damaged"),
	};

	log_options_tell(&counts);
}

static const char *text_of(const cJSON *o, const char *key, char *buf, size_t size)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, key);

	buf[0] = '\0';
	if (cJSON_IsNumber(m))
		snprintf(buf, size, "%.0f", m->valuedouble);
	else if (cJSON_IsString(m))
		live_string(o, key, buf, size);
	return buf;
}

/* ---- stats ---------------------------------------------------------------------------------- */

/* One row of a table: its members in turn, each with what stands in front of it. */
struct column {
	const char *before;
	const char *key;
};

struct table {
	const char *group; /* NULL: at the top */
	const char *key;
	const char *title;
	struct column column[6];
};

static const struct table TABLES[] = {
	{ "refused",
	  "destinations",
	  "refused destinations",
	  { { "", "host" }, { ":", "port" }, { "/", "proto" }, { "  ", "reason" } } },
	{ "refused", "names", "refused names", { { "", "name" }, { "  ", "reason" } } },
	{ "refused",
	  "stripped",
	  "names whose addresses were taken out",
	  { { "", "name" }, { "  ", "reason" } } },
	{ "refused",
	  "paths",
	  "refused files",
	  { { "", "path" }, { "  ", "op" }, { "  ", "reason" } } },
	{ "refused", "sockets", "refused unix sockets", { { "", "path" }, { "  ", "reason" } } },
	{ "refused",
	  "other",
	  "other refusals",
	  { { "", "event" }, { "  ", "op" }, { "  ", "reason" } } },
	{ "reached",
	  "destinations",
	  "reached destinations",
	  { { "", "host" }, { ":", "port" }, { "/", "proto" } } },
	{ "reached", "names", "resolved names", { { "", "name" } } },
	{ NULL, "rules", "entries that decided", { { "", "rule" }, { "  ", "origin" } } },
	{ NULL, "agents", "agents", { { "", "agent" } } },
};

static void print_columns(const cJSON *row, const struct column *column)
{
	char text[TEXT_MAX];
	bool v6;

	for (; column->key; column++) {
		text_of(row, column->key, text, sizeof(text));
		v6 = strcmp(column->key, "host") == 0 && strchr(text, ':');
		if (text[0])
			printf("%s%s%s%s", column->before, v6 ? "[" : "", text, v6 ? "]" : "");
	}
	putchar('\n');
}

static void print_table(const cJSON *o, const struct table *t)
{
	const cJSON *group = t->group ? cJSON_GetObjectItemCaseSensitive(o, t->group) : o;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(group, t->key);
	const cJSON *row;
	int n = 0;

	if (cJSON_GetArraySize(list) == 0)
		return;
	printf("\n%s\n", t->title);
	cJSON_ArrayForEach(row, list) {
		if (n++ == TOP_MAX)
			break;
		printf("%10.0f  ", live_number(row, "count"));
		print_columns(row, t->column);
	}
	if (cJSON_GetArraySize(list) > TOP_MAX)
		printf("            and %d more (--json has them)\n",
		       cJSON_GetArraySize(list) - TOP_MAX);
}

static void print_unused(const cJSON *o)
{
	static const struct column UNUSED[] = {
		{ "  ", "list" }, { "  ", "rule" }, { "  ", "origin" }, { NULL, NULL }
	};
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "unusedRules");
	const cJSON *row;

	if (!list)
		return;
	puts("\nentries of the policy that decided nothing");
	if (cJSON_GetArraySize(list) == 0)
		puts("  none");
	cJSON_ArrayForEach(row, list)
		print_columns(row, UNUSED);
	if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "allowedRecorded")))
		puts(
		    "  (what was allowed is not in this record: set audit.allowed, or entries that "
		    "allow look unused)");
}

void log_print_stats(const char *json)
{
	cJSON *o = cJSON_Parse(json);
	const cJSON *verdicts = cJSON_GetObjectItemCaseSensitive(o, "verdicts");
	char first[TEXT_MAX];
	char last[TEXT_MAX];

	printf("%.0f lines of %.0f sessions", live_number(o, "matched"),
	       live_number(o, "sessions"));
	if (text_of(o, "first", first, sizeof(first))[0])
		printf(", %s to %s", first, text_of(o, "last", last, sizeof(last)));
	printf("\n%.0f refused, %.0f would have been refused, %.0f allowed\n",
	       live_number(verdicts, "deny"), live_number(verdicts, "would_deny"),
	       live_number(verdicts, "allow"));
	for (size_t i = 0; i < ARRAY_SIZE(TABLES); i++)
		print_table(o, &TABLES[i]);
	print_unused(o);
	tell_passed_over(o);
	cJSON_Delete(o);
}

/* ---- replay --------------------------------------------------------------------------------- */

static const char *paint_of(char sign)
{
	bool wanted = colour_is_wanted(stdout);

	return sign == '+'   ? colour_start(wanted, COLOUR_GREEN)
	       : sign == '-' ? colour_start(wanted, COLOUR_RED)
			     : "";
}

static void print_change(const cJSON *row, char sign)
{
	char kind[32];
	char subject[TEXT_MAX];
	char address[80];
	char op[160];
	char rule[TEXT_MAX];
	char origin[TEXT_MAX];
	char reason[TEXT_MAX];

	text_of(row, "kind", kind, sizeof(kind));
	text_of(row, "subject", subject, sizeof(subject));
	text_of(row, "address", address, sizeof(address));
	text_of(row, "op", op, sizeof(op));
	text_of(row, "rule", rule, sizeof(rule));
	text_of(row, "origin", origin, sizeof(origin));
	text_of(row, "reason", reason, sizeof(reason));
	printf("%s%c%s %-8s %s%s%s%s%s%s  x%.0f\n", paint_of(sign), sign,
	       colour_end(colour_is_wanted(stdout)), kind, subject, address[0] ? " (" : "", address,
	       address[0] ? ")" : "", op[0] ? "  " : "", op, live_number(row, "count"));
	printf("             %s%s%s%s%s%s\n", reason, rule[0] ? ": \"" : "", rule,
	       rule[0] ? "\"" : "", origin[0] ? ", " : "", origin);
}

static int print_changes(const cJSON *o, const char *key, const char *title, char sign)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, key);
	const cJSON *row;
	int n = cJSON_GetArraySize(list);
	int left = TOP_MAX;

	if (n == 0)
		return 0;
	printf("%s\n", title);
	cJSON_ArrayForEach(row, list) {
		if (left-- == 0)
			break;
		print_change(row, sign);
	}
	if (n > TOP_MAX)
		printf("  and %d more (--json has them)\n", n - TOP_MAX);
	putchar('\n');
	return n;
}

void log_print_replay(const char *json)
{
	cJSON *o = cJSON_Parse(json);
	const cJSON *same = cJSON_GetObjectItemCaseSensitive(o, "unchanged");
	int n = print_changes(o, "newlyAllowed", "newly allowed", '+');

	n += print_changes(o, "newlyDenied", "newly denied", '-');
	if (n == 0)
		puts("nothing changes\n");
	print_changes(o, "stillDenied", "still denied", '=');
	printf("unchanged: %.0f allowed, %.0f denied; not judged: %.0f\n",
	       live_number(same, "allowed"), live_number(same, "denied"),
	       live_number(o, "notJudged"));
	tell_passed_over(o);
	cJSON_Delete(o);
}
