/* SPDX-License-Identifier: MIT */
/* tag: wraps text from outside for a model. */
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "cli/verbs.h"
#include "pinfold_agents.h"

#define EXIT_FAILED 74

struct tag_options {
	const char *source;
	const char *session;
};

static int set_source(void *data, const char *value)
{
	struct tag_options *o = data;

	o->source = value;
	return 0;
}

static int set_session(void *data, const char *value)
{
	struct tag_options *o = data;

	o->session = value;
	return 0;
}

const struct option_row TAG_OPTIONS[] = {
	{ "source", 0, "WORD", "web, file, mcp, skill or exec (the default)", set_source },
	{ "session", 0, "KEY", "the session to name", set_session },
	{ 0 },
};

static const struct {
	const char *word;
	enum pinfold_source source;
} SOURCES[] = {
	{ "exec", PINFOLD_SOURCE_EXEC },   { "web", PINFOLD_SOURCE_WEB },
	{ "file", PINFOLD_SOURCE_FILE },   { "mcp", PINFOLD_SOURCE_MCP },
	{ "skill", PINFOLD_SOURCE_SKILL },
};

int verb_tag(int argc, char **argv)
{
	struct tag_options o = { .source = "exec" };
	struct pinfold_error e = { 0 };
	int first = opt_parse_all(find_verb("tag"), argc, argv, &o);

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	for (size_t i = 0; i < ARRAY_SIZE(SOURCES); i++) {
		if (strcmp(SOURCES[i].word, o.source) != 0)
			continue;
		if (pinfold_tag_copy(STDIN_FILENO, STDOUT_FILENO, SOURCES[i].source, o.session,
				     &e) == 0)
			return 0;
		complain("tag: %s", e.text);
		return EXIT_FAILED;
	}
	complain("tag: no such source '%s'; there are web, file, mcp, skill and exec", o.source);
	return EXIT_USAGE;
}
