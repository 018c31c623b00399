/* SPDX-License-Identifier: MIT */
/* Entries go away, or to another place. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/fsop_inner.h"
#include "base/clean.h"
#include "base/err.h"

/* ---- trees ----------------------------------------------------------------------------------- */

/* The directories from the top of the tree to where the walk is; path is of the innermost. */
struct walk {
	const struct fsop *f;
	bool remove;
	size_t seen;
	size_t depth;
	DIR *dir[FSOP_DEPTH_MAX];
	size_t cut[FSOP_DEPTH_MAX]; /* length of the path without this level's name */
	char path[PATH_MAX];
	struct pinfold_error *e;
};

static void walk_done(struct walk *w)
{
	while (w->depth > 0)
		closedir(w->dir[--w->depth]);
}

/* path is complete when this is called. */
static int descend(struct walk *w, int parent, const char *name, size_t cut)
{
	DIR *d;
	int fd;

	if (w->depth == FSOP_DEPTH_MAX)
		return fsop_fail(w->e, -ELOOP, w->path);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		int r = -errno;

		if (fd >= 0)
			close(fd);
		return fsop_fail(w->e, r, w->path);
	}
	w->cut[w->depth] = cut;
	w->dir[w->depth++] = d;
	return 0;
}

static int enter(struct walk *w, const char *name)
{
	size_t len = strlen(w->path);
	struct stat st;
	int r;

	if (++w->seen > FSOP_ENTRIES_MAX)
		return err_set(w->e, -E2BIG, "more than %d entries below '%s'", FSOP_ENTRIES_MAX,
			       w->path);
	if (len + 1 + strlen(name) >= PATH_MAX)
		return fsop_fail(w->e, -ENAMETOOLONG, w->path);
	w->path[len] = '/';
	memcpy(w->path + len + 1, name, strlen(name) + 1);
	r = fsop_ask(w->f, w->path, FSOP_WRITE, NULL, w->e);
	if (r < 0)
		return r;
	if (fstatat(dirfd(w->dir[w->depth - 1]), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fsop_fail(w->e, -errno, w->path);
	if (S_ISDIR(st.st_mode))
		return descend(w, dirfd(w->dir[w->depth - 1]), name, len);
	if (w->remove && unlinkat(dirfd(w->dir[w->depth - 1]), name, 0) < 0)
		return fsop_fail(w->e, -errno, w->path);
	w->path[len] = '\0';
	return 0;
}

/* The innermost directory is finished. */
static int leave(struct walk *w)
{
	size_t cut = w->cut[--w->depth];

	closedir(w->dir[w->depth]);
	if (w->depth == 0)
		return 0;
	if (w->remove && unlinkat(dirfd(w->dir[w->depth - 1]), w->path + cut + 1, AT_REMOVEDIR) < 0)
		return fsop_fail(w->e, -errno, w->path);
	w->path[cut] = '\0';
	return 0;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int fsop_walk(const struct fsop *f, int dir, const char *path, bool remove, struct pinfold_error *e)
{
	__attribute__((cleanup(walk_done))) struct walk w = { .f = f, .remove = remove, .e = e };
	int r;

	memcpy(w.path, path, strlen(path) + 1);
	r = descend(&w, dir, ".", 0);
	while (r == 0 && w.depth > 0) {
		const struct dirent *at;

		errno = 0;
		at = readdir(w.dir[w.depth - 1]);
		if (!at && errno)
			return fsop_fail(e, -errno, w.path);
		if (!at)
			r = leave(&w);
		else if (!is_dots(at->d_name))
			r = enter(&w, at->d_name);
	}
	return r;
}

/* ---- remove ---------------------------------------------------------------------------------- */

static int remove_tree(const struct fsop *f, const struct fsop_place *at, struct pinfold_error *e)
{
	auto_close int dir =
	    openat(at->dir, at->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = dir < 0 ? fsop_fail(e, -errno, at->path) : 0;

	if (r == 0)
		r = fsop_walk(f, dir, at->path, false, e);
	if (r == 0)
		r = fsop_walk(f, dir, at->path, true, e);
	if (r == 0 && unlinkat(at->dir, at->name, AT_REMOVEDIR) < 0)
		r = fsop_fail(e, -errno, at->path);
	return r;
}

int fsop_remove(const struct fsop *f, const char *path, unsigned flags, struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	struct fsop_place at = { .dir = -1 };
	struct stat st;
	int r = fsop_place_open(f, path, FSOP_WRITE, &at, e);

	if (r == -ENOENT && flags & FSOP_FORCE)
		return 0;
	if (r < 0)
		return r;
	if (fstatat(at.dir, at.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = errno == ENOENT && flags & FSOP_FORCE ? 0 : fsop_fail(e, -errno, path);
	else if (!S_ISDIR(st.st_mode))
		r = unlinkat(at.dir, at.name, 0) < 0 ? fsop_fail(e, -errno, path) : 0;
	else if (flags & FSOP_RECURSIVE)
		r = remove_tree(f, &at, e);
	else
		r = fsop_fail(e, -EISDIR, path);
	close(at.dir);
	return r;
}

/* ---- move ------------------------------------------------------------------------------------ */

/* With a directory everything in it gets another name: none of it may be held where it is. */
static int judge_tree(const struct fsop *f, const struct fsop_place *at, struct pinfold_error *e)
{
	auto_close int dir =
	    openat(at->dir, at->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return errno == ENOTDIR || errno == ELOOP ? 0 : fsop_fail(e, -errno, at->path);
	return fsop_walk(f, dir, at->path, false, e);
}

int fsop_move(const struct fsop *f, const char *from, const char *to, struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	struct fsop_place a = { .dir = -1 };
	struct fsop_place b = { .dir = -1 };
	int r = fsop_place_open(f, from, FSOP_WRITE, &a, e);

	if (r == 0)
		r = fsop_place_open(f, to, FSOP_WRITE, &b, e);
	if (r == 0)
		r = judge_tree(f, &a, e);
	if (r == 0 && renameat(a.dir, a.name, b.dir, b.name) < 0)
		r = errno == EXDEV
			? err_set(e, -EIO, "'%s' and '%s' are on different mounts", from, to)
			: fsop_fail(e, -errno, from);
	if (a.dir >= 0)
		close(a.dir);
	if (b.dir >= 0)
		close(b.dir);
	return r;
}
