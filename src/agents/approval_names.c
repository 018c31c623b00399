/* SPDX-License-Identifier: MIT */
#include "agents/approval_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/shell_inner.h"
#include "base/clean.h"

#define SYSTEM_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static const char *const SYSTEM_TREES[] = { "/usr/", "/bin/", "/sbin/" };

/* Not those that take an array's index, which can run anything, or start other commands. */
static const char *const BUILTINS[] = { ":",    "[",       "cd",    "command", "echo",  "exec",
					"exit", "builtin", "false", "printf",  "pwd",   "return",
					"test", "time",    "times", "true",    "umask", "ulimit" };

const char *names_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool names_is_builtin(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(BUILTINS); i++)
		if (strcmp(BUILTINS[i], word) == 0)
			return true;
	return false;
}

bool names_has(const struct approval_names *n, const char *name)
{
	for (size_t i = 0; i < n->n; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

static int add_name(struct approval_names *n, const char *name)
{
	if (name[0] == '\0' || names_has(n, name))
		return 0;
	return shell_list_add(&n->name, &n->n, strdup(name));
}

static int add_path(struct approval_names *n, const char *path)
{
	int r = add_name(n, path);

	return r < 0 ? r : add_name(n, names_base(path));
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* The first program of that name in PATH.  false: there is none, or an entry of PATH in front of it
 * depends on the current directory. */
static bool search(const char *path, const char *word, char ret[static PATH_MAX])
{
	for (const char *entry = path; entry; entry = strchr(entry, ':')) {
		int len;
		int n;

		entry += *entry == ':' && entry > path;
		len = (int)strcspn(entry, ":");
		if (entry[0] != '/')
			return false;
		n = snprintf(ret, PATH_MAX, "%.*s/%s", len, entry, word);
		if (n > 0 && n < PATH_MAX && is_program(ret))
			return true;
	}
	return false;
}

static bool is_inside(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(SYSTEM_TREES); i++)
		if (strncmp(path, SYSTEM_TREES[i], strlen(SYSTEM_TREES[i])) == 0)
			return true;
	return false;
}

/* Both what was found and what it leads to: a link elsewhere could lead elsewhere tomorrow. */
static bool is_system(const char *found, const char *real)
{
	struct stat st;

	return is_inside(found) && is_inside(real) && stat(real, &st) == 0 && st.st_uid == 0 &&
	       !(st.st_mode & 022);
}

/* Every symlink between the name and the file is a name of it. */
static int follow(struct approval_names *n, char at[static PATH_MAX])
{
	char target[PATH_MAX];
	char next[PATH_MAX];
	int r = 0;

	for (int hop = 0; hop < NAMES_HOPS_MAX && r == 0; hop++) {
		const ssize_t len = readlink(at, target, sizeof(target) - 1);
		const int dir = (int)(names_base(at) - at);
		int need;

		if (len < 0)
			return 0;
		target[len] = '\0';
		need =
		    snprintf(next, sizeof(next), "%.*s%s", target[0] == '/' ? 0 : dir, at, target);
		if (need < 0 || (size_t)need >= sizeof(next))
			return 0;
		memcpy(at, next, (size_t)need + 1);
		r = add_path(n, at);
	}
	return r;
}

static int add_program(struct approval_names *n, const char *program, bool by_name)
{
	char at[PATH_MAX];
	auto_free char *real = realpath(program, NULL);
	int r;

	snprintf(at, sizeof(at), "%s", program);
	r = add_path(n, at);
	if (r == 0)
		r = follow(n, at);
	if (r == 0 && real)
		r = add_path(n, real);
	n->trusted = real && is_system(program, real);
	n->system = n->trusted && by_name;
	return r;
}

/* A path from each directory that may be the current one. */
static int find_by_path(const struct approval_place *place, const char *word,
			struct approval_names *n)
{
	char program[PATH_MAX];
	int r = 0;

	if (word[0] == '/')
		return is_program(word) ? add_program(n, word, false) : 0;
	for (size_t i = 0; i < place->n_cwds && r == 0; i++) {
		const int len = snprintf(program, sizeof(program), "%s/%s", place->cwd[i], word);

		if (len > 0 && (size_t)len < sizeof(program) && is_program(program))
			r = add_program(n, program, false);
	}
	/* With several to choose from, none is known to be the one. */
	n->trusted = n->trusted && place->n_cwds == 1;
	return r;
}

int names_find(const struct approval_place *place, const char *word, struct approval_names *ret)
{
	char program[PATH_MAX];
	struct approval_names n = { 0 };
	int r = add_path(&n, word);

	if (r == 0 && strchr(word, '/'))
		r = find_by_path(place, word, &n);
	else if (r == 0 && word[0] &&
		 search(place->path ? place->path : SYSTEM_PATH, word, program))
		r = add_program(&n, program, true);
	if (place->shell && names_is_builtin(word))
		n.system = n.trusted = true;
	if (r < 0)
		names_done(&n);
	else
		*ret = n;
	return r;
}

void names_done(struct approval_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct approval_names){ 0 };
}
