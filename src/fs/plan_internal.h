/* SPDX-License-Identifier: MIT */
/* What the parts of the plan share. */
#ifndef PINFOLD_FS_PLAN_INTERNAL_H
#define PINFOLD_FS_PLAN_INTERNAL_H

#include <stddef.h>

#include "fs/plan.h"

/* A denied path: its mask, and the rule that asks for it. */
struct deny {
	const struct path_rule *rule;
	struct fs_mask mask; /* path: canonical */
	bool exists;
	int code; /* -errno when nobody could look there; 0 */
};

struct planner {
	struct fs_plan *plan;
	const struct policy *policy;
	const struct path_set *set;
	struct deny *deny;
	size_t n_denies;
	struct pinfold_error *e;
};

bool plan_is_system(const struct path_rule *rule);

/* Whether a tree for writing is around path. */
bool plan_is_writable_at(const struct fs_plan *plan, const char *path);

/* Adds to pl's denies what a rule denies; -errno with words. */
int plan_deny(struct planner *pl, const struct path_rule *rule);

/* git_plan.c: holds what protectGit holds at the top of trees for writing. */
int plan_git(struct planner *pl);

/* Gives path, a directory inside tree, a writable mount of its own: it can't be renamed. */
int plan_hold_name(struct planner *pl, const struct fs_node *tree, const char *path);

/* plan_strict.c: with strictDeny, refuses what could be planted, and holds the rest. */
int plan_strict(struct planner *pl);

/* Deny always wins: what lies below one is not even mounted. */
void plan_drop_denied(struct planner *pl);

/* After that: a mask for each denied path that exists. */
int plan_masks(struct planner *pl);

/* And one for each further hard link of a denied file in the granted trees. */
int plan_other_names(struct planner *pl);

/* And one for each socket of others in a tree for reading only. */
int plan_outside_sockets(struct planner *pl);

/* Appends node, which is empty afterwards; what it owned is the plan's, also on failure. */
int plan_add_node(struct fs_plan *plan, struct fs_node *node, struct pinfold_error *e);

/* Appends the symlinks that were met on the way to a node, for the rule that named them. */
int plan_add_links(struct fs_plan *plan, const struct fs_resolved *at, const struct path_rule *rule,
		   struct pinfold_error *e);

void plan_node_done(struct fs_node *node);

#endif
