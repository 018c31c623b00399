/* SPDX-License-Identifier: MIT */
#include "agents/config.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/config_check.h"
#include "agents/config_include.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/context.h"
#include "policy/read.h"

#define FILE_NAME_MAX 90 /* bytes of the file's name in a message: the words need the rest */
#define PATH_TEXT_MAX 96
#define MAIN_AGENT "main"

/* The end of a file's name, where it is long. */
static const char *short_name(const char *file)
{
	size_t len = strlen(file);

	return file + (len > FILE_NAME_MAX ? len - FILE_NAME_MAX : 0);
}

void agents_explain(const struct json5 *v, struct pinfold_error *e, const char *format, ...)
{
	char words[PINFOLD_ERROR_MAX];
	char path[PATH_TEXT_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	json5_path(v, path, sizeof(path));
	err_write(e, "%s:%u:%u: %s: %s", v->file ? short_name(v->file) : "", v->line, v->column,
		  path, words);
}

void agents_origin(const struct json5 *v, char *ret, size_t size)
{
	char path[PATH_TEXT_MAX];

	json5_path(v, path, sizeof(path));
	snprintf(ret, size, "%s:%u (%s)", v->file ? v->file : "", v->line, path);
}

/* ---- loading -------------------------------------------------------------------------------- */

static int read_context(struct agents_config *c, struct pinfold_error *e)
{
	const char *home = getenv("OPENCLAW_HOME");
	struct context context;
	int r = context_read(&context, e);

	if (r < 0)
		return r;
	c->context = context.policy;
	c->home = take_ptr(context.home);
	c->cwd = take_ptr(context.cwd);
	context_done(&context);
	if (home && home[0] == '/') {
		free(c->home);
		c->home = strdup(home);
	}
	c->context.home = c->home;
	c->context.cwd = c->cwd;
	return c->home ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int find_file(struct agents_config *c, const char *path, struct pinfold_error *e)
{
	auto_free char *copy = NULL;

	c->path = realpath(path, NULL);
	if (!c->path)
		return err_set(e, -errno, "cannot read the configuration '%.120s': %s", path,
			       strerror(errno));
	copy = strdup(c->path);
	c->dir = copy ? strdup(dirname(copy)) : NULL;
	return c->dir ? 0 : err_set(e, -ENOMEM, "out of memory");
}

int agents_config_load(const char *path, struct agents_config **ret, struct pinfold_error *e)
{
	struct agents_config *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	r = read_context(c, e);
	if (r == 0)
		r = find_file(c, path, e);
	if (r == 0)
		r = config_read_files(c, e);
	if (r == 0)
		r = config_substitute(c, e);
	if (r == 0)
		r = config_check(c, e);
	if (r < 0) {
		agents_config_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void agents_config_free(struct agents_config *c)
{
	if (!c)
		return;
	json5_free(c->root);
	list_done(&c->files);
	list_done(&c->warnings);
	free(c->path);
	free(c->dir);
	free(c->cwd);
	free(c->home);
	free(c);
}

/* ---- places --------------------------------------------------------------------------------- */

const struct json5 *agents_config_global(const struct agents_config *c, const char *name)
{
	return json5_at(c->root, name);
}

const struct json5 *agents_config_default(const struct agents_config *c, const char *name)
{
	return json5_at(json5_at(c->root, "agents.defaults"), name);
}

static const struct json5 *first_of(const struct agents_config *c, const char *one,
				    const char *other)
{
	const struct json5 *v = json5_at(c->root, one);

	return v ? v : json5_at(c->root, other);
}

const struct json5 *agents_config_approvals(const struct agents_config *c)
{
	return first_of(c, "security.exec-approvals", "exec-approvals");
}

const struct json5 *agents_config_security(const struct agents_config *c)
{
	return first_of(c, "security.sandbox", "sandbox");
}

const struct json5 *agents_config_plugin(const struct agents_config *c, const char *id)
{
	const struct json5 *entries = json5_at(c->root, "plugins.entries");
	const struct json5 *entry =
	    entries && entries->type == JSON5_OBJECT ? json5_member(entries, id) : NULL;
	const struct json5 *enabled = json5_at(entry, "enabled");

	return enabled && enabled->type == JSON5_FALSE ? NULL : json5_at(entry, "config");
}

/* ---- agents --------------------------------------------------------------------------------- */

/* Where agents stand: by key, or in a list with an id.  The same agent in two places is the one of
 * the first place. */
static const char *const PLACES[] = { "agents.entries", "agents.instances", "agents.list" };

/* Without blanks around it, in lower case; false: no name of an agent. */
static bool normal_id(const char *text, char ret[static AGENT_ID_MAX + 1])
{
	size_t n = 0;
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len > 0 && strchr(" \t", text[len - 1]))
		len--;
	if (len == 0 || len > AGENT_ID_MAX)
		return false;
	for (; n < len; n++) {
		unsigned char c = (unsigned char)text[n];

		if (!isalnum(c) && c != '-' && c != '_' && c != '.' && c < 0x80)
			return false;
		ret[n] = (char)tolower(c);
	}
	ret[n] = '\0';
	return true;
}

static const char *id_of(const struct json5 *v)
{
	return v->key ? v->key : json5_text(v, "id");
}

static bool is_agent(const struct json5 *v, const char *id)
{
	char normal[AGENT_ID_MAX + 1];
	const char *text = id_of(v);

	return text && normal_id(text, normal) && strcmp(normal, id) == 0;
}

static const struct json5 *find_agent(const struct agents_config *c, const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
		const struct json5 *place = json5_at(c->root, PLACES[i]);

		for (const struct json5 *v = place ? place->child : NULL; v; v = v->next)
			if (is_agent(v, id))
				return v;
	}
	return NULL;
}

const struct json5 *agents_config_node(const struct agents_config *c, const char *agent,
				       const char *name)
{
	return json5_at(find_agent(c, agent), name);
}

/* Every agent once, in the order of places; NULL at the end. */
static const struct json5 *nth_agent(const struct agents_config *c, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++) {
		const struct json5 *place = json5_at(c->root, PLACES[i]);

		for (const struct json5 *v = place ? place->child : NULL; v; v = v->next) {
			char id[AGENT_ID_MAX + 1];
			const char *text = id_of(v);

			if (text && normal_id(text, id) && find_agent(c, id) == v && n-- == 0)
				return v;
		}
	}
	return NULL;
}

size_t agents_config_count(const struct agents_config *c)
{
	size_t n = 0;

	while (nth_agent(c, n))
		n++;
	return n;
}

void agents_config_nth(const struct agents_config *c, size_t n, char ret[static AGENT_ID_MAX + 1])
{
	const struct json5 *v = nth_agent(c, n);

	ret[0] = '\0';
	if (v)
		normal_id(id_of(v), ret);
}

int agents_config_check_id(const struct json5 *v, struct pinfold_error *e)
{
	char id[AGENT_ID_MAX + 1];

	if (!normal_id(id_of(v), id))
		return agents_fail(v, e, "no name of an agent (letters, digits, '-', '_', '.')");
	for (const struct json5 *other = v->parent->child; other != v; other = other->next)
		if (is_agent(other, id))
			return agents_fail(v, e, "the agent '%s' stands here twice", id);
	return 0;
}

static int choose_agent(const struct agents_config *c, char ret[static AGENT_ID_MAX + 1],
			struct pinfold_error *e)
{
	const struct json5 *chosen = NULL;
	const struct json5 *v;
	size_t defaults = 0;
	size_t n = 0;

	for (; (v = nth_agent(c, n)); n++) {
		const struct json5 *flag = json5_at(v, "default");

		if (!flag || flag->type != JSON5_TRUE)
			continue;
		chosen = v;
		defaults++;
	}
	if (n > 1 && defaults != 1)
		return err_set(e, -ENOENT,
			       "the configuration has %zu agents; say which one with --agent", n);
	v = chosen ? chosen : nth_agent(c, 0);
	if (v)
		normal_id(id_of(v), ret);
	else
		memcpy(ret, MAIN_AGENT, sizeof(MAIN_AGENT));
	return 0;
}

int agents_config_agent_id(const struct agents_config *c, const char *id,
			   char ret[static AGENT_ID_MAX + 1], struct pinfold_error *e)
{
	char normal[AGENT_ID_MAX + 1];

	if (!id)
		return choose_agent(c, ret, e);
	if (!normal_id(id, normal))
		return err_set(e, -ENOENT,
			       "'%.60s' is no name of an agent (letters, digits, '-', '_', '.')",
			       id);
	if (!find_agent(c, normal) && nth_agent(c, 0))
		return err_set(e, -ENOENT, "the configuration has no agent '%s'", normal);
	memcpy(ret, normal, sizeof(normal));
	return 0;
}
