/* SPDX-License-Identifier: MIT */
/* The rules of a session as its view of the files has them: where they lead, not how they are
 * written.  Reads the file system, needs no privilege; what it may not read stays as written. */
#ifndef PINFOLD_SESSION_WHY_VIEW_H
#define PINFOLD_SESSION_WHY_VIEW_H

#include <limits.h>
#include <stdbool.h>

#include "policy/paths.h"

struct pinfold_error;

struct why_view {
	struct path_set set;
	char **link; /* symlinks that grants go through; the view has them */
	size_t n_links;
};

int why_view_build(const struct policy *p, const struct policy_context *ctx, struct why_view *ret,
		   struct pinfold_error *e);

/* The same of a set that is there already, which v takes.  -ENOMEM; v is then empty. */
int why_view_follow(struct path_set *set, struct why_view *v);

/* Any state. */
void why_view_done(struct why_view *v);

/* Whether path (canonical) is a file that stands in a granted tree under another name, too, which
 * is denied: the file is then masked under both. */
bool why_view_other_name(const struct why_view *v, const char *path, char ret_name[static PATH_MAX],
			 struct path_judgement *ret);

/* Whether subject goes through a symlink that the view does not have. */
bool why_view_hides_a_link(const struct why_view *v, const char *subject,
			   char ret_link[static PATH_MAX]);

#endif
