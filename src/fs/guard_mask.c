/* SPDX-License-Identifier: MIT */
/* What is done about a denied name: a mask over what outsiders made, quarantine for the rest. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"
#include "fs/fence.h"
#include "fs/guard_inner.h"
#include "fs/guard_prune.h"
#include "fs/guard_remove.h"
#include "fs/places.h"

#define QUARANTINE_DAYS 30
#define QUARANTINE_BYTES ((uint64_t)1024 * 1024 * 1024)
#define COPY_BYTES_MAX ((size_t)16 * 1024 * 1024) /* of a planted file on another mount */

void guard_tell(struct guard_core *g, enum guard_word word, int error, const char *path,
		const char *moved_to)
{
	struct guard_message m = { .word = word, .error = error, .lost = g->lost };

	snprintf(m.path, sizeof(m.path), "%s", path);
	snprintf(m.moved_to, sizeof(m.moved_to), "%s", moved_to);
	if (send(g->supervisor, &m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		g->lost++;
}

/* ---- masks ---------------------------------------------------------------------------------- */

static int remember_link(struct guard_core *g, const struct stat *st)
{
	struct guard_file *bigger;

	if (g->n_linked == GUARD_MATES_MAX)
		return -E2BIG;
	bigger = reallocarray(g->linked, g->n_linked + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	g->linked = bigger;
	g->linked[g->n_linked++] = (struct guard_file){ .dev = st->st_dev, .ino = st->st_ino };
	return 0;
}

bool guard_is_linked(const struct guard_core *g, const struct guard_file *f)
{
	for (size_t i = 0; i < g->n_linked; i++)
		if (g->linked[i].ino == f->ino && g->linked[i].dev == f->dev)
			return true;
	return false;
}

/* Returns 1 when a mask is there now, 0 when there was one, or nothing to mask. */
static int cover(struct guard_core *g, int target)
{
	struct guard_file f;
	struct stat st;
	int r = 0;

	if (fstat(target, &st) < 0)
		return -errno;
	if (st.st_dev == g->store_dev)
		return 0;
	auto_close int mask =
	    open_tree(g->store, S_ISDIR(st.st_mode) ? PLACE_STORE_DIR : PLACE_STORE_FILE,
		      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (mask < 0)
		return -errno;
	if (move_mount(mask, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return errno == ENOENT ? 0 : -errno; /* removed meanwhile */
	f = (struct guard_file){ .dev = st.st_dev, .ino = st.st_ino };
	if (S_ISREG(st.st_mode) && st.st_nlink > 1 && !guard_is_linked(g, &f))
		r = remember_link(g, &st);
	return r < 0 ? r : 1;
}

/* A denied symlink is held by what it leads to as well, inside the granted trees. */
static int cover_far_end(struct guard_core *g, int dir, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	auto_close int end = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	char path[GUARD_PATH_BYTES];
	int r;

	if (end < 0 || guard_path_of(g, end, path, sizeof(path)) < 0 ||
	    !fs_fence_is_guarded(g->fence, path))
		return 0;
	for (size_t i = 0; i < g->n_trees; i++)
		if (strcmp(g->tree[i].path, path) == 0)
			return 0;
	r = cover(g, end);
	return r < 0 ? r : 0;
}

int guard_mask(struct guard_core *g, int dir, const char *name)
{
	auto_close int target = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (target < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (fstat(target, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		r = cover_far_end(g, dir, name);
	return r < 0 ? r : cover(g, target);
}

int guard_uncover(const struct guard_core *g, int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != g->store_dev)
		return 0;
	if (fchdir(dir) < 0 || umount2(name, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
		return errno == ENOENT || errno == EINVAL ? 0 : -errno;
	return chdir("/") < 0 ? -errno : 0;
}

/* ---- quarantine ----------------------------------------------------------------------------- */

static int open_quarantine(struct guard_core *g)
{
	char path[GUARD_PATH_BYTES];
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT };

	if (g->quarantine_fd >= 0)
		return 0;
	/* Each directory on the way that is missing is made, for root alone. */
	for (size_t n = 1; n <= strlen(g->quarantine); n++) {
		if (g->quarantine[n] != '/' && g->quarantine[n] != '\0')
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)n - 1, g->quarantine + 1);
		if (mkdirat(g->host_root, path, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	g->quarantine_fd =
	    (int)syscall(SYS_openat2, g->host_root, g->quarantine + 1, &how, sizeof(how));
	if (g->quarantine_fd < 0)
		return -errno;
	/* Says that its session lives: nobody prunes it. */
	return flock(g->quarantine_fd, LOCK_SH) < 0 ? -errno : 0;
}

void guard_prune_quarantine(const struct guard_core *g)
{
	static const struct guard_keep KEEP = { .seconds = (uint64_t)QUARANTINE_DAYS * 86400,
						.bytes = QUARANTINE_BYTES };
	auto_close int all = -1;

	if (g->quarantine_fd < 0)
		return;
	all = openat(g->quarantine_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (all >= 0)
		guard_prune(all, &KEEP);
}

/* The directory through the host's own mount: from there the quarantine is one rename away, and no
 * open is judged. */
static int through_host(const struct guard_core *g, const struct guard_tree *t, int dir)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS };
	auto_close int tree =
	    (int)syscall(SYS_openat2, g->host_root, t->path + 1, &how, sizeof(how));
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = { .h.handle_bytes = MAX_HANDLE_SZ };
	struct stat st;
	int mount_id;
	int fd;

	if (tree < 0 || fstat(tree, &st) < 0)
		return -errno;
	if (st.st_dev != t->dev || st.st_ino != t->ino)
		return -ESTALE;
	if (name_to_handle_at(dir, "", &handle.h, &mount_id, AT_EMPTY_PATH) < 0)
		return -errno;
	fd = open_by_handle_at(tree, &handle.h, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int copy_out(const struct guard_core *g, int dir, const char *name, const char *as)
{
	auto_close int from = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_close int to =
	    openat(g->quarantine_fd, as, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t left = COPY_BYTES_MAX;
	struct stat st;
	ssize_t n = 1;

	if (from < 0 || to < 0 || fstat(from, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while (left > 0 && n > 0) {
		n = sendfile(to, from, NULL, left);
		if (n < 0)
			return -errno;
		left -= (size_t)n;
	}
	return 0;
}

/* 0: it is kept in the quarantine.  1: it could only be removed. */
static int move_out(const struct guard_core *g, int dir, const char *name, const char *as)
{
	int r = renameat2(dir, name, g->quarantine_fd, as, RENAME_NOREPLACE) < 0 ? -errno : 0;

	if (r != -EXDEV && r != -EINVAL)
		return r;
	r = copy_out(g, dir, name, as);
	if (r < 0)
		unlinkat(g->quarantine_fd, as, 0);
	int removed = guard_remove(dir, name);

	return removed < 0 ? removed : r < 0;
}

int guard_expel(struct guard_core *g, const struct guard_tree *t, int dir, const char *name,
		const char *path)
{
	auto_close int seen = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char as[NAME_MAX + 1];
	char moved_to[GUARD_PATH_BYTES];
	struct stat st;
	int r;

	if (seen < 0 || fstat(seen, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	if (st.st_dev == g->store_dev)
		return 0; /* an outsider's, masked: what was meant came to nothing */
	auto_close int host = through_host(g, t, dir);

	r = host < 0 ? host : open_quarantine(g);
	if (r == 0) {
		snprintf(as, sizeof(as), "%u-%.200s", g->n_quarantined++, name);
		r = move_out(g, host, name, as);
	}
	if (r == -ENOENT)
		return 0;
	if (r < 0) {
		guard_tell(g, GUARD_FAILED, r, path, "");
		return r;
	}
	snprintf(moved_to, sizeof(moved_to), "%.3800s/%s", g->quarantine, as);
	guard_tell(g, r == 0 ? GUARD_QUARANTINED : GUARD_REMOVED, 0, path, r == 0 ? moved_to : "");
	return 0;
}
