/* SPDX-License-Identifier: MIT */
/* Other names of denied files.  A mask holds a name, not a file: where a denied file has further
 * hard links, these are looked for in the granted trees and masked as well.  Files with one name,
 * which is nearly all, cost nothing. */
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan.h"
#include "fs/plan_internal.h"
#include "policy/paths.h"

#define WANTED_MAX 256
#define DENIED_ENTRIES_MAX 512   /* looked at in one denied directory; keys lie near the top */
#define OUTSIDE_ENTRIES_MAX 64   /* the same where nothing is granted around it */
#define TREE_ENTRIES_MAX 1000000 /* looked at in all granted trees, once something is wanted */

struct file_id {
	dev_t dev;
	ino_t ino;
};

struct search {
	struct planner *pl;
	struct file_id wanted[WANTED_MAX];
	size_t n_wanted;
	size_t n_seen;
};

static bool has_more_names(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink > 1;
}

static bool has_id(const struct search *s, dev_t dev, ino_t ino)
{
	for (size_t i = 0; i < s->n_wanted; i++) {
		if (s->wanted[i].dev == dev && s->wanted[i].ino == ino)
			return true;
	}
	return false;
}

static bool is_wanted(const struct search *s, const struct stat *st)
{
	return has_id(s, st->st_dev, st->st_ino);
}

static int want(struct search *s, const struct deny *d, const struct stat *st)
{
	if (is_wanted(s, st))
		return 0;
	if (s->n_wanted == WANTED_MAX)
		return err_set(s->pl->e, -E2BIG,
			       "%s: '%s' denies more than %d files that have other names (hard "
			       "links)",
			       d->rule->origin, d->rule->text, WANTED_MAX);
	s->wanted[s->n_wanted++] = (struct file_id){ st->st_dev, st->st_ino };
	return 0;
}

static FTS *walk(char *path)
{
	char *roots[] = { path, NULL };

	return fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

static int want_below(struct search *s, const struct deny *d, size_t max)
{
	FTS *fts = walk(d->mask.path);
	const FTSENT *at;
	size_t n = 0;
	int r = 0;

	if (!fts)
		return err_set(s->pl->e, -errno, "cannot list '%s': %s", d->mask.path,
			       strerror(errno));
	while (r == 0 && n++ < max && (at = fts_read(fts))) {
		if (at->fts_info == FTS_F && has_more_names(at->fts_statp))
			r = want(s, d, at->fts_statp);
	}
	fts_close(fts);
	return r;
}

/* Homes of other accounts are denied as they are; what is secret in them has rules of its own. */
static bool is_whole_home(const struct deny *d)
{
	return strcmp(d->rule->origin, PATH_ORIGIN_SENSITIVE) == 0 && !strstr(d->mask.path, "/.");
}

static int want_denied(struct search *s, const struct deny *d)
{
	struct stat st;
	bool is_around;

	if (!d->exists || plan_is_system(d->rule))
		return 0;
	is_around = fs_plan_grants(s->pl->plan, d->mask.path);
	if (d->mask.is_dir && !is_around && is_whole_home(d))
		return 0;
	if (d->mask.is_dir)
		return want_below(s, d, is_around ? DENIED_ENTRIES_MAX : OUTSIDE_ENTRIES_MAX);
	if (lstat(d->mask.path, &st) < 0 || !has_more_names(&st))
		return 0;
	return want(s, d, &st);
}

static int too_many(struct search *s, const char *tree)
{
	if (s->pl->policy->degrade)
		return 0;
	return err_set(s->pl->e, -E2BIG,
		       "a denied file has other names (hard links), and '%s' is too large to find "
		       "them; remove them, or grant less",
		       tree);
}

static int mask_name(struct search *s, char *path, dev_t dev, ino_t ino)
{
	const struct fs_mask m = { .path = path, .dev = dev, .ino = ino };
	int r = fs_plan_mask(s->pl->plan, &m);

	return r < 0 ? err_set(s->pl->e, r, "cannot mask '%s': %s", path, strerror(-r)) : 0;
}

/* The mask of the name itself comes up again, which does no harm. */
static int mask_names_in(struct search *s, const struct fs_node *tree)
{
	FTS *fts = walk(tree->path);
	const FTSENT *at;
	int r = 0;

	if (!fts)
		return err_set(s->pl->e, -errno, "cannot list '%s': %s", tree->path,
			       strerror(errno));
	while (r == 0 && s->n_seen < TREE_ENTRIES_MAX && (at = fts_read(fts))) {
		s->n_seen++;
		if (at->fts_info != FTS_F || !is_wanted(s, at->fts_statp))
			continue;
		r = mask_name(s, at->fts_path, at->fts_statp->st_dev, at->fts_statp->st_ino);
	}
	fts_close(fts);
	if (r == 0 && s->n_seen == TREE_ENTRIES_MAX)
		r = too_many(s, tree->path);
	return r;
}

int plan_other_names(struct planner *pl)
{
	auto_free struct search *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return err_set(pl->e, -ENOMEM, "out of memory");
	s->pl = pl;
	for (size_t i = 0; i < pl->n_denies && r == 0; i++)
		r = want_denied(s, &pl->deny[i]);
	for (size_t i = 0; i < pl->plan->n_nodes && s->n_wanted > 0 && r == 0; i++) {
		const struct fs_node *n = &pl->plan->node[i];

		if (n->kind != NODE_TREE || !n->rule || plan_is_system(n->rule))
			continue;
		if (n->is_dir)
			r = mask_names_in(s, n);
		else if (has_id(s, n->dev, n->ino))
			r = mask_name(s, n->path, n->dev, n->ino);
	}
	return r;
}
