/* SPDX-License-Identifier: MIT */
#include "session/why_plan.h"

#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "fs/plan.h"
#include "policy/paths.h"
#include "session/api.h"

/* The plan costs a look at every grant: only where there may be such metadata. */
static bool has_linked_worktree(const struct path_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		char path[PATH_MAX];
		struct stat st;

		if (set->rule[i].right != PATH_RW)
			continue;
		if (snprintf(path, sizeof(path), "%s/.git", set->rule[i].path) <
			(int)sizeof(path) &&
		    lstat(path, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}

static enum path_right right_of(const struct fs_node *n)
{
	if (!n || n->kind != NODE_TREE || n->is_built_in)
		return PATH_DENY;
	if (n->grant == DOMAIN_WRITE && !(n->attrs & MOUNT_ATTR_RDONLY))
		return PATH_RW;
	return PATH_ROX;
}

bool why_plan_grants(const struct pinfold_policy *p, const struct path_set *set, const char *path,
		     enum path_right *ret)
{
	struct pinfold_error e = { 0 };
	struct fs_plan plan = { 0 };
	enum path_right right = PATH_DENY;

	if (!p->policy.fs.protect_git || !has_linked_worktree(set))
		return false;
	if (fs_plan_rules(&plan, &p->policy, set, &e) == 0 && fs_plan_finish(&plan, &e) == 0 &&
	    !fs_plan_masks(&plan, path))
		right = right_of(fs_plan_find(&plan, path));
	fs_plan_done(&plan);
	*ret = right;
	return right != PATH_DENY;
}
