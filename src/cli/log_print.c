/* SPDX-License-Identifier: MIT */
#include "cli/log_print.h"

#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "cli/colour.h"
#include "pinfold_review.h"

#define CELL_MAX 512
#define SHORT_MAX 16
#define WHAT_MAX 1280
#define TIME_LEN 19 /* 2026-01-31T12:00:00 */

static const char *paint_of(const char *verdict, bool wanted)
{
	static const struct {
		const char *verdict;
		enum colour colour;
	} PAINTS[] = {
		{ "deny", COLOUR_RED },
		{ "would_deny", COLOUR_YELLOW },
		{ "allow", COLOUR_GREEN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(PAINTS); i++)
		if (strcmp(PAINTS[i].verdict, verdict) == 0)
			return colour_start(wanted, PAINTS[i].colour);
	return "";
}

/* "api.test 198.51.100.7:443/udp", as much of it as the line has. */
static void say_destination(const struct pinfold_log_line *l, char *ret, size_t size)
{
	char name[CELL_MAX];
	char dst[CELL_MAX];
	char port[SHORT_MAX];
	char proto[SHORT_MAX];
	bool named = pinfold_log_line_text(l, "name", name, sizeof(name));
	bool v6;

	if (!pinfold_log_line_text(l, "dst", dst, sizeof(dst))) {
		snprintf(ret, size, "%s", name);
		return;
	}
	v6 = strchr(dst, ':') != NULL;
	pinfold_log_line_text(l, "port", port, sizeof(port));
	pinfold_log_line_text(l, "proto", proto, sizeof(proto));
	snprintf(ret, size, "%s%s%s%s%s%s%s%s%s", name, named ? " " : "", v6 ? "[" : "", dst,
		 v6 ? "]" : "", port[0] ? ":" : "", port, proto[0] ? "/" : "", proto);
}

/* The first of these members that the line has says what it is about. */
static void say_subject(const struct pinfold_log_line *l, char *ret, size_t size)
{
	static const char *const KEYS[] = { "path",   "tool",     "command", "policy",
					    "fence",  "what",     "error",   "cgroup",
					    "result", "exitCode", "signal" };

	say_destination(l, ret, size);
	for (size_t i = 0; i < ARRAY_SIZE(KEYS) && !ret[0]; i++)
		pinfold_log_line_text(l, KEYS[i], ret, size);
}

static void add_detail(const struct pinfold_log_line *l, const char *key, const char *before,
		       char *ret, size_t size)
{
	char text[CELL_MAX];
	size_t used = strlen(ret);

	if (pinfold_log_line_text(l, key, text, sizeof(text)))
		snprintf(ret + used, size - used, "%s%s", before, text);
}

static void say_who(const struct pinfold_log_line *l, char *ret, size_t size)
{
	char comm[CELL_MAX];
	char pid[SHORT_MAX];
	bool known = pinfold_log_line_text(l, "comm", comm, sizeof(comm));

	if (pinfold_log_line_text(l, "pid", pid, sizeof(pid)))
		snprintf(ret, size, "%s[%s]", known ? comm : "", pid);
	else
		snprintf(ret, size, "%s", known ? comm : "-");
}

void log_print_head(void)
{
	printf("%-20s %-16s %-12s %-13s %-10s %-18s %s\n", "TIME (UTC)", "SESSION", "AGENT",
	       "EVENT", "VERDICT", "WHO", "WHAT");
}

void log_print_line(const struct pinfold_log_line *l, bool colour)
{
	const char *verdict = pinfold_log_line_verdict(l);
	const char *paint = paint_of(verdict, colour);
	char time[CELL_MAX];
	char session[CELL_MAX];
	char agent[CELL_MAX];
	char event[CELL_MAX];
	char who[CELL_MAX + SHORT_MAX + 3];
	char what[WHAT_MAX];

	pinfold_log_line_text(l, "ts", time, sizeof(time));
	time[TIME_LEN] = '\0';
	time[10] = ' ';
	if (!pinfold_log_line_text(l, "session", session, sizeof(session)))
		snprintf(session, sizeof(session), "-");
	if (!pinfold_log_line_text(l, "agent", agent, sizeof(agent)))
		snprintf(agent, sizeof(agent), "-");
	pinfold_log_line_text(l, "event", event, sizeof(event));
	say_who(l, who, sizeof(who));
	say_subject(l, what, sizeof(what));
	add_detail(l, "op", "  ", what, sizeof(what));
	add_detail(l, "reason", ": ", what, sizeof(what));
	add_detail(l, "rule", "  by ", what, sizeof(what));
	add_detail(l, "count", "  x", what, sizeof(what));
	add_detail(l, "suppressed", "  +", what, sizeof(what));
	printf("%s  %-16s %-12s %-13s %s%-10s%s %-18s %s\n", time, session, agent, event, paint,
	       verdict[0] ? verdict : "-", colour_end(paint[0] != '\0'), who, what);
}
