/* SPDX-License-Identifier: MIT */
/* What the parts of fsop share. */
#ifndef PINFOLD_AGENTS_FSOP_INNER_H
#define PINFOLD_AGENTS_FSOP_INNER_H

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "agents/fsop.h"

/* The workspace's owner's rights from here to the end of the scope. */
struct fsop_rights {
	bool held;
};
struct fsop_rights fsop_rights_take(const struct fsop *f);
void fsop_rights_drop(const struct fsop_rights *r);
#define auto_rights __attribute__((cleanup(fsop_rights_drop), unused))

/* A path below the workspace, never empty; "." is the workspace. */
int fsop_relative(const struct fsop *f, const char *path, char ret[static PATH_MAX],
		  struct pinfold_error *e);

/* openat2 beneath; a descriptor or a negative errno without words. */
int fsop_openat(int dir, const char *path, int flags);

/* An entry of an opened directory: what changes work on. */
struct fsop_place {
	int dir; /* O_PATH */
	char name[NAME_MAX + 1];
	char path[PATH_MAX]; /* absolute, the directory's real name and the entry's */
};

/* Opens the directory above path and judges the entry.  Close ret->dir. */
int fsop_place_open(const struct fsop *f, const char *path, enum fsop_want want,
		    struct fsop_place *ret, struct pinfold_error *e);

/* The judge, asked with the process's own rights. */
int fsop_ask(const struct fsop *f, const char *path, enum fsop_want want, const struct stat *st,
	     struct pinfold_error *e);

/* The real name of what is open. */
int fsop_path_of(int fd, char ret[static PATH_MAX]);

/* Words for a negative errno that the kernel gave; -EXDEV and -ELOOP become -EPERM. */
int fsop_fail(struct pinfold_error *e, int code, const char *path);

/* Judges everything below an opened directory (its path is real), then, with remove, removes it.
 * The directory itself is left. */
int fsop_walk(const struct fsop *f, int dir, const char *path, bool remove,
	      struct pinfold_error *e);

/* Makes the directories of a relative path; all of them, or all but the last name. */
int fsop_make_parents(const struct fsop *f, const char *path, bool with_last,
		      struct pinfold_error *e);

#endif
