/* SPDX-License-Identifier: MIT */
/* From a path as written to the object that it names, and the symlinks met on the way. */
#ifndef PINFOLD_FS_RESOLVE_H
#define PINFOLD_FS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct fs_symlink {
	char *path;   /* canonical: no symlink but the last component */
	char *target; /* as readlink says */
};

struct fs_resolved {
	int fd; /* O_PATH; -1: nothing is there */
	char
	    *path; /* canonical; when nothing is there, as far as it goes and the rest as written */
	struct stat st;
	struct fs_symlink *link; /* in the order met */
	size_t n_links;
};

enum fs_follow { FS_FOLLOW_ALL = 0, FS_FOLLOW_PARENTS };

/* path is absolute.  A missing object is no failure.  -ELOOP, -ENAMETOOLONG, -EACCES and so on
 * when the path can't be walked; *ret is then untouched. */
int fs_resolve(const char *path, enum fs_follow follow, struct fs_resolved *ret);

void fs_resolved_done(struct fs_resolved *r);

/* Whether path is dir or lies below it.  Both absolute and clean. */
bool fs_path_is_at_or_below(const char *path, const char *dir);

#endif
