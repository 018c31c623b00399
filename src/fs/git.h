/* SPDX-License-Identifier: MIT */
/*
 * DOC: what of a git repository is held
 *
 * Whoever can write a repository's configuration or hooks has code run by the next git command that
 * its owner starts.  So in every repository that was there before the session these names are
 * read-only, and may not come into being where they are missing:
 *
 *   in a repository's directory      hooks, config, config.worktree, commondir, info/attributes
 *   in a linked worktree's of it     config.worktree, commondir, gitdir
 *   in a working tree                .git where it is a file or a symlink
 *
 * commondir is among them since git takes configuration and hooks from wherever it leads.  A name
 * that leads to a repository (.git) can't be given to another one either.  Objects, refs, logs and
 * the index stay writable: commit, fetch and rebase work.
 */
#ifndef PINFOLD_FS_GIT_H
#define PINFOLD_FS_GIT_H

#include <stdbool.h>
#include <stddef.h>

#define GIT_ENTRY ".git"
#define GIT_TEXT_MAX 4096 /* bytes of a .git, gitdir or commondir file */

enum git_kind {
	GIT_NONE = 0,
	GIT_REPOSITORY, /* what .git is in most working trees; bare ones and submodules' as well */
	GIT_WORKTREE,   /* worktrees/NAME of a linked working tree */
};

/* What stands in a directory, as far as it tells a repository. */
#define GIT_SEEN_HEAD 1u
#define GIT_SEEN_OBJECTS 2u
#define GIT_SEEN_REFS 4u
#define GIT_SEEN_COMMONDIR 8u
#define GIT_SEEN_GITDIR 16u

/* The GIT_SEEN_ bit of an entry's name; 0 for most. */
unsigned git_seen(const char *name);

/* What a directory of that name, with that seen in it, is. */
enum git_kind git_kind_of(const char *name, unsigned seen);

/* The same, by looking into it.  GIT_NONE also when nobody can look. */
enum git_kind git_look(int dir, const char *name);

/* The names of a kind that are held, relative to its directory; NULL-terminated, static. */
const char *const *git_held(enum git_kind kind);

/* Whether name (one component) is held in a directory of that kind; not of info/. */
bool git_name_is_held(enum git_kind kind, const char *name);

/* The one line of a file such as .git ("gitdir: PATH", prefix "gitdir: ") or commondir (prefix
 * ""), without following symlinks.  -EINVAL: it is something else. */
int git_read_line(int dir, const char *name, const char *prefix, char ret[static GIT_TEXT_MAX]);

/* The core.worktree of the file `config` in dir, as it stands there.  -ENOENT: it has none;
 * -EINVAL: its text is quoted or continued, or the file is no plain one. */
int git_read_work_tree(int dir, char ret[static GIT_TEXT_MAX]);

/* Whether a repository is there: path is its working tree, or itself bare. */
bool git_is_repository(const char *path);

/* Whether protectGit holds path, which is absolute and canonical, as things stand now: it is, or
 * lies below, a held name of a repository that exists. */
bool git_path_is_held(const char *path);

/* The same, but for what is spared: spares() is asked about each repository (or file .git) that
 * would hold the path, open as O_PATH. */
bool git_path_is_held_unless(const char *path, bool (*spares)(void *data, int fd), void *data);

#endif
