/* SPDX-License-Identifier: MIT */
/* Repositories below a granted tree: what git runs or obeys is made read-only where it is found,
 * and may not come into being where it is missing (git.h). */
#ifndef PINFOLD_FS_GUARD_GIT_H
#define PINFOLD_FS_GUARD_GIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fs/guard_inner.h"

/* A name that appeared. */
struct guard_git_name {
	size_t tree;
	int dir;          /* open, through the tree */
	const char *name; /* in dir */
	const char *path; /* the whole, as inside */
	enum guard_origin origin;
};

/* When the pen is met: what exists is older than this moment. */
int guard_git_start(struct guard_core *g);

/* Whether anything has to be done when this name appears. */
bool guard_git_name_matters(const struct guard_core *g, const char *name);

/* Whether a repository was found at path or below: what is moved there has to be looked at. */
bool guard_git_leads_to_held(const struct guard_core *g, const char *path);

/* Each returns 0 or -errno. */
int guard_git_appeared(struct guard_core *g, const struct guard_git_name *n);
/* The look met an entry of the directory under the eye; and it is through with that. */
int guard_git_saw(struct guard_core *g, const char *name);
int guard_git_looked(struct guard_core *g);

/* While the look goes on: whether the open of path by a thread, which waits for the answer, would
 * change what will be held once it is found. */
bool guard_git_forbids(struct guard_core *g, const char *path, pid_t tid);

#endif
