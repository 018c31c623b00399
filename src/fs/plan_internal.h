/* SPDX-License-Identifier: MIT */
/* What the two halves of the plan share. */
#ifndef PINFOLD_FS_PLAN_INTERNAL_H
#define PINFOLD_FS_PLAN_INTERNAL_H

#include <stddef.h>

#include "fs/plan.h"

/* Appends node, which is empty afterwards; what it owned is the plan's, also on failure. */
int plan_add_node(struct fs_plan *plan, struct fs_node *node, struct pinfold_error *e);

/* Appends the symlinks that were met on the way to a node, for the rule that named them. */
int plan_add_links(struct fs_plan *plan, const struct fs_resolved *at, const struct path_rule *rule,
		   struct pinfold_error *e);

void plan_node_done(struct fs_node *node);

#endif
