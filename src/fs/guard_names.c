/* SPDX-License-Identifier: MIT */
/* Which names are denied: a quick look at the name, then the same judge as everywhere. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/guard_inner.h"
#include "fs/resolve.h"
#include "policy/paths.h"

#define PATTERN_START 3 /* bytes of the two stars and the slash */
#define DELETED " (deleted)"

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int guard_names_compile(struct guard_core *g)
{
	g->name = calloc(g->set->n + 1, sizeof(*g->name));
	if (!g->name)
		return -ENOMEM;
	for (size_t i = 0; i < g->set->n; i++) {
		const struct path_rule *r = &g->set->rule[i];

		if (r->right != PATH_DENY)
			continue;
		const char *last = last_component(r->path);

		g->name[g->n_names++] =
		    (struct guard_name){ .glob = last, .literal = strcspn(last, "*?[\\") };
		if (r->pattern && strchr(r->path + PATTERN_START, '/'))
			g->has_deep_patterns = true;
	}
	return 0;
}

bool guard_name_may_match(const struct guard_core *g, const char *name)
{
	for (size_t i = 0; i < g->n_names; i++) {
		const struct guard_name *n = &g->name[i];

		if (strncmp(name, n->glob, n->literal) == 0 && fnmatch(n->glob, name, 0) == 0)
			return true;
	}
	return false;
}

/* In the view such a directory is an empty one, with only what is granted inside (plan_deny.c): a
 * mask on top would hide that, too. */
static bool has_grant_below(const struct guard_core *g, const char *path)
{
	for (size_t i = 0; i < g->set->n; i++) {
		const struct path_rule *r = &g->set->rule[i];

		if (r->right != PATH_DENY && strcmp(r->path, path) != 0 &&
		    fs_path_is_at_or_below(r->path, path))
			return true;
	}
	return false;
}

/* Only ever asked of paths inside a granted tree: what no rule matches is not denied. */
bool guard_path_is_denied(const struct guard_core *g, const char *path)
{
	struct path_judgement j = path_set_judge(g->set, path);

	if (j.right != PATH_DENY || !j.rule)
		return false;
	return !(j.rule->yields && strcmp(j.rule->path, path) == 0 && has_grant_below(g, path));
}

bool guard_dir_leads_to_denied(const struct guard_core *g, const char *path)
{
	size_t len = strlen(path);

	if (g->has_deep_patterns)
		return true;
	for (size_t i = 0; i < g->set->n; i++) {
		const struct path_rule *r = &g->set->rule[i];

		if (r->right != PATH_DENY || r->pattern)
			continue;
		if (r->glob || (strncmp(r->path, path, len) == 0 && r->path[len] == '/'))
			return true;
	}
	return false;
}

int guard_path_of(const struct guard_core *g, int fd, char *ret, size_t size)
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "fd/%d", fd);
	n = readlinkat(g->proc, link, ret, size - 1);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size - 1)
		return -ENAMETOOLONG; /* the kernel says so, too */
	ret[n] = '\0';
	/* The kernel says so of a file that has lost its name; it had one when it was opened. */
	if ((size_t)n > strlen(DELETED) && strcmp(ret + n - strlen(DELETED), DELETED) == 0)
		ret[(size_t)n - strlen(DELETED)] = '\0';
	return ret[0] == '/' ? 0 : -ENOENT;
}
