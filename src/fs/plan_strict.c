/* SPDX-License-Identifier: MIT */
/*
 * DOC: strictDeny
 *
 * Creating a denied name can be made to fail in two cases only: nothing around it can be written,
 * or the name is there, so that a mask lies over it, and no directory between it and the top of
 * its tree can be renamed, so that nobody can make the path anew.  For the second case each of
 * those directories gets a mount of its own.  Whatever else is denied in a tree for writing, a
 * pattern above all, could be planted for a moment (fs/guard.h), and such a policy is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/paths.h"
#include "policy/policy.h"

/* The innermost tree of the host around path, when it is one for writing. */
static const struct fs_node *writable_tree(const struct fs_plan *plan, const char *path)
{
	const struct fs_node *best = NULL;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind == NODE_TREE && n->is_dir && fs_path_is_at_or_below(path, n->path) &&
		    (!best || strlen(n->path) > strlen(best->path)))
			best = n;
	}
	return best && best->grant == DOMAIN_WRITE ? best : NULL;
}

static const struct fs_node *any_writable_tree(const struct fs_plan *plan)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind == NODE_TREE && n->is_dir && n->grant == DOMAIN_WRITE && !n->is_system)
			return n;
	}
	return NULL;
}

/* -EOPNOTSUPP with words, or in a degraded session the words alone. */
static int refuse(struct planner *pl, const struct path_rule *rule, const char *tree)
{
	struct pinfold_error e = { 0 };

	err_write(&e,
		  "strictDeny: nothing here makes creating '%.60s' (%.60s) fail in '%.60s'; "
		  "without strictDeny it is undone at once",
		  rule->text, rule->origin, tree);
	if (!pl->policy->degrade)
		return err_set(pl->e, -EOPNOTSUPP, "%s", e.text);
	if (!pl->plan->gap[0])
		memcpy(pl->plan->gap, e.text, sizeof(e.text));
	return 0;
}

/* Every directory from below the tree's top down to the one that holds path. */
static int hold_parents(struct planner *pl, const char *path)
{
	const struct fs_node *tree = writable_tree(pl->plan, path);
	auto_free char *at = strdup(path);
	size_t top = strcmp(tree->path, "/") ? strlen(tree->path) : 0;
	int r = at ? 0 : err_set(pl->e, -ENOMEM, "out of memory");

	for (size_t i = top + 1; r == 0 && path[i]; i++) {
		if (path[i] != '/')
			continue;
		at[i] = '\0';
		r = plan_hold_name(pl, writable_tree(pl->plan, path), at);
		at[i] = '/';
	}
	return r;
}

static int hold_denies(struct planner *pl)
{
	int r = 0;

	for (size_t i = 0; i < pl->n_denies && r == 0; i++) {
		const struct fs_node *tree = writable_tree(pl->plan, pl->deny[i].mask.path);

		if (!tree || fs_path_is_at_or_below(tree->path, pl->deny[i].mask.path))
			continue;
		r = pl->deny[i].exists ? hold_parents(pl, pl->deny[i].mask.path)
				       : refuse(pl, pl->deny[i].rule, tree->path);
	}
	return r;
}

int plan_strict(struct planner *pl)
{
	const struct fs_node *tree = any_writable_tree(pl->plan);
	int r = 0;

	if (!pl->policy->fs.strict_deny || !tree)
		return 0;
	for (size_t i = 0; i < pl->set->n && r == 0; i++) {
		const struct path_rule *rule = &pl->set->rule[i];

		if (rule->right == PATH_DENY && rule->pattern)
			r = refuse(pl, rule, tree->path);
	}
	return r < 0 ? r : hold_denies(pl);
}
