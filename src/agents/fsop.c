/* SPDX-License-Identifier: MIT */
#include "agents/fsop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "agents/fsop_inner.h"
#include "base/clean.h"
#include "base/err.h"

#define TRIES_MAX 256 /* of an open that raced with a rename */
#define FD_PATH_MAX 32

int fsop_path_of(int fd, char ret[static PATH_MAX])
{
	char link[FD_PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, PATH_MAX);
	if (n < 0)
		return -errno;
	if (n == PATH_MAX || ret[0] != '/')
		return -ENAMETOOLONG;
	ret[n] = '\0';
	return 0;
}

/* ---- the workspace --------------------------------------------------------------------------- */

int fsop_open(const char *workspace, fsop_judge judge, void *data, struct fsop *ret,
	      struct pinfold_error *e)
{
	auto_close int root = open(workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *given = NULL;
	auto_free char *real = NULL;
	char path[PATH_MAX];
	struct stat st;
	int r;

	if (root < 0 || fstat(root, &st) < 0)
		return err_set(e, -errno, "cannot open the workspace '%s': %s", workspace,
			       strerror(errno));
	r = fsop_path_of(root, path);
	if (r < 0)
		return err_set(e, r, "cannot tell where '%s' is: %s", workspace, strerror(-r));
	given = strdup(workspace);
	real = strdup(path);
	if (!given || !real)
		return err_set(e, -ENOMEM, "out of memory");
	*ret = (struct fsop){ .root = take_fd(root),
			      .given = take_ptr(given),
			      .path = take_ptr(real),
			      .judge = judge,
			      .data = data,
			      .uid = geteuid() == 0 ? st.st_uid : 0,
			      .gid = st.st_gid };
	return 0;
}

void fsop_done(struct fsop *f)
{
	if (f->root >= 0)
		close(f->root);
	free(f->given);
	free(f->path);
	*f = (struct fsop){ .root = -1 };
}

/* ---- rights ---------------------------------------------------------------------------------- */

/* Leaving uid 0 takes the capabilities that pass by file modes away, and coming back gives them
 * back. */
struct fsop_rights fsop_rights_take(const struct fsop *f)
{
	if (f->uid == 0)
		return (struct fsop_rights){ false };
	setfsgid(f->gid);
	setfsuid(f->uid);
	return (struct fsop_rights){ true };
}

void fsop_rights_drop(const struct fsop_rights *r)
{
	if (!r->held)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}

int fsop_ask(const struct fsop *f, const char *path, enum fsop_want want, const struct stat *st,
	     struct pinfold_error *e)
{
	int r;

	fsop_rights_drop(&(struct fsop_rights){ f->uid != 0 });
	r = f->judge(f->data, path, want, st, e);
	fsop_rights_take(f);
	return r;
}

/* ---- words ----------------------------------------------------------------------------------- */

int fsop_fail(struct pinfold_error *e, int code, const char *path)
{
	switch (code) {
	case -EXDEV:
		return err_set(e, -EPERM, "'%s' leads out of the workspace", path);
	case -ELOOP:
		return err_set(e, -EPERM, "'%s' goes through a symbolic link that is not followed",
			       path);
	case -EFBIG:
		return err_set(e, code, "'%s' is larger than --max-bytes", path);
	case -EISDIR:
		return err_set(e, code, "'%s' is a directory", path);
	default:
		return err_set(e, code, "'%s': %s", path, strerror(-code));
	}
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* What follows root in path; NULL: path is not at or below it. */
static const char *below(const char *path, const char *root)
{
	size_t n = strlen(root);

	while (n > 0 && root[n - 1] == '/')
		n--;
	if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return path + n;
}

int fsop_relative(const struct fsop *f, const char *path, char ret[static PATH_MAX],
		  struct pinfold_error *e)
{
	const char *rest = path;
	size_t len;

	if (path[0] == '\0')
		return err_set(e, -EINVAL, "an empty path");
	if (path[0] == '/') {
		rest = below(path, f->given);
		if (!rest)
			rest = below(path, f->path);
		if (!rest)
			return err_set(e, -EPERM, "'%s' lies outside the workspace '%s'", path,
				       f->path);
		rest += strspn(rest, "/");
	}
	len = strlen(rest);
	while (len > 0 && rest[len - 1] == '/')
		len--;
	if (len >= PATH_MAX)
		return fsop_fail(e, -ENAMETOOLONG, "the path");
	memcpy(ret, len ? rest : ".", len ? len : 1);
	ret[len ? len : 1] = '\0';
	return 0;
}

int fsop_openat(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	for (int i = 0; i < TRIES_MAX; i++) {
		int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

		/* A rename somewhere on the way: nothing is known about the path then. */
		if (fd >= 0 || errno != EAGAIN)
			return fd >= 0 ? fd : -errno;
	}
	return -EAGAIN;
}

/* Cuts rel at its last slash; what follows must be a name. */
static int split(const char *rel, char dir[static PATH_MAX], char name[static NAME_MAX + 1])
{
	const char *slash = strrchr(rel, '/');
	const char *last = slash ? slash + 1 : rel;
	size_t n = slash ? (size_t)(slash - rel) : 0;

	if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return -EINVAL;
	if (strlen(last) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, last, strlen(last) + 1);
	memcpy(dir, n ? rel : ".", n ? n : 1);
	dir[n ? n : 1] = '\0';
	return 0;
}

static int join(const char *dir, const char *name, char ret[static PATH_MAX])
{
	int n = snprintf(ret, PATH_MAX, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static bool has_dots(const char *rel)
{
	for (const char *at = strstr(rel, ".."); at; at = strstr(at + 1, ".."))
		if ((at == rel || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

/* As written, and whether or not it exists: a denied name is denied before anything is said about
 * it.  With ".." only the real name tells. */
static int judge_written(const struct fsop *f, const char *rel, enum fsop_want want,
			 struct pinfold_error *e)
{
	char path[PATH_MAX];

	if (has_dots(rel) || strcmp(rel, ".") == 0)
		return 0;
	if (join(f->path, rel, path) < 0)
		return fsop_fail(e, -ENAMETOOLONG, rel);
	return fsop_ask(f, path, want, NULL, e);
}

int fsop_place_open(const struct fsop *f, const char *path, enum fsop_want want,
		    struct fsop_place *ret, struct pinfold_error *e)
{
	auto_close int fd = -1;
	char rel[PATH_MAX];
	char dir[PATH_MAX];
	int r = fsop_relative(f, path, rel, e);

	if (r == 0)
		r = judge_written(f, rel, want, e);
	if (r < 0)
		return r;
	r = split(rel, dir, ret->name);
	if (r < 0)
		return fsop_fail(e, r, path);
	fd = fsop_openat(f->root, dir, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fsop_fail(e, fd, path);
	r = fsop_path_of(fd, dir);
	if (r == 0)
		r = join(dir, ret->name, ret->path);
	if (r < 0)
		return fsop_fail(e, r, path);
	r = fsop_ask(f, ret->path, want, NULL, e);
	if (r < 0)
		return r;
	ret->dir = take_fd(fd);
	return 0;
}
