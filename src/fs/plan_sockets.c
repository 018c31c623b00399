/* SPDX-License-Identifier: MIT */
/*
 * Sockets that others have bound in trees that a session may only read.
 *
 * Reading a tree is no leave to talk to whoever listens in it, and up to Landlock ABI 9 nothing but
 * the socket's own mode stands between: a read-only mount does not.  So they are masked.  The
 * kernel lists the pathname sockets of a network namespace; what is bound later, under a relative
 * name, or in another namespace is found by the guard (guard.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/policy.h"

#define SOCKET_LIST "/proc/net/unix"

/* The path is the eighth word, and may hold blanks. */
static char *path_in_line(char *line)
{
	char *path = strchr(line, '/');

	if (path)
		path[strcspn(path, "\n")] = '\0';
	return path;
}

static bool is_allowed(const struct policy *p, const char *canonical)
{
	for (size_t i = 0; i < p->n_unix_allow; i++) {
		struct fs_resolved at = { .fd = -1 };
		bool same = fs_resolve(p->unix_allow[i].path, FS_FOLLOW_ALL, &at) == 0 && at.path &&
			    strcmp(at.path, canonical) == 0;

		fs_resolved_done(&at);
		if (same)
			return true;
	}
	return false;
}

/* The innermost tree around path, in a plan that is not sorted yet. */
static const struct fs_node *innermost(const struct fs_plan *plan, const char *path)
{
	const struct fs_node *best = NULL;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind == NODE_TREE && fs_path_is_at_or_below(path, n->path) &&
		    (!best || strlen(n->path) > strlen(best->path)))
			best = n;
	}
	return best;
}

static int mask_socket(struct planner *pl, const char *path)
{
	struct fs_resolved at = { .fd = -1 };
	const struct fs_node *tree;
	int r = 0;

	if (!fs_plan_grants(pl->plan, path))
		return 0;
	if (fs_resolve(path, FS_FOLLOW_ALL, &at) < 0)
		return 0; /* nobody can walk there */
	tree = at.fd >= 0 && S_ISSOCK(at.st.st_mode) ? innermost(pl->plan, at.path) : NULL;
	if (tree && tree->grant != DOMAIN_WRITE && !is_allowed(pl->policy, at.path))
		r = fs_plan_mask(
		    pl->plan,
		    &(struct fs_mask){ .path = at.path, .dev = at.st.st_dev, .ino = at.st.st_ino });
	fs_resolved_done(&at);
	return r;
}

int plan_outside_sockets(struct planner *pl)
{
	auto_file FILE *f = fopen(SOCKET_LIST, "re");
	auto_free char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (!f)
		return errno == ENOENT ? 0
				       : err_set(pl->e, -errno, "cannot read %s: %s", SOCKET_LIST,
						 strerror(errno));
	while (r == 0 && getline(&line, &size, f) > 0) {
		const char *path = path_in_line(line);

		if (path)
			r = mask_socket(pl, path);
	}
	return r < 0
		   ? err_set(pl->e, r, "cannot mask the sockets of granted trees: %s", strerror(-r))
		   : 0;
}
