/* SPDX-License-Identifier: MIT */
/*
 * Symlinks on the way.  Inside, a symlink is there only where an entry goes through it, and then
 * the entry is for what it leads to.  So what is granted below a symlink's end is granted by the
 * symlink's name as well, with the same right: not a byte more is opened.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "review/learn.h"

bool learn_is_link(const struct learn_use *u, const struct learn_world *w)
{
	return u->missing == PINFOLD_USE_LOOK && !u->is_shut && !u->is_dir &&
	       w->kind(w->data, u->path) == LEARN_LINK;
}

static int add(const struct learn_use *u, const char *rest, enum path_right right,
	       struct learn_grants *g)
{
	struct learn_grant *to = grow(&g->grant, g->n, sizeof(*to));

	if (!to || asprintf(&to->path, "%s%s", u->path, rest) < 0)
		return -ENOMEM;
	to->right = right;
	to->uses = u->missing;
	to->count = u->count;
	to->paths = 1;
	to->is_way = true;
	memcpy(to->who, u->who, sizeof(to->who));
	g->n++;
	return 0;
}

/* What holds for the end of a symlink from above: the nearest entry, the workspace; else it can
 * only be the system set, which is for executing. */
static enum path_right right_above(const struct learn_world *w, const struct learn_grants *g,
				   size_t n, const char *end)
{
	enum path_right right = PATH_ROX;
	size_t best = 0;

	if (path_is_within(end, w->workspace)) {
		right = w->access;
		best = strlen(w->workspace);
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(g->grant[i].path);

		if (g->grant[i].right != PATH_DENY && len >= best &&
		    path_is_within(end, g->grant[i].path)) {
			right = g->grant[i].right;
			best = len;
		}
	}
	return right;
}

static int lead_on(const struct learn_use *u, const struct learn_world *w, struct learn_grants *g,
		   size_t n)
{
	auto_free char *end = w->follow(w->data, u->path);
	bool found = false;
	int r = 0;

	if (!end)
		return 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		const char *path = g->grant[i].path;

		if (g->grant[i].right == PATH_DENY || strcmp(path, end) == 0 ||
		    !path_is_within(path, end))
			continue;
		found = true;
		r = add(u, path + strlen(end), g->grant[i].right, g);
	}
	return found || r < 0 ? r : add(u, "", right_above(w, g, n, end), g);
}

int learn_links(const struct learn_uses *uses, const struct learn_world *w, struct learn_grants *g)
{
	const size_t n = g->n;
	int r = 0;

	for (size_t i = 0; i < uses->n && r == 0; i++)
		if (learn_is_link(&uses->use[i], w))
			r = lead_on(&uses->use[i], w, g, n);
	return r;
}
