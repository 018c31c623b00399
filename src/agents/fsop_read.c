/* SPDX-License-Identifier: MIT */
/* What changes nothing: read, stat, list. */
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
#include "base/io.h"

#define FD_PATH_MAX 32

/* Judges the name that was asked for, if it is one of an entry: it may be a symlink, and its target
 * has a name of its own. */
static int judge_name(const struct fsop *f, const char *rel, struct pinfold_error *e)
{
	const char *slash = strrchr(rel, '/');
	const char *last = slash ? slash + 1 : rel;
	struct fsop_place at;
	int r;

	if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return 0;
	r = fsop_place_open(f, rel, FSOP_READ, &at, e);
	if (r == 0)
		close(at.dir);
	return r;
}

/* Opens what path leads to, without reading it, and judges it. */
static int open_judged(const struct fsop *f, const char *path, int flags, int *ret,
		       struct stat *ret_st, struct pinfold_error *e)
{
	auto_close int fd = -1;
	char rel[PATH_MAX];
	char real[PATH_MAX];
	int r = fsop_relative(f, path, rel, e);

	if (r == 0)
		r = judge_name(f, rel, e);
	if (r < 0)
		return r;
	fd = fsop_openat(f->root, rel, flags);
	if (fd < 0)
		return fsop_fail(e, fd, path);
	r = fstat(fd, ret_st) < 0 ? -errno : fsop_path_of(fd, real);
	/* Removed meanwhile: it has no name that could be judged. */
	if (r == 0 && ret_st->st_nlink == 0)
		r = -ENOENT;
	if (r < 0)
		return fsop_fail(e, r, path);
	r = fsop_ask(f, real, FSOP_READ, ret_st, e);
	if (r < 0)
		return r;
	*ret = take_fd(fd);
	return 0;
}

/* ---- read ------------------------------------------------------------------------------------ */

int fsop_read(const struct fsop *f, const char *path, uint64_t max, int out,
	      struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	auto_close int at = -1;
	auto_close int fd = -1;
	char again[FD_PATH_MAX];
	struct stat st = { 0 };
	int r = open_judged(f, path, O_PATH, &at, &st, e);

	if (r < 0)
		return r;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode)
			   ? fsop_fail(e, -EISDIR, path)
			   : err_set(e, -EINVAL, "'%s' is not a regular file", path);
	if (max > (uint64_t)FSOP_BYTES_MAX)
		max = FSOP_BYTES_MAX;
	if ((uint64_t)st.st_size > max)
		return fsop_fail(e, -EFBIG, path);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
	fd = open(again, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	r = fd < 0 ? -errno : io_copy(fd, out, max);
	return r < 0 ? fsop_fail(e, r, path) : 0;
}

/* ---- stat ------------------------------------------------------------------------------------ */

static enum fsop_type type_of(mode_t mode)
{
	return S_ISREG(mode) ? FSOP_FILE : S_ISDIR(mode) ? FSOP_DIRECTORY : FSOP_OTHER;
}

int fsop_stat(const struct fsop *f, const char *path, struct fsop_stat *ret,
	      struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	auto_close int fd = -1;
	struct stat st = { 0 };
	int r = open_judged(f, path, O_PATH, &fd, &st, e);

	if (r < 0)
		return r;
	ret->type = type_of(st.st_mode);
	ret->size = (uint64_t)st.st_size;
	ret->mtime_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	return 0;
}

/* ---- list ------------------------------------------------------------------------------------ */

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static int by_name(const void *a, const void *b)
{
	const struct fsop_entry *x = a;
	const struct fsop_entry *y = b;

	return strcmp(x->name, y->name);
}

/* A symlink counts as what it leads to, if that lies below the workspace. */
static bool is_directory(const struct fsop *f, int dir, const char *path, const struct dirent *at)
{
	auto_close int fd = -1;
	char full[PATH_MAX];
	char rel[PATH_MAX];
	struct stat st = { 0 };
	int n;

	if (at->d_type == DT_DIR)
		return true;
	if (at->d_type != DT_LNK && at->d_type != DT_UNKNOWN)
		return false;
	if (fstatat(dir, at->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
		return S_ISDIR(st.st_mode);
	n = snprintf(full, sizeof(full), "%s/%s", path, at->d_name);
	if (n < 0 || (size_t)n >= sizeof(full) || fsop_relative(f, full, rel, NULL) < 0)
		return false;
	fd = fsop_openat(f->root, rel, O_PATH);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int add_entry(struct fsop_entry **list, size_t *n, const char *name, bool directory)
{
	struct fsop_entry *more = *list;

	if (*n == FSOP_LIST_MAX)
		return -E2BIG;
	/* Room doubles: at 0, 1, 2, 4, 8, ... */
	if ((*n & (*n - 1)) == 0) {
		more = reallocarray(*list, *n ? 2 * *n : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		*list = more;
	}
	more[*n] = (struct fsop_entry){ strdup(name), directory };
	if (!more[*n].name)
		return -ENOMEM;
	++*n;
	return 0;
}

static int read_entries(const struct fsop *f, DIR *d, struct fsop_entry **list, size_t *n)
{
	char path[PATH_MAX];
	int r = fsop_path_of(dirfd(d), path);

	while (r == 0) {
		const struct dirent *at;

		errno = 0;
		at = readdir(d);
		if (!at)
			return -errno;
		if (!is_dots(at->d_name))
			r = add_entry(list, n, at->d_name, is_directory(f, dirfd(d), path, at));
	}
	return r;
}

void fsop_list_done(struct fsop_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(entries[i].name);
	free(entries);
}

int fsop_list(const struct fsop *f, const char *path, struct fsop_entry **ret, size_t *ret_n,
	      struct pinfold_error *e)
{
	auto_rights struct fsop_rights rights = fsop_rights_take(f);
	__attribute__((cleanup(close_dir))) DIR *d = NULL;
	struct fsop_entry *list = NULL;
	auto_close int fd = -1;
	struct stat st = { 0 };
	size_t n = 0;
	int r = open_judged(f, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, &fd, &st, e);

	if (r < 0)
		return r;
	d = fdopendir(fd);
	if (!d)
		return fsop_fail(e, -errno, path);
	(void)take_fd(fd);
	r = read_entries(f, d, &list, &n);
	if (r < 0) {
		fsop_list_done(list, n);
		return fsop_fail(e, r, path);
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), by_name);
	*ret = list;
	*ret_n = n;
	return 0;
}
