/* SPDX-License-Identifier: MIT */
/* Deny rules: what they resolve to, which grants they end, which masks they need. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/paths.h"

static int add_deny(struct planner *pl, const struct path_rule *rule, const struct fs_resolved *at,
		    int code)
{
	struct deny *bigger;
	struct deny d = {
		.rule = rule,
		.exists = at->fd >= 0,
		.code = code,
		.mask = {
			.path = strdup(at->path),
			.is_dir = S_ISDIR(at->st.st_mode),
			.is_optional = fs_path_is_at_or_below(at->path, "/proc") ||
				       fs_path_is_at_or_below(at->path, "/dev"),
			.may_vanish = strcmp(at->path, rule->path) == 0,
			.dev = at->st.st_dev,
			.ino = at->st.st_ino,
		},
	};

	bigger = reallocarray(pl->deny, pl->n_denies + 1, sizeof(*bigger));
	if (bigger)
		pl->deny = bigger;
	if (!bigger || !d.mask.path) {
		free(d.mask.path);
		return err_set(pl->e, -ENOMEM, "out of memory");
	}
	pl->deny[pl->n_denies++] = d;
	return 0;
}

static int add_unreachable(struct planner *pl, const struct path_rule *rule, const char *path,
			   int code)
{
	struct fs_resolved at = { .fd = -1, .path = strdup(path) };
	int r = at.path ? add_deny(pl, rule, &at, code) : err_set(pl->e, -ENOMEM, "out of memory");

	fs_resolved_done(&at);
	return r;
}

/* A denied symlink is held by its own name as well as by what it leads to. */
static int deny_path(struct planner *pl, const struct path_rule *rule, const char *path)
{
	static const enum fs_follow ways[] = { FS_FOLLOW_ALL, FS_FOLLOW_PARENTS };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways) && r == 0; i++) {
		struct fs_resolved at = { .fd = -1 };

		r = fs_resolve(path, ways[i], &at);
		/* A path that nobody can walk leads to nothing that could be read. */
		if (r == -ELOOP || r == -ENAMETOOLONG)
			return 0;
		/* Someone's home on a dead or distant file system: no reason not to launch, unless
		 * a grant shows it (plan_masks). */
		if (r < 0)
			return add_unreachable(pl, rule, path, r);
		bool had_links = at.n_links > 0;

		r = add_deny(pl, rule, &at, 0);
		fs_resolved_done(&at);
		if (!had_links)
			break;
	}
	return r;
}

static int deny_glob(struct planner *pl, const struct path_rule *rule)
{
	glob_t found = { 0 };
	int r = glob(rule->path, GLOB_NOSORT | GLOB_PERIOD, NULL, &found);

	if (r == GLOB_NOMATCH)
		return 0;
	if (r != 0)
		return err_set(pl->e, -EIO, "%s: cannot look up '%s'", rule->origin, rule->text);
	for (size_t i = 0; i < found.gl_pathc && r == 0; i++)
		r = deny_path(pl, rule, found.gl_pathv[i]);
	globfree(&found);
	return r;
}

int plan_deny(struct planner *pl, const struct path_rule *rule)
{
	return rule->glob ? deny_glob(pl, rule) : deny_path(pl, rule, rule->path);
}

/* A deny that yields gives way to any longer grant; the others lie on top of all. */
static bool covers(const struct deny *d, const char *path, const char *denied)
{
	return fs_path_is_at_or_below(path, denied) &&
	       !(d->rule->yields && strcmp(path, denied) != 0);
}

/* A pattern is no place to put a mask; a grant of what it names is not even mounted. */
static bool pattern_denies(const struct planner *pl, const char *path)
{
	const struct path_judgement j = path_set_judge(pl->set, path);

	return j.right == PATH_DENY && j.rule && j.rule->pattern;
}

static bool is_denied(const struct planner *pl, const struct fs_node *n)
{
	if (n->kind == NODE_TREE && n->rule &&
	    (pattern_denies(pl, n->path) || pattern_denies(pl, n->rule->path)))
		return true;
	for (size_t i = 0; i < pl->n_denies; i++) {
		const struct deny *d = &pl->deny[i];

		if (covers(d, n->path, d->mask.path) ||
		    (n->rule && covers(d, n->rule->path, d->rule->path)))
			return true;
	}
	return false;
}

/* Deny always wins: what lies below one is not even mounted. */
void plan_drop_denied(struct planner *pl)
{
	struct fs_plan *plan = pl->plan;
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		if (is_denied(pl, &plan->node[i]))
			plan_node_done(&plan->node[i]);
		else
			plan->node[kept++] = plan->node[i];
	}
	plan->n_nodes = kept;
}

static bool has_node_below(const struct fs_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		if (strcmp(plan->node[i].path, path) != 0 &&
		    fs_path_is_at_or_below(plan->node[i].path, path))
			return true;
	}
	return false;
}

/* Where something inside a denied directory is granted, an empty directory with only that in it
 * takes the place of the mask. */
static int add_cover(struct planner *pl, const struct fs_mask *m)
{
	struct fs_node n = {
		.kind = NODE_PLACE,
		.path = strdup(m->path),
		.object = -1,
		.mount = -1,
		.is_dir = true,
		.is_built_in = true,
		.is_optional = true,
		.on_host = true,
		.dev = m->dev,
		.ino = m->ino,
	};

	return plan_add_node(pl->plan, &n, pl->e);
}

int plan_masks(struct planner *pl)
{
	int r = 0;

	for (size_t i = 0; i < pl->n_denies && r == 0; i++) {
		const struct deny *d = &pl->deny[i];

		if (d->code < 0 && fs_plan_grants(pl->plan, d->mask.path))
			return err_set(pl->e, d->code, "%s: cannot open the denied '%s': %s",
				       d->rule->origin, d->mask.path, strerror(-d->code));
		if (!d->exists)
			continue;
		if (d->rule->yields && d->mask.is_dir && has_node_below(pl->plan, d->mask.path)) {
			r = add_cover(pl, &d->mask);
			continue;
		}
		r = fs_plan_mask(pl->plan, &d->mask);
		if (r < 0)
			err_set(pl->e, r, "more than %d denied paths exist", PLAN_MASKS_MAX);
	}
	return r;
}
