/* SPDX-License-Identifier: MIT */
/* Any files as a gateway's configuration: the parts of the input, split at 0x01, are the file
 * itself and what it may include.  It is refused with words, or the tree is one that every reader
 * of it can live with: nothing from outside the directory, nothing left to include, every agent
 * resolves, what anybody denies is denied, and each call is explained. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/api.h"
#include "agents/config.h"
#include "agents/sandbox.h"
#include "base/json5.h"
#include "base/json5_tree.h"
#include "pinfold_agents.h"
#include "policy/path_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUTSIDE "outside.json"

static char top[64];
static char conf[PATH_MAX];

/* The first is the configuration; the others are there to be included. */
static const char *const FILES[] = { "c.json", "a", "b", "sub/c" };
#define N_FILES (sizeof(FILES) / sizeof(FILES[0]))

static void place(char *ret, const char *name)
{
	assert(snprintf(ret, PATH_MAX, "%s/%s", conf, name) < PATH_MAX);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void clean(void)
{
	static const char *const NAMES[] = { "sub/up", "out", "loop", "sub" };
	char path[PATH_MAX];

	for (size_t i = 0; i < N_FILES; i++) {
		place(path, FILES[i]);
		remove(path);
	}
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
		place(path, NAMES[i]);
		remove(path);
	}
	remove(conf);
	snprintf(path, sizeof(path), "%s/" OUTSIDE, top);
	remove(path);
	remove(top);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char TEXT[] = "{tools: {allow: ['*']}}";
	char path[PATH_MAX];

	(void)argc;
	(void)argv;
	strcpy(top, access("/dev/shm", W_OK) == 0 ? "/dev/shm/pinfold-fuzz-XXXXXX"
						  : "/tmp/pinfold-fuzz-XXXXXX");
	assert(mkdtemp(top));
	snprintf(conf, sizeof(conf), "%s/conf", top);
	assert(mkdir(conf, 0700) == 0);
	place(path, "sub");
	assert(mkdir(path, 0700) == 0);
	place(path, "sub/up");
	assert(symlink("..", path) == 0);
	place(path, "out");
	assert(symlink("../" OUTSIDE, path) == 0);
	place(path, "loop");
	assert(symlink("loop", path) == 0);
	snprintf(path, sizeof(path), "%s/" OUTSIDE, top);
	write_file(path, (const uint8_t *)TEXT, sizeof(TEXT) - 1);
	atexit(clean);
	assert(setenv("HOME", "/home/u", 1) == 0 && setenv("A", "all", 1) == 0);
	assert(setenv("B", "${A}\\\"", 1) == 0 && setenv("E", "", 1) == 0);
	assert(setenv("C", "\033[31m", 1) == 0);
	unsetenv("OPENCLAW_HOME");
	unsetenv("OPENCLAW_STATE_DIR");
	unsetenv("OPENCLAW_INCLUDE_ROOTS");
	return 0;
}

static void write_parts(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < N_FILES; i++) {
		const uint8_t *cut = size && i + 1 < N_FILES ? memchr(data, 1, size) : NULL;
		size_t n = cut ? (size_t)(cut - data) : size;
		char path[PATH_MAX];

		place(path, FILES[i]);
		write_file(path, data, n);
		data += n;
		size -= n;
		if (cut) {
			data++;
			size--;
		}
	}
}

static bool is_listed(const struct string_list *files, const char *name)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->s[i], name) == 0)
			return true;
	return false;
}

static void check_tree(const struct agents_config *c)
{
	assert(c->root->type == JSON5_OBJECT && json5_depth(c->root) <= JSON5_NESTING_MAX);
	assert(c->files.n >= 1 && c->files.n <= CONFIG_FILES_MAX);
	for (size_t i = 0; i < c->files.n; i++)
		assert(path_is_within(c->files.s[i], conf));
	for (const struct json5 *v = c->root; v; v = json5_after(c->root, v)) {
		assert(!v->key || strcmp(v->key, "$include") != 0);
		assert(!v->file || is_listed(&c->files, v->file));
		for (const struct json5 *m = v->child; m; m = m->next) {
			assert(m->parent == v);
			assert(v->type != JSON5_OBJECT || json5_member(v, m->key) == m);
		}
	}
}

static bool holds(const struct json5 *list, const struct json5 *text)
{
	for (const struct json5 *v = list ? list->child : NULL; v; v = v->next)
		if (v->type == JSON5_STRING && strcmp(v->string, text->string) == 0)
			return true;
	return false;
}

/* A deny of any source is one of the whole. */
static void check_denies(const struct agents_config *c, const struct agents_sandbox *s)
{
	static const char *const LISTS[] = { "network.denyOutbound", "filesystem.deny" };
	const struct json5 *const sources[] = {
		agents_config_security(c),
		agents_config_plugin(c, "pinfold"),
		agents_config_default(c, "sandbox"),
		agents_config_node(c, s->agent, "sandbox"),
	};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		for (size_t k = 0; k < sizeof(LISTS) / sizeof(LISTS[0]); k++) {
			const struct json5 *from = json5_at(sources[i], LISTS[k]);
			const struct json5 *whole = json5_at(s->policy, LISTS[k]);

			for (const struct json5 *v = from ? from->child : NULL; v; v = v->next)
				assert(v->type != JSON5_STRING || holds(whole, v));
		}
	}
}

static void explain(const struct pinfold_agents *a, const struct pinfold_call *call,
		    enum pinfold_explain shape)
{
	struct pinfold_error e = { "" };
	struct json5 *v = NULL;
	char *text = NULL;
	int r = pinfold_agents_explain(a, call, shape, &text, &e);

	assert(r == 0 ? text != NULL : e.text[0] && !text && r != -ENOMEM);
	if (r == 0)
		assert(json5_parse(text, strlen(text), "f", &v, &e) == 0);
	json5_free(v);
	free(text);
}

static void check_agent(const struct pinfold_agents *a, const char *id)
{
	struct pinfold_error e = { "" };
	struct agents_sandbox s = { 0 };
	const struct pinfold_call here = { .agent = id, .session = "s", .origin = "cli" };
	const struct pinfold_call there = {
		.agent = id, .session = "s", .origin = "channel:telegram", .sender = "4711"
	};
	struct agents_decision d;

	assert(sandbox_resolve(a->config, id, &s, &e) == 0);
	check_denies(a->config, &s);
	if (agents_decide(a->config, &there, &d, &e) == 0) {
		assert(d.place.in_pen == (s.mode != MODE_OFF));
		agents_decision_done(&d);
	}
	sandbox_done(&s);
	explain(a, &here, PINFOLD_EXPLAIN_OPENCLAW);
	explain(a, &there, PINFOLD_EXPLAIN_OWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfold_error e = { "" };
	struct pinfold_agents *a = NULL;
	char path[PATH_MAX];
	size_t n;

	write_parts(data, size);
	place(path, FILES[0]);
	if (pinfold_agents_load(path, &a, &e) < 0) {
		assert(!a && e.text[0]);
		return 0;
	}
	check_tree(a->config);
	n = agents_config_count(a->config);
	for (size_t i = 0; i < n && i < 4; i++) {
		char id[AGENT_ID_MAX + 1];

		agents_config_nth(a->config, i, id);
		check_agent(a, id);
	}
	if (n == 0)
		check_agent(a, "main");
	pinfold_agents_free(a);
	return 0;
}
