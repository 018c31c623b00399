/* SPDX-License-Identifier: MIT */
/* The site's grants, its workspace and, where it leaves that on, the system set are the ceiling of
 * everything that a policy grants. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "policy/narrow.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "policy/sets.h"

_Static_assert(PATH_DENY < PATH_RO && PATH_RO < PATH_ROX && PATH_ROX < PATH_RW,
	       "rights are compared by number");

static enum path_right right_of(enum workspace_access a)
{
	switch (a) {
	case WORKSPACE_RO:
		return PATH_RO;
	case WORKSPACE_RW:
		return PATH_RW;
	case WORKSPACE_NONE:
		break;
	}
	return PATH_DENY;
}

struct ceiling {
	enum path_right right;
	size_t len;
};

static void consider(struct ceiling *c, const char *path, const char *dir, enum path_right right)
{
	size_t len = strlen(dir);

	if (!path_is_within(path, dir) || len < c->len)
		return;
	/* Of two grants of the same path the narrower holds. */
	if (len > c->len || right < c->right)
		*c = (struct ceiling){ right, len };
}

static enum path_right ceiling_of(const struct policy *site, const char *path)
{
	struct ceiling c = { PATH_DENY, 0 };

	for (const struct system_entry *s = SYSTEM_SET; site->fs.system && s->path; s++)
		if (s->right != PATH_DENY)
			consider(&c, path, s->path, s->right);
	if (policy_gives(site, M_WORKSPACE))
		consider(&c, path, site->workspace, right_of(site->workspace_access));
	for (size_t i = 0; i < site->fs.n; i++)
		if (site->fs.rule[i].right != PATH_DENY)
			consider(&c, path, site->fs.rule[i].path, site->fs.rule[i].right);
	return c.right;
}

static bool limits_grants(const struct policy *site)
{
	return policy_gives(site, M_WORKSPACE) || policy_gives(site, M_FS_RW) ||
	       policy_gives(site, M_FS_RO) || policy_gives(site, M_FS_ROX);
}

static int check_grant(const struct narrowing *n, const char *path, enum path_right right,
		       const char *origin)
{
	const struct policy *site = n->site;
	bool holds_workspace = policy_gives(site, M_WORKSPACE) &&
			       path_is_within(site->workspace, path) &&
			       right > right_of(site->workspace_access);

	if (right <= ceiling_of(site, path) && !holds_workspace)
		return 0;
	return narrow_fail(n, path, origin, "the grants of files");
}

static int check_grants(const struct narrowing *n)
{
	const struct policy *p = n->p;
	int rc = 0;

	for (size_t i = 0; i < p->fs.n && rc == 0; i++)
		if (p->fs.rule[i].right != PATH_DENY)
			rc = check_grant(n, p->fs.rule[i].path, p->fs.rule[i].right,
					 p->fs.rule[i].origin);
	if (rc == 0)
		rc = check_grant(n, p->workspace, right_of(p->workspace_access), "workspace");
	if (rc == 0 && p->identity.home)
		rc = check_grant(n, p->identity.home, PATH_RW, "identity.home");
	return rc;
}

static bool has_rule(const struct fs_policy *fs, const char *path, bool deny)
{
	for (size_t i = 0; i < fs->n; i++)
		if ((fs->rule[i].right == PATH_DENY) == deny && strcmp(fs->rule[i].path, path) == 0)
			return true;
	return false;
}

/* Whether a grant of p from above opens what the site grants less of. */
static bool is_swallowed(const struct policy *p, const struct path_rule *site_rule, size_t n_rules)
{
	const char *path = site_rule->path;

	if (path_is_within(path, p->workspace) && right_of(p->workspace_access) > site_rule->right)
		return true;
	if (p->identity.home && path_is_within(path, p->identity.home))
		return true;
	for (size_t i = 0; i < n_rules; i++)
		if (p->fs.rule[i].right > site_rule->right &&
		    path_is_within(path, p->fs.rule[i].path))
			return true;
	return false;
}

static int copy_rule(struct fs_policy *fs, const struct path_rule *from)
{
	struct path_rule *r = grow(&fs->rule, fs->n, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = *from;
	r->path = strdup(from->path);
	r->text = strdup(from->text);
	r->origin = strdup(from->origin);
	fs->n++;
	return r->path && r->text && r->origin ? 0 : -ENOMEM;
}

/* The site's denies, and its smaller grants inside greater ones of p. */
static int add_rules(const struct narrowing *n)
{
	struct fs_policy *fs = &n->p->fs;
	size_t own = fs->n;
	int rc = 0;

	for (size_t i = 0; i < n->site->fs.n && rc == 0; i++) {
		const struct path_rule *s = &n->site->fs.rule[i];
		bool deny = s->right == PATH_DENY;

		if (has_rule(fs, s->path, deny))
			continue;
		if (deny || is_swallowed(n->p, s, own))
			rc = copy_rule(fs, s);
	}
	return rc;
}

static int check_sockets(const struct narrowing *n)
{
	const struct policy *site = n->site;

	for (size_t i = 0; i < n->p->n_unix_allow; i++) {
		const struct unix_rule *r = &n->p->unix_allow[i];
		size_t k = 0;

		while (k < site->n_unix_allow && strcmp(site->unix_allow[k].path, r->path) != 0)
			k++;
		if (k == site->n_unix_allow)
			return narrow_fail(n, r->text, r->origin, "unixSockets.allow");
	}
	return 0;
}

int narrow_fs(struct narrowing *n)
{
	int rc = 0;

	if (limits_grants(n->site))
		rc = check_grants(n);
	if (rc == 0)
		rc = add_rules(n);
	if (rc == 0 && policy_gives(n->site, M_UNIX_ALLOW))
		rc = check_sockets(n);
	return rc;
}
