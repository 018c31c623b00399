/* SPDX-License-Identifier: MIT */
#include "cli/explain_words.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/colour.h"

#define LABEL_WIDTH 12
#define LINE_WIDTH 92

struct page {
	const cJSON *o;
	bool colour;
};

static const char *text_of(const cJSON *o, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return text ? text : "";
}

static bool is_true(const cJSON *o, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItem(o, key));
}

static void label(const struct page *p, const char *word)
{
	printf("  %s%-*s%s", colour_start(p->colour, COLOUR_YELLOW), LABEL_WIDTH, word,
	       colour_end(p->colour));
}

static void line(const struct page *p, const char *word, const char *text)
{
	label(p, word);
	puts(text);
}

/* A list, broken into lines. */
static void list(const struct page *p, const char *word, const cJSON *array, const char *none)
{
	size_t column = LABEL_WIDTH + 2;
	bool first = true;
	const cJSON *v;

	label(p, word);
	cJSON_ArrayForEach(v, array) {
		size_t n = strlen(v->valuestring);

		if (!first && column + n + 1 > LINE_WIDTH) {
			printf("\n%*s", LABEL_WIDTH + 2, "");
			column = LABEL_WIDTH + 2;
		} else if (!first) {
			putchar(' ');
			column++;
		}
		fputs(v->valuestring, stdout);
		column += n;
		first = false;
	}
	puts(first ? none : "");
}

/* One element a line, the word in front of the first. */
static void lines(const struct page *p, const char *word, const cJSON *array)
{
	for (const cJSON *v = array ? array->child : NULL; v; v = v->next)
		line(p, v == array->child ? word : "", v->valuestring);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void print_place(const struct page *p)
{
	bool in_pen = is_true(p->o, "isCurrentlySandboxed");
	const char *access = text_of(p->o, "workspaceAccess");
	const char *how = !in_pen                     ? ""
			  : strcmp(access, "rw") == 0 ? " (the workspace, read-write)"
			  : strcmp(access, "ro") == 0
			      ? " (private and read-only, as the workspace is)"
			      : " (private; the workspace is out of sight)";

	line(p, "runs", in_pen ? "in a pen" : "on the host, without a fence");
	lines(p, "because", cJSON_GetObjectItem(p->o, "steps"));
	label(p, "works in");
	printf("%s%s\n", text_of(p->o, "workdir"), how);
	label(p, "settings");
	printf("mode %s, backend %s, scope %s, workspaceAccess %s, sessionToolsVisibility %s\n",
	       text_of(p->o, "mode"), text_of(p->o, "backend"), text_of(p->o, "scope"), access,
	       text_of(p->o, "sessionToolsVisibility"));
}

static void print_lane(const struct page *p)
{
	const cJSON *lane = cJSON_GetObjectItem(p->o, "lane");

	if (!cJSON_IsObject(lane)) {
		line(p, "lane",
		     is_true(p->o, "fenceToLane")
			 ? "none is resolved, so fenceToLane has no effect here"
			 : "none");
		return;
	}
	label(p, "lane");
	printf("%s: %s%s\n", text_of(lane, "name"), text_of(lane, "decision"),
	       is_true(lane, "fenced") ? ", and the rest of the workspace is out of reach" : "");
}

static void print_tools(const struct page *p)
{
	const cJSON *tools = cJSON_GetObjectItem(p->o, "sandboxToolPolicy");

	list(p, "tools", cJSON_GetObjectItem(tools, "allow"), "all that the other levels allow");
	list(p, "  but not", cJSON_GetObjectItem(tools, "deny"), "-");
	label(p, "");
	printf("(by the %s)\n", strcmp(text_of(tools, "source"), "default") == 0
				    ? "built-in list; it holds in a pen only"
				: strcmp(text_of(tools, "source"), "agent") == 0
				    ? "agent's tools.sandbox.tools; it holds in a pen only"
				    : "global tools.sandbox.tools; it holds in a pen only");
}

static void print_gates(const struct page *p)
{
	const cJSON *gates = cJSON_GetObjectItem(p->o, "elevatedGates");
	const cJSON *failures = cJSON_GetObjectItem(gates, "failures");
	const char *word = "elevated";
	const cJSON *f;

	if (is_true(gates, "allowedByConfig")) {
		line(p, word, "open: exec may run on the host when it is asked to");
		return;
	}
	cJSON_ArrayForEach(f, failures) {
		label(p, word);
		printf("closed at %s\n", text_of(f, "key"));
		word = "";
	}
}

/* The fences of one state; yields whether there are any. */
static bool print_state(const struct page *p, const char *word, const char *state, enum colour hue)
{
	const cJSON *fences = cJSON_GetObjectItem(p->o, "fences");
	bool first = true;

	for (const cJSON *f = fences ? fences->child : NULL; f; f = f->next) {
		if (strcmp(text_of(f, "state"), state) != 0)
			continue;
		if (first) {
			label(p, word);
			printf("%s%s%s:", colour_start(p->colour, hue), state,
			       colour_end(p->colour));
		}
		printf("%s %s", first ? "" : ",", f->string);
		first = false;
	}
	if (!first)
		putchar('\n');
	return !first;
}

static void print_fences(const struct page *p)
{
	bool any = print_state(p, "fences", "ready", COLOUR_GREEN);

	any = print_state(p, any ? "" : "fences", "partial", COLOUR_YELLOW) || any;
	print_state(p, any ? "" : "fences", "missing", COLOUR_RED);
}

void explain_print(const struct cJSON *o)
{
	const struct page p = { .o = o, .colour = colour_is_wanted(stdout) };

	printf("agent %s, session %s\n", text_of(o, "agent"), text_of(o, "session"));
	print_place(&p);
	print_lane(&p);
	print_tools(&p);
	print_gates(&p);
	print_fences(&p);
	lines(&p, "warning", cJSON_GetObjectItem(o, "warnings"));
	lines(&p, "to change", cJSON_GetObjectItem(o, "fixItKeys"));
}
