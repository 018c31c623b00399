/* SPDX-License-Identifier: MIT */
#include "session/why_view.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/resolve.h"

#define DENIED_ENTRIES_MAX 64 /* the same in a denied directory outside every grant */
#define ENTRIES_MAX 1000000   /* looked at for other names of one file */

static int add_link(struct why_view *v, const char *path)
{
	char **bigger = reallocarray(v->link, v->n_links + 1, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	v->link = bigger;
	bigger[v->n_links] = strdup(path);
	return bigger[v->n_links] ? (v->n_links++, 0) : -ENOMEM;
}

static int move_rule(struct path_rule *r, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	free(r->path);
	r->path = copy;
	return 0;
}

/* The same deny, for another path. */
static int add_deny(struct path_set *set, size_t of, const char *path)
{
	struct path_rule *bigger = reallocarray(set->rule, set->n + 1, sizeof(*bigger));
	struct path_rule *copy;

	if (!bigger)
		return -ENOMEM;
	set->rule = bigger;
	copy = &bigger[set->n];
	*copy = bigger[of];
	copy->path = strdup(path);
	copy->text = strdup(bigger[of].text);
	copy->origin = strdup(bigger[of].origin);
	set->n++;
	return copy->path && copy->text && copy->origin ? 0 : -ENOMEM;
}

/* A grant holds for what it leads to; a denied symlink is held by its own name, too. */
static int follow_rule(struct why_view *v, size_t i, enum fs_follow how)
{
	struct path_rule *r = &v->set.rule[i];
	struct fs_resolved at = { .fd = -1 };
	int rc = fs_resolve(r->path, how, &at);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (size_t k = 0; k < at.n_links && rc == 0 && r->right != PATH_DENY; k++)
		rc = add_link(v, at.link[k].path);
	/* A grant whose name lies below a deny is none, wherever it leads. */
	if (rc == 0 && at.n_links > 0 &&
	    (r->right == PATH_DENY || path_set_judge(&v->set, r->path).right != PATH_DENY))
		rc = r->right == PATH_DENY ? add_deny(&v->set, i, at.path) : move_rule(r, at.path);
	fs_resolved_done(&at);
	return rc;
}

static int follow_rules(struct why_view *v)
{
	const size_t n = v->set.n;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (v->set.rule[i].pattern || v->set.rule[i].glob)
			continue;
		if (v->set.rule[i].right == PATH_DENY)
			rc = follow_rule(v, i, FS_FOLLOW_PARENTS);
		if (rc == 0)
			rc = follow_rule(v, i, FS_FOLLOW_ALL);
	}
	return rc;
}

int why_view_follow(struct path_set *set, struct why_view *v)
{
	int rc;

	*v = (struct why_view){ .set = *set };
	*set = (struct path_set){ 0 };
	rc = follow_rules(v);
	if (rc < 0)
		why_view_done(v);
	return rc;
}

int why_view_build(const struct policy *p, const struct policy_context *ctx, struct why_view *ret,
		   struct pinfold_error *e)
{
	struct path_set set = { 0 };
	int rc = path_set_build(p, ctx, p->identity.home, &set, e);

	if (rc < 0)
		return rc;
	rc = why_view_follow(&set, ret);
	return rc < 0 ? err_set(e, rc, "out of memory") : 0;
}

void why_view_done(struct why_view *v)
{
	path_set_done(&v->set);
	for (size_t i = 0; i < v->n_links; i++)
		free(v->link[i]);
	free(v->link);
	*v = (struct why_view){ 0 };
}

/* ---- other names ---------------------------------------------------------------------------- */

static bool is_denied(const struct path_set *set, const char *path, struct path_judgement *ret)
{
	*ret = path_set_judge(set, path);
	return ret->right == PATH_DENY && ret->rule;
}

static bool find_in(const struct path_set *set, char *tree, size_t max, const struct stat *file,
		    char ret_name[static PATH_MAX], struct path_judgement *ret)
{
	char *roots[] = { tree, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *at;
	bool found = false;

	for (size_t n = 0; fts && !found && n < max && (at = fts_read(fts)); n++) {
		if (at->fts_info != FTS_F || at->fts_statp->st_ino != file->st_ino ||
		    at->fts_statp->st_dev != file->st_dev)
			continue;
		found = is_denied(set, at->fts_path, ret);
		if (found)
			(void)snprintf(ret_name, PATH_MAX, "%s", at->fts_path);
	}
	if (fts)
		fts_close(fts);
	return found;
}

/* Denied where nothing is granted, and of the fence's interest (fs/plan_names.c). */
static bool is_looked_into(const struct path_rule *r)
{
	return r->right == PATH_DENY && !r->pattern && !r->glob &&
	       strcmp(r->origin, PATH_ORIGIN_SYSTEM) != 0 &&
	       (strcmp(r->origin, PATH_ORIGIN_SENSITIVE) != 0 || strstr(r->path, "/."));
}

bool why_view_other_name(const struct why_view *v, const char *path, char ret_name[static PATH_MAX],
			 struct path_judgement *ret)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink < 2)
		return false;
	for (size_t i = 0; i < v->set.n; i++) {
		const struct path_rule *r = &v->set.rule[i];

		/* What is denied as a whole is not in the view: nothing there is masked. */
		if (r->right != PATH_DENY && strcmp(r->origin, PATH_ORIGIN_SYSTEM) != 0 &&
		    path_set_judge(&v->set, r->path).right != PATH_DENY &&
		    find_in(&v->set, r->path, ENTRIES_MAX, &st, ret_name, ret))
			return true;
		if (is_looked_into(r) &&
		    find_in(&v->set, r->path, DENIED_ENTRIES_MAX, &st, ret_name, ret))
			return true;
	}
	return false;
}

/* ---- symlinks ------------------------------------------------------------------------------- */

static bool has_link(const struct why_view *v, const char *path)
{
	/* What the session's own of these hold, nobody can tell from here. */
	static const char *const own[] = { "/proc", "/dev" };

	for (size_t i = 0; i < v->n_links; i++)
		if (strcmp(v->link[i], path) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (fs_path_is_at_or_below(path, own[i]))
			return true;
	return path_set_judge(&v->set, path).right != PATH_DENY;
}

bool why_view_hides_a_link(const struct why_view *v, const char *subject,
			   char ret_link[static PATH_MAX])
{
	struct fs_resolved at = { .fd = -1 };
	bool hidden = false;

	if (subject[0] != '/' || fs_resolve(subject, FS_FOLLOW_ALL, &at) < 0)
		return false;
	for (size_t i = 0; i < at.n_links && !hidden; i++) {
		hidden = !has_link(v, at.link[i].path);
		if (hidden)
			(void)snprintf(ret_link, PATH_MAX, "%s", at.link[i].path);
	}
	fs_resolved_done(&at);
	return hidden;
}
