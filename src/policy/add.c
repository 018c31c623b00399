/* SPDX-License-Identifier: MIT */
/* Rules of the command line. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/net_entry.h"
#include "policy/parse.h"
#include "policy/parse_fs.h"
#include "policy/read.h"

static int add_net(struct policy *p, const char *text, const char *origin, enum net_use use,
		   struct pinfold_error *e)
{
	struct net_rule r = { 0 };
	int rc = net_entry_parse(text, use, &r, e);

	if (rc < 0)
		return rc;
	r.origin = strdup(origin);
	if (!r.origin) {
		net_rule_done(&r);
		return -ENOMEM;
	}
	return net_rules_add(use == NET_USE_DENY ? &p->net.deny : &p->net.allow, &r);
}

/* PATH_RO < PATH_ROX < PATH_RW happens to be how much each grants. */
_Static_assert(PATH_RO < PATH_ROX && PATH_ROX < PATH_RW, "rights are compared by number");

static struct path_rule *grant_of(struct fs_policy *fs, const char *path)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->rule[i].right != PATH_DENY && strcmp(fs->rule[i].path, path) == 0)
			return &fs->rule[i];
	return NULL;
}

/* Takes r over. */
static int put_path(struct fs_policy *fs, struct path_rule *r, struct pinfold_error *e)
{
	struct path_rule *same = r->right == PATH_DENY ? NULL : grant_of(fs, r->path);

	if (same && same->right < r->right) {
		int rc = err_set(e, -EINVAL, "'%.80s' is narrower already in %.100s", r->path,
				 same->origin);

		path_rule_done(r);
		return rc;
	}
	if (same)
		path_rule_done(same);
	else
		same = grow(&fs->rule, fs->n, sizeof(*fs->rule));
	if (!same) {
		path_rule_done(r);
		return -ENOMEM;
	}
	if (same == &fs->rule[fs->n])
		fs->n++;
	*same = *r;
	return 0;
}

static int add_path(struct policy *p, const char *text, const char *origin, enum path_right right,
		    const struct policy_context *ctx, struct pinfold_error *e)
{
	struct path_rule r = { 0 };
	int rc = fs_entry_parse(right, text, ctx->cwd, ctx, &r, e);

	if (rc < 0)
		return rc;
	r.origin = strdup(origin);
	if (!r.origin) {
		path_rule_done(&r);
		return -ENOMEM;
	}
	return put_path(&p->fs, &r, e);
}

static int add_unix(struct policy *p, const char *text, const char *origin,
		    const struct policy_context *ctx, struct pinfold_error *e)
{
	struct unix_rule r = { 0 };
	struct unix_rule *slot;
	int rc = unix_entry_parse(text, ctx, &r, e);

	if (rc < 0)
		return rc;
	r.origin = strdup(origin);
	slot = r.origin ? grow(&p->unix_allow, p->n_unix_allow, sizeof(*slot)) : NULL;
	if (!slot) {
		unix_rule_done(&r);
		return -ENOMEM;
	}
	*slot = r;
	p->n_unix_allow++;
	return 0;
}

static size_t entries_of(const struct policy *p)
{
	return p->fs.n + p->net.allow.n + p->net.deny.n + p->net.n_inbound + p->n_unix_allow;
}

int policy_add(struct policy *p, enum pinfold_rule kind, const char *text, const char *origin,
	       const struct policy_context *ctx, struct pinfold_error *e)
{
	int rc = -EINVAL;

	if (text[0] == '\0')
		return err_set(e, -EINVAL, "%.100s: an empty string", origin);
	if (entries_of(p) >= POLICY_ENTRIES_MAX)
		return err_set(e, -EINVAL, "%.100s: more than %d entries over all lists", origin,
			       POLICY_ENTRIES_MAX);
	switch (kind) {
	case PINFOLD_RULE_ALLOW:
		rc =
		    add_net(p, text, origin,
			    p->net.allow_metadata ? NET_USE_ALLOW_WITH_METADATA : NET_USE_ALLOW, e);
		break;
	case PINFOLD_RULE_DENY_NET:
		rc = add_net(p, text, origin, NET_USE_DENY, e);
		break;
	case PINFOLD_RULE_RW:
		rc = add_path(p, text, origin, PATH_RW, ctx, e);
		break;
	case PINFOLD_RULE_RO:
		rc = add_path(p, text, origin, PATH_RO, ctx, e);
		break;
	case PINFOLD_RULE_ROX:
		rc = add_path(p, text, origin, PATH_ROX, ctx, e);
		break;
	case PINFOLD_RULE_DENY_PATH:
		rc = add_path(p, text, origin, PATH_DENY, ctx, e);
		break;
	case PINFOLD_RULE_UNIX:
		rc = add_unix(p, text, origin, ctx, e);
		break;
	default:
		return err_set(e, -EINVAL, "%.100s: no such kind of rule", origin);
	}
	if (rc == -ENOMEM)
		return err_set(e, rc, "out of memory");
	return rc < 0 ? err_wrap(e, rc, "%s", origin) : 0;
}
