/* SPDX-License-Identifier: MIT */
/* The sessions with what was refused and allowed in each, those that lean on their fences most
 * first; on a terminal again and again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "base/number.h"
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold.h"

#define INTERVAL_S 2
#define INTERVAL_MAX_S 3600
#define CELL_MAX 256
#define COMMAND_MAX 512
#define LINE_MAX_BYTES 1024

struct top_options {
	bool json;
	bool once;
	unsigned interval_s;
};

static int set_json(void *data, const char *value)
{
	struct top_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_once(void *data, const char *value)
{
	struct top_options *o = data;

	(void)value;
	o->once = true;
	return 0;
}

static int set_interval(void *data, const char *value)
{
	struct top_options *o = data;
	uint64_t n;

	if (number_parse(value, INTERVAL_MAX_S, &n) < 0 || n == 0) {
		complain("--interval takes seconds, from 1 to %d", INTERVAL_MAX_S);
		return -EINVAL;
	}
	o->interval_s = (unsigned)n;
	return 0;
}

const struct option_row TOP_OPTIONS[] = {
	{ "interval", 'i', "SECONDS", "how often to look (2)", set_interval },
	{ "once", 0, NULL, "look once; so it is where output is no terminal", set_once },
	{ "json", 0, NULL, "print one JSON array, once", set_json },
	{ 0 },
};

/* ---- what is known ----------------------------------------------------------------------------
 */

static double denied(const cJSON *row)
{
	static const char *const KINDS[] = { "net", "dns", "fs" };
	const cJSON *all = cJSON_GetObjectItemCaseSensitive(row, "denied");
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		sum += live_number(all, KINDS[i]);
	return sum;
}

/* What the session itself tells of it; the row as it is when it does not answer, NULL when it has
 * ended since. */
static cJSON *ask(const cJSON *row)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(row, "session");
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	cJSON *o;

	if (!cJSON_IsString(name))
		return NULL;
	if (pinfold_session_show(name->valuestring, &text, &e) < 0)
		return cJSON_HasObjectItem(row, "pid") ? NULL : cJSON_Duplicate(row, true);
	o = cJSON_Parse(text);
	cJSON_DeleteItemFromObjectCaseSensitive(o, "policy"); /* that is what `show` is for */
	return o;
}

/* In front of the first that has fewer refusals: a row that is late keeps behind its equals. */
static void add_sorted(cJSON *list, cJSON *row)
{
	const cJSON *at;
	int where = 0;

	cJSON_ArrayForEach(at, list) {
		if (denied(at) < denied(row))
			break;
		where++;
	}
	cJSON_InsertItemInArray(list, where, row);
}

static int look(cJSON **ret, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	int r = pinfold_sessions(&text, e);
	const cJSON *row;
	cJSON *list;
	cJSON *all;

	if (r < 0)
		return r;
	list = cJSON_Parse(text);
	all = cJSON_CreateArray();
	cJSON_ArrayForEach(row, list) {
		cJSON *told = ask(row);

		if (told)
			add_sorted(all, told);
	}
	cJSON_Delete(list);
	*ret = all;
	return 0;
}

/* ---- how it is shown --------------------------------------------------------------------------
 */

struct screen {
	bool moves;    /* a terminal that is written over */
	int columns;   /* 0: any number */
	int rows_left; /* below 0: any number */
};

static struct screen look_at_screen(bool moves)
{
	struct screen s = { .moves = moves, .rows_left = -1 };
	struct winsize size;

	if (!moves || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return s;
	s.columns = size.ws_col;
	s.rows_left = size.ws_row - 1; /* the last newline would scroll */
	return s;
}

/* Bytes of UTF-8 that continue a character take no column. */
static size_t cut(const char *line, int columns)
{
	size_t at = 0;

	while (columns > 0 && line[at]) {
		at++;
		while (((unsigned char)line[at] & 0xc0) == 0x80)
			at++;
		columns--;
	}
	return at;
}

static void print_line(struct screen *s, const char *line)
{
	if (s->rows_left == 0)
		return;
	s->rows_left -= s->rows_left > 0;
	if (s->columns)
		printf("%.*s", (int)cut(line, s->columns), line);
	else
		fputs(line, stdout);
	fputs(s->moves ? "\033[K\n" : "\n", stdout);
}

static void print_row(struct screen *s, const cJSON *row)
{
	const cJSON *refused = cJSON_GetObjectItemCaseSensitive(row, "denied");
	const cJSON *vouched = cJSON_GetObjectItemCaseSensitive(row, "vouched");
	char line[LINE_MAX_BYTES];
	char session[CELL_MAX];
	char agent[CELL_MAX];
	char age[CELL_MAX];
	char command[COMMAND_MAX];

	live_command(row, command, sizeof(command));
	live_age(live_number(row, "ageMs"), age, sizeof(age));
	(void)snprintf(line, sizeof(line), "%-16s %-12s %5s %8.0f %8.0f %7.0f %8.0f %7d %5.0f  %s",
		       live_string(row, "session", session, sizeof(session)),
		       live_string(row, "agent", agent, sizeof(agent)), age,
		       live_number(refused, "net"), live_number(refused, "dns"),
		       live_number(refused, "fs"), live_number(row, "allowed"),
		       cJSON_GetArraySize(vouched), live_number(row, "lost"), command);
	print_line(s, line);
}

static void print_round(const cJSON *all, bool moves)
{
	struct screen s = look_at_screen(moves);
	char line[LINE_MAX_BYTES];
	const cJSON *row;

	if (s.moves) {
		fputs("\033[H", stdout);
		(void)snprintf(line, sizeof(line), "%d sessions; Ctrl-C ends",
			       cJSON_GetArraySize(all));
		print_line(&s, line);
	}
	(void)snprintf(line, sizeof(line), "%-16s %-12s %5s %8s %8s %7s %8s %7s %5s  %s", "SESSION",
		       "AGENT", "AGE", "NET-DENY", "DNS-DENY", "FS-DENY", "ALLOWED", "VOUCHED",
		       "LOST", "COMMAND");
	print_line(&s, line);
	cJSON_ArrayForEach(row, all)
		print_row(&s, row);
	if (s.moves)
		fputs("\033[J", stdout);
	fflush(stdout);
}

static int print_once(const struct top_options *o)
{
	struct pinfold_error e = { 0 };
	cJSON *all = NULL;
	int r = look(&all, &e);

	if (r < 0)
		return live_complain(r, &e);
	if (o->json) {
		char *text = cJSON_PrintUnformatted(all);

		if (text)
			puts(text);
		cJSON_free(text);
	} else {
		print_round(all, false);
	}
	cJSON_Delete(all);
	return 0;
}

static int print_on(const struct top_options *o)
{
	struct timespec pause = { .tv_sec = o->interval_s };
	struct pinfold_error e = { 0 };
	cJSON *all = NULL;
	int r;

	fputs("\033[2J", stdout);
	while ((r = look(&all, &e)) == 0) {
		print_round(all, true);
		cJSON_Delete(all);
		nanosleep(&pause, NULL);
	}
	return live_complain(r, &e);
}

int verb_top(int argc, char **argv)
{
	struct top_options o = { .interval_s = INTERVAL_S };
	int n = opt_parse_words(find_verb("top"), argc, argv, &o, NULL, 0);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n > 0) {
		complain("top: takes no words; for one session see 'pinfold show SESSION'");
		return EXIT_USAGE;
	}
	return o.once || o.json || !isatty(STDOUT_FILENO) ? print_once(&o) : print_on(&o);
}
