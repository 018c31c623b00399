/* SPDX-License-Identifier: MIT */
/* The half of the check that reads the configuration. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "agents/config.h"
#include "agents/credential_inner.h"
#include "base/clean.h"
#include "base/json5_tree.h"

#define ORIGIN_MAX 512

static const char *const AGENTS[] = { "agents.entries", "agents.instances", "agents.list" };

/* ---- workspaces ----------------------------------------------------------------------------- */

static int add_workspace(struct audit *a, const struct json5 *v)
{
	const char *text = v && v->type == JSON5_STRING ? v->string : NULL;
	auto_free char *real = NULL;
	char path[PATH_MAX];
	const char *base = "";

	if (!text || !text[0])
		return 0;
	if (text[0] == '~' && (text[1] == '/' || text[1] == '\0')) {
		base = a->c->home;
		text++;
	} else if (text[0] != '/') {
		base = a->c->dir;
	}
	if (snprintf(path, sizeof(path), "%s%s%s", base, base[0] && text[0] != '/' ? "/" : "",
		     text) >= (int)sizeof(path))
		return 0;
	real = realpath(path, NULL);
	if (!real || strcmp(real, "/") == 0 || credential_is_workspace(a, real))
		return 0;
	return list_add(&a->workspaces, real);
}

int credential_find_workspaces(struct audit *a)
{
	int r = add_workspace(a, json5_at(a->c->root, "agents.defaults.workspace"));

	for (size_t i = 0; i < ARRAY_SIZE(AGENTS); i++) {
		const struct json5 *place = json5_at(a->c->root, AGENTS[i]);

		for (const struct json5 *v = place ? place->child : NULL; v && r == 0; v = v->next)
			r = add_workspace(a, json5_member(v, "workspace"));
	}
	return r;
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool is_word(const struct json5 *v, const char *word)
{
	return v && v->type == JSON5_STRING && strcasecmp(v->string, word) == 0;
}

static void check_host(struct audit *a, const struct json5 *tools)
{
	const struct json5 *host = json5_at(tools, "exec.host");
	char origin[ORIGIN_MAX];

	if (!is_word(host, "gateway") && !is_word(host, "node"))
		return;
	agents_origin(host, origin, sizeof(origin));
	credential_report(a, "exec-host", origin, "set tools.exec.host to \"sandbox\" or \"auto\"",
			  "tools.exec.host \"%s\" runs commands outside the pen, of sandboxed "
			  "sessions too",
			  host->string);
}

/* Without an executor the default one counts, which is Node. */
static void check_code_mode(struct audit *a, const struct json5 *tools)
{
	const struct json5 *mode = json5_at(tools, "codeMode");
	const struct json5 *enabled = mode;
	const struct json5 *executor = NULL;
	char origin[ORIGIN_MAX];

	if (mode && mode->type == JSON5_OBJECT) {
		enabled = json5_member(mode, "enabled");
		executor = json5_member(mode, "executor");
	}
	if (!mode || mode->type == JSON5_NULL || (enabled && enabled->type == JSON5_FALSE) ||
	    is_word(executor, "quickjs"))
		return;
	agents_origin(executor ? executor : mode, origin, sizeof(origin));
	credential_report(a, "code-mode", origin, "set tools.codeMode.executor to \"quickjs\"",
			  "Code Mode's %s executor runs JavaScript inside the gateway's process, "
			  "outside every pen",
			  executor && executor->type == JSON5_STRING ? executor->string : "Node");
}

static void check_tools(struct audit *a, const struct json5 *tools)
{
	check_host(a, tools);
	check_code_mode(a, tools);
}

/* ---- secrets in the configuration ------------------------------------------------------------ */

static bool names_a_secret(const char *key)
{
	static const char *const ends[] = { "token", "apikey", "api_key", "password", "secret" };
	size_t len = strlen(key);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len >= n && strcasecmp(key + len - n, ends[i]) == 0)
			return true;
	}
	return false;
}

static const struct json5 *find_secret(const struct json5 *root)
{
	for (const struct json5 *v = root; v; v = json5_after(root, v))
		if (v->key && v->type == JSON5_STRING && v->string[0] && v->string[0] != '$' &&
		    names_a_secret(v->key))
			return v;
	return NULL;
}

static void check_config_mode(struct audit *a)
{
	const struct json5 *secret = find_secret(a->c->root);
	char fix[PATH_MAX + 16];
	char origin[ORIGIN_MAX];
	const char *file;
	struct stat st;

	if (!secret)
		return;
	file = secret->file ? secret->file : a->c->path;
	if (stat(file, &st) < 0 || !(st.st_mode & 0044))
		return;
	agents_origin(secret, origin, sizeof(origin));
	snprintf(fix, sizeof(fix), "chmod 600 '%s'", file);
	credential_report(a, "config", origin, fix,
			  "the configuration holds a secret and can be read by others (mode %03o)",
			  st.st_mode & 0777U);
}

void credential_check_settings(struct audit *a)
{
	const struct json5 *root = a->c->root;

	check_tools(a, json5_at(root, "tools"));
	check_tools(a, json5_at(root, "agents.defaults.tools"));
	for (size_t i = 0; i < ARRAY_SIZE(AGENTS); i++) {
		const struct json5 *place = json5_at(root, AGENTS[i]);

		for (const struct json5 *v = place ? place->child : NULL; v; v = v->next)
			check_tools(a, json5_member(v, "tools"));
	}
	check_config_mode(a);
}
