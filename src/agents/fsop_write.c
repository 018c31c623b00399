/* SPDX-License-Identifier: MIT */
/* Files and directories are made. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/fsop_inner.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define FD_PATH_MAX 32
#define NEW_NAME_MAX 48

/* A file without a name, or, where the file system has no such thing, under one nobody knows. */
struct new_file {
	int dir; /* borrowed */
	int fd;
	char name[NEW_NAME_MAX]; /* empty: none */
};

static void pick_name(char ret[static NEW_NAME_MAX])
{
	uint64_t r[2] = { 0 };

	if (getrandom(r, sizeof(r), 0) < 0)
		r[0] = (uint64_t)getpid();
	snprintf(ret, NEW_NAME_MAX, ".pinfold-%016llx", (unsigned long long)(r[0] ^ r[1]));
}

static void new_file_done(const struct new_file *n)
{
	if (n->fd >= 0)
		close(n->fd);
	if (n->name[0])
		(void)unlinkat(n->dir, n->name, 0);
}

static int new_file_open(struct new_file *n)
{
	n->fd = openat(n->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (n->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
		return -errno;
	pick_name(n->name);
	n->fd = openat(n->dir, n->name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (n->fd < 0)
		n->name[0] = '\0';
	return n->fd < 0 ? -errno : 0;
}

/* Gives the file a name that no other has; -EEXIST otherwise. */
static int new_file_link(const struct new_file *n, const char *name)
{
	char again[FD_PATH_MAX];

	snprintf(again, sizeof(again), "/proc/self/fd/%d", n->fd);
	return linkat(AT_FDCWD, again, n->dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int new_file_replace(struct new_file *n, const char *name)
{
	if (!n->name[0]) {
		char random[NEW_NAME_MAX];
		int r;

		pick_name(random);
		r = new_file_link(n, random);
		if (r < 0)
			return r;
		memcpy(n->name, random, sizeof(random));
	}
	if (renameat(n->dir, n->name, n->dir, name) < 0)
		return -errno;
	n->name[0] = '\0';
	return 0;
}

/* What stands there now may be replaced, and lends the new file its mode. */
static int look_at_old(const struct fsop_place *at, unsigned flags, mode_t *ret_mode)
{
	struct stat st;

	*ret_mode = 0;
	if (fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (flags & FSOP_EXCLUSIVE)
		return -EEXIST;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	/* Whoever may not write the file may not replace it either. */
	if (faccessat(at->dir, at->name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == EACCES)
		return -EACCES;
	*ret_mode = st.st_mode & 0777;
	return 0;
}

static int write_at(const struct fsop_place *at, uint64_t max, int in, unsigned flags)
{
	__attribute__((cleanup(new_file_done))) struct new_file n = { .dir = at->dir, .fd = -1 };
	mode_t mode;
	int r = look_at_old(at, flags, &mode);

	if (r == 0)
		r = new_file_open(&n);
	if (r == 0)
		r = io_copy(in, n.fd, max);
	if (r == 0 && mode && fchmod(n.fd, mode) < 0)
		r = -errno;
	if (r < 0)
		return r;
	return flags & FSOP_EXCLUSIVE ? new_file_link(&n, at->name)
				      : new_file_replace(&n, at->name);
}

int fsop_write(const struct fsop *f, const char *path, uint64_t max, int in, unsigned flags,
	       struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	struct fsop_place at = { .dir = -1 };
	char rel[PATH_MAX];
	int r = fsop_relative(f, path, rel, e);

	if (r == 0 && flags & FSOP_PARENTS)
		r = fsop_make_parents(f, rel, false, e);
	if (r == 0)
		r = fsop_place_open(f, rel, FSOP_WRITE, &at, e);
	if (r < 0)
		return r;
	r = write_at(&at, max > (uint64_t)FSOP_BYTES_MAX ? (uint64_t)FSOP_BYTES_MAX : max, in,
		     flags);
	close(at.dir);
	if (r == -EINVAL)
		return err_set(e, r, "'%s' is not a regular file", path);
	return r < 0 ? fsop_fail(e, r, path) : 0;
}

/* ---- directories ----------------------------------------------------------------------------- */

/* Makes one; an existing one is fine when asked so. */
static int make_one(const struct fsop *f, const char *rel, bool may_exist, struct pinfold_error *e)
{
	struct fsop_place at = { .dir = -1 };
	int r = fsop_place_open(f, rel, FSOP_WRITE, &at, e);

	if (r < 0)
		return r;
	r = mkdirat(at.dir, at.name, 0777) < 0 ? -errno : 0;
	close(at.dir);
	if (r == -EEXIST && may_exist)
		return 0;
	return r < 0 ? fsop_fail(e, r, rel) : 0;
}

static bool has_dots(const char *rel)
{
	for (const char *at = rel; *at; at += strspn(at, "/")) {
		size_t n = strcspn(at, "/");

		if (n == 2 && at[0] == '.' && at[1] == '.')
			return true;
		at += n;
	}
	return false;
}

/* Whether the directory is there; -ENOENT: it is not. */
static int look(const struct fsop *f, const char *rel)
{
	int fd = fsop_openat(f->root, rel, O_PATH | O_DIRECTORY);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int fsop_make_parents(const struct fsop *f, const char *path, bool with_last,
		      struct pinfold_error *e)
{
	char rel[PATH_MAX];
	char *at = rel;

	memcpy(rel, path, strlen(path) + 1);
	if (has_dots(rel))
		return err_set(e, -EINVAL, "'%s': '..' where directories are to be made", path);
	while (*at) {
		char *end = at + strcspn(at, "/");
		bool last = *end == '\0';
		int r;

		if (last && !with_last)
			return 0;
		*end = '\0';
		r = look(f, rel);
		if (r == -ENOENT)
			r = make_one(f, rel, true, e);
		else if (r < 0)
			r = fsop_fail(e, r, path);
		if (r < 0)
			return r;
		if (last)
			return look(f, rel) < 0 ? fsop_fail(e, -ENOTDIR, path) : 0;
		*end = '/';
		at = end + strspn(end, "/");
	}
	return 0;
}

int fsop_mkdir(const struct fsop *f, const char *path, unsigned flags, struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	char rel[PATH_MAX];
	int r = fsop_relative(f, path, rel, e);

	if (r < 0)
		return r;
	return flags & FSOP_PARENTS ? fsop_make_parents(f, rel, true, e)
				    : make_one(f, rel, false, e);
}
