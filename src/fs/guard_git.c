/* SPDX-License-Identifier: MIT */
#include "fs/guard_git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"
#include "fs/fence.h"
#include "fs/git.h"

#define CLOCK_SLACK_S 1

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int guard_git_start(struct guard_core *g)
{
	/* The clock that birth times of files are taken from; later ones are not before it. */
	return clock_gettime(CLOCK_REALTIME_COARSE, &g->met_at) < 0 ? -errno : 0;
}

/* ---- what is known -------------------------------------------------------------------------- */

static bool is_after(const struct statx_timestamp *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && (long)a->tv_nsec > b->tv_nsec);
}

/* Born while the session runs.  Nobody inside can set a birth time; where there is none, and for
 * one in the future, everything counts as old. */
static bool is_new(const struct guard_core *g, int fd)
{
	struct timespec now;
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &stx) < 0 || !(stx.stx_mask & STATX_BTIME) ||
	    clock_gettime(CLOCK_REALTIME, &now) < 0)
		return false;
	now.tv_sec += CLOCK_SLACK_S;
	return is_after(&stx.stx_btime, &g->met_at) && !is_after(&stx.stx_btime, &now);
}

static bool same_birth(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int identify(int fd, struct statx *ret)
{
	return statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, ret) < 0 ? -errno : 0;
}

/* An inode's number is used again, so the birth has to agree. */
static const struct guard_repo *find_repo(const struct guard_core *g, int dir)
{
	struct statx stx;

	if (identify(dir, &stx) < 0)
		return NULL;
	for (size_t i = 0; i < g->n_repos; i++) {
		const struct guard_repo *r = &g->repo[i];

		if (r->id.stx_ino == stx.stx_ino && r->id.stx_dev_major == stx.stx_dev_major &&
		    r->id.stx_dev_minor == stx.stx_dev_minor &&
		    same_birth(&r->id.stx_btime, &stx.stx_btime))
			return r;
	}
	return NULL;
}

static bool is_held_path(const struct guard_core *g, const char *path)
{
	for (size_t i = 0; i < g->n_repos; i++)
		if (strcmp(g->repo[i].path, path) == 0)
			return true;
	return false;
}

bool guard_git_leads_to_held(const struct guard_core *g, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < g->n_repos; i++)
		if (strncmp(g->repo[i].path, path, len) == 0 &&
		    (g->repo[i].path[len] == '/' || g->repo[i].path[len] == '\0'))
			return true;
	return false;
}

/* fd: the repository's directory, or a .git file (GIT_NONE). */
static int remember(struct guard_core *g, int fd, const char *path, enum git_kind kind)
{
	struct guard_repo *bigger = NULL;
	struct guard_repo new = { .kind = kind };
	int r = identify(fd, &new.id);

	if (r < 0 || find_repo(g, fd))
		return r;
	if (g->n_repos < GUARD_MATES_MAX)
		bigger = reallocarray(g->repo, g->n_repos + 1, sizeof(*bigger));
	if (!bigger)
		return g->n_repos < GUARD_MATES_MAX ? -ENOMEM : -E2BIG;
	g->repo = bigger;
	new.path = strdup(path);
	if (!new.path)
		return -ENOMEM;
	g->repo[g->n_repos++] = new;
	return 0;
}

/* ---- holding -------------------------------------------------------------------------------- */

static bool has_own_mount(int fd)
{
	struct statx stx;

	return statx(fd, "", AT_EMPTY_PATH, 0, &stx) == 0 &&
	       (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static bool is_read_only(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_RDONLY);
}

/* A mount of itself over it, read-only: it can neither be changed nor be replaced. */
static int cover_with_itself(int target)
{
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	auto_close int mnt = open_tree(
	    target, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);

	if (mnt < 0 || mount_setattr(mnt, "", AT_EMPTY_PATH | AT_RECURSIVE, &ro, sizeof(ro)) < 0)
		return -errno;
	if (move_mount(mnt, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return errno == ENOENT ? 0 : -errno; /* removed meanwhile */
	return 0;
}

/* What a symlink leads to, where the session could write it. */
static int hold_far_end(const struct guard_core *g, int dir, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	auto_close int end = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	char path[GUARD_PATH_BYTES];
	struct stat st;

	if (end < 0 || fstat(end, &st) < 0 || st.st_dev == g->store_dev ||
	    guard_path_of(g, end, path, sizeof(path)) < 0 || !fs_fence_is_guarded(g->fence, path) ||
	    is_read_only(end))
		return 0;
	return cover_with_itself(end);
}

/* A directory with a mount of its own is a tree of its own for the guard. */
static int look_behind(struct guard_core *g, int dir, const char *name, const char *path)
{
	struct guard_job job = { .tree = g->n_trees, .path = (char[]){ "." } };
	auto_close int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	r = guard_tree_add(g, path, take_fd(fd));
	return r < 0 || g->n_trees == job.tree ? r : guard_scan_push(g, &job);
}

static int hold(struct guard_core *g, int dir, const char *name, const char *path)
{
	auto_close int target = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (target < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (fstat(target, &st) < 0)
		return -errno;
	if (st.st_dev == g->store_dev)
		return 0;
	if (S_ISLNK(st.st_mode)) {
		r = has_own_mount(target) ? 0 : cover_with_itself(target);
		return r < 0 ? r : hold_far_end(g, dir, name);
	}
	if (is_read_only(target))
		return 0;
	r = cover_with_itself(target);
	return r < 0 || !S_ISDIR(st.st_mode) ? r : look_behind(g, dir, name, path);
}

static int hold_all(struct guard_core *g, int dir, const char *path, enum git_kind kind)
{
	char name_path[GUARD_PATH_BYTES];
	int r = remember(g, dir, path, kind);

	for (const char *const *name = git_held(kind); *name && r == 0; name++) {
		if (snprintf(name_path, sizeof(name_path), "%s/%s", path, *name) >=
		    (int)sizeof(name_path))
			return -ENAMETOOLONG;
		r = hold(g, dir, *name, name_path);
	}
	return r;
}

/* A .git that is a file or a symlink. */
static int hold_link(struct guard_core *g, int dir, const char *path)
{
	auto_close int fd = openat(dir, GIT_ENTRY, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode) || st.st_dev == g->store_dev || is_new(g, fd))
		return 0;
	r = remember(g, fd, path, GIT_NONE);
	return r < 0 ? r : hold(g, dir, GIT_ENTRY, path);
}

/* ---- the look ------------------------------------------------------------------------------- */

static int path_under_eye(const struct guard_core *g, const char *name, char *ret, size_t size)
{
	const struct guard_tree *t = &g->tree[g->at.job.tree];
	const char *rel = g->at.job.path + 1; /* after the dot */
	int n = snprintf(ret, size, "%s%s%s%s", strcmp(t->path, "/") ? t->path : "", rel,
			 name[0] ? "/" : "", name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* In a directory that someone inside moved, something else stands where a repository was found. */
static int expel_replacement(struct guard_core *g, const char *path)
{
	auto_close int fd = openat(g->at.fd, GIT_ENTRY, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || !is_held_path(g, path) || find_repo(g, fd))
		return 0;
	return guard_expel(g, &g->tree[g->at.job.tree], g->at.fd, GIT_ENTRY, path);
}

int guard_git_saw(struct guard_core *g, const char *name)
{
	char path[GUARD_PATH_BYTES];
	int r;

	if (!g->holds_git || g->at.job.for_links)
		return 0;
	g->at.git_seen |= git_seen(name);
	if (strcmp(name, GIT_ENTRY) != 0)
		return 0;
	r = path_under_eye(g, name, path, sizeof(path));
	if (r == 0 && g->at.job.origin == GUARD_INSIDE)
		r = expel_replacement(g, path);
	return r < 0 ? r : hold_link(g, g->at.fd, path);
}

int guard_git_looked(struct guard_core *g)
{
	char path[GUARD_PATH_BYTES];
	enum git_kind kind;
	int r;

	if (!g->holds_git || g->at.job.for_links)
		return 0;
	r = path_under_eye(g, "", path, sizeof(path));
	kind = git_kind_of(last_component(path), g->at.git_seen);
	if (r < 0 || kind == GIT_NONE || is_new(g, g->at.fd))
		return r;
	return hold_all(g, g->at.fd, path, kind);
}

/* ---- names that appear ---------------------------------------------------------------------- */

static bool is_sign(const char *name)
{
	return strcmp(name, "HEAD") == 0 || strcmp(name, "objects") == 0 ||
	       strcmp(name, "refs") == 0;
}

bool guard_git_name_matters(const struct guard_core *g, const char *name)
{
	if (!g->holds_git)
		return false;
	/* During the look nobody knows yet which directories of hooks are to be held. */
	return !guard_scan_is_idle(g) || strcmp(name, GIT_ENTRY) == 0 || is_sign(name) ||
	       strcmp(name, "info") == 0 || strcmp(name, "attributes") == 0 ||
	       git_name_is_held(GIT_REPOSITORY, name) || git_name_is_held(GIT_WORKTREE, name);
}

static void tell_made(struct guard_core *g, const char *path)
{
	char text[GUARD_PATH_BYTES];
	size_t len = strlen(path);
	size_t end = strlen("/" GIT_ENTRY);

	if (len > end && strcmp(path + len - end, "/" GIT_ENTRY) == 0)
		len -= end;
	snprintf(text, sizeof(text), "%.*s", (int)len, path);
	for (size_t i = 0; i < g->n_made; i++)
		if (strcmp(g->made[i], text) == 0)
			return;
	if (g->n_made == GUARD_MADE_MAX)
		return;
	g->made[g->n_made] = strdup(text);
	if (!g->made[g->n_made])
		return;
	g->n_made++;
	guard_tell(g, GUARD_REPOSITORY, 0, text, "");
}

static int expel(struct guard_core *g, const struct guard_git_name *n)
{
	/* The look, or an earlier report, may have covered it with itself. */
	auto_close int target = openat(n->dir, n->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (target >= 0 && has_own_mount(target) &&
	    (fchdir(n->dir) < 0 || umount2(n->name, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 ||
	     chdir("/") < 0) &&
	    errno != ENOENT && errno != EINVAL)
		return -errno;
	return guard_expel(g, &g->tree[n->tree], n->dir, n->name, n->path);
}

/* .git itself: a repository comes into being, or is said to be elsewhere. */
static int entry_appeared(struct guard_core *g, const struct guard_git_name *n)
{
	auto_close int fd = -1;
	struct stat st;

	if (n->origin == GUARD_INSIDE && is_held_path(g, n->path))
		return expel(g, n);
	if (n->origin == GUARD_INSIDE) {
		tell_made(g, n->path);
		return 0;
	}
	fd = openat(n->dir, n->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return hold_all(g, fd, n->path, GIT_REPOSITORY);
	int r = remember(g, fd, n->path, GIT_NONE);

	return r < 0 ? r : hold(g, n->dir, n->name, n->path);
}

/* A held name of a repository that is known. */
static int held_name_appeared(struct guard_core *g, const struct guard_git_name *n)
{
	return n->origin == GUARD_INSIDE ? expel(g, n) : hold(g, n->dir, n->name, n->path);
}

/* A directory info that comes with attributes in it. */
static int info_appeared(struct guard_core *g, const struct guard_git_name *n)
{
	auto_close int info =
	    openat(n->dir, "info", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char path[GUARD_PATH_BYTES];
	struct guard_git_name below = *n;

	if (info < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (snprintf(path, sizeof(path), "%s/attributes", n->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	below.dir = info;
	below.name = "attributes";
	below.path = path;
	return held_name_appeared(g, &below);
}

/* The name of the directory around path's last component is that. */
static bool dir_is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(name);

	return slash && (size_t)(slash - path) > len && slash[-(ptrdiff_t)len - 1] == '/' &&
	       strncmp(slash - len, name, len) == 0;
}

static const struct guard_repo *repo_above(const struct guard_core *g, int dir)
{
	auto_close int up = openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return up < 0 ? NULL : find_repo(g, up);
}

/* Into the hooks of a repository that the look has still to find. */
static bool is_planted_hook(const struct guard_core *g, const struct guard_git_name *n)
{
	auto_close int up = -1;

	if (n->origin == GUARD_OUTSIDE || !dir_is_called(n->path, "hooks"))
		return false;
	up = openat(n->dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Not the name's own directory, whatever it is called: signs tell. */
	return up >= 0 && git_look(up, "") == GIT_REPOSITORY && !is_new(g, up);
}

int guard_git_appeared(struct guard_core *g, const struct guard_git_name *n)
{
	const struct guard_repo *repo;

	if (!g->holds_git)
		return 0;
	if (strcmp(n->name, GIT_ENTRY) == 0)
		return entry_appeared(g, n);
	repo = find_repo(g, n->dir);
	if (repo && git_name_is_held(repo->kind, n->name))
		return held_name_appeared(g, n);
	if (repo && repo->kind == GIT_REPOSITORY && strcmp(n->name, "info") == 0)
		return info_appeared(g, n);
	if (strcmp(n->name, "attributes") == 0 && dir_is_called(n->path, "info") &&
	    repo_above(g, n->dir))
		return held_name_appeared(g, n);
	if (!repo && is_sign(n->name) && !dir_is_called(n->path, GIT_ENTRY) &&
	    git_look(n->dir, "") == GIT_REPOSITORY) {
		char path[GUARD_PATH_BYTES];
		int r = guard_path_of(g, n->dir, path, sizeof(path));

		if (r == 0 && n->origin == GUARD_INSIDE &&
		    (guard_scan_is_idle(g) || is_new(g, n->dir)))
			tell_made(g, path);
		return r < 0 || n->origin == GUARD_INSIDE
			   ? r
			   : hold_all(g, n->dir, path, GIT_REPOSITORY);
	}
	if (!guard_scan_is_idle(g) && is_planted_hook(g, n))
		return expel(g, n);
	/* A held name, before the look has come to its repository. */
	if (!guard_scan_is_idle(g) && n->origin == GUARD_INSIDE && !is_new(g, n->dir) &&
	    git_name_is_held(git_look(n->dir, ""), n->name))
		return expel(g, n);
	return 0;
}

/* ---- opens during the look ------------------------------------------------------------------ */

/* Few paths need a closer look. */
static bool looks_held(const char *path)
{
	const char *name = last_component(path);

	return strstr(path, "/hooks/") || strcmp(name, GIT_ENTRY) == 0 ||
	       strcmp(name, "attributes") == 0 || git_name_is_held(GIT_REPOSITORY, name) ||
	       git_name_is_held(GIT_WORKTREE, name);
}

/* As for the look: a repository that the session made is its own. */
static bool spares_new(void *data, int fd)
{
	return is_new(data, fd);
}

bool guard_git_forbids(struct guard_core *g, const char *path, pid_t tid)
{
	return g->holds_git && looks_held(path) && git_path_is_held_unless(path, spares_new, g) &&
	       guard_open_writes(g, tid);
}
