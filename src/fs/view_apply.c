/* SPDX-License-Identifier: MIT */
/* The child's half of the view: system calls only, no allocation, no words. */
#include "fs/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"

#define ROOT_STACK_MAX 16 /* mounts on top of each other at the host's root */

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

/* The object at an operation's path, no symlink followed on the way. */
static int open_target(const struct view_op *op)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	struct stat st;
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, op->path, &how, sizeof(how));

	if (fd < 0)
		return -errno;
	if (op->is_checked &&
	    (fstat(fd, &st) < 0 || st.st_dev != op->dev || st.st_ino != op->ino)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

static int attach(int mount_fd, int target)
{
	return result(move_mount(mount_fd, "", target, "",
				 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH));
}

static int apply_begin(const struct view *v, const struct view_op *op)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	if (move_mount(op->fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	/* For now below the old root, from where it moves under the new /proc.  On top of "/" (and
	 * then of the new root, or it could not move into that) it may take a second umount, each
	 * of which waits for the whole machine (synchronize_rcu), milliseconds under load. */
	if (move_mount(v->store, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH) < 0 &&
	    move_mount(v->store, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	return result(fchdir(op->fd));
}

static int apply_dir(const struct view *v, const struct view_op *op)
{
	(void)v;
	return result(mkdirat(AT_FDCWD, op->path, 0755));
}

static int apply_file(const struct view *v, const struct view_op *op)
{
	int fd = open(op->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);

	(void)v;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int apply_link(const struct view *v, const struct view_op *op)
{
	(void)v;
	return result(symlinkat(op->target, AT_FDCWD, op->path));
}

static int apply_mount(const struct view *v, const struct view_op *op)
{
	auto_close int target = open_target(op);

	(void)v;
	return target < 0 ? target : attach(op->fd, target);
}

static int apply_proc(const struct view *v, const struct view_op *op)
{
	auto_close int target = open_target(op);
	auto_close int fs = fsopen("proc", FSOPEN_CLOEXEC);

	if (target < 0)
		return target;
	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	auto_close int mnt =
	    fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);

	if (mnt < 0)
		return -errno;
	/* Below /proc nobody can reach the store, and who has its descriptor can go on making masks
	 * of it. */
	int r = attach(v->store, target);

	return r < 0 ? r : attach(mnt, target);
}

static int apply_freeze(const struct view *v, const struct view_op *op)
{
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	auto_close int target = open_target(op);

	(void)v;
	if (target < 0)
		return target;
	auto_close int mnt =
	    open_tree(target, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (mnt < 0 || mount_setattr(mnt, "", AT_EMPTY_PATH, &ro, sizeof(ro)) < 0)
		return -errno;
	return attach(mnt, target);
}

static int apply_stored(const struct view *v, const struct view_op *op)
{
	auto_close int target = open_target(op);

	if (target < 0)
		return target;
	auto_close int mnt = open_tree(v->store, op->target, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	return mnt < 0 ? -errno : attach(mnt, target);
}

static int apply_seal(const struct view *v, const struct view_op *op)
{
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };

	(void)v;
	return result(mount_setattr(op->fd, "", AT_EMPTY_PATH, &ro, sizeof(ro)));
}

/* The mount that path leads to; what is stacked on it counts. */
static int mount_id(int dir, const char *path, uint64_t *ret)
{
	struct statx stx;

	if (statx(dir, path, path[0] ? 0 : AT_EMPTY_PATH, STATX_MNT_ID, &stx) < 0)
		return -errno;
	if (!(stx.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	*ret = stx.stx_mnt_id;
	return 0;
}

/* After the pivot the old root lies on top of the new one, and whatever was stacked on it on top of
 * that; "/.." would step into the topmost.  Each is detached until the new root is the only one. */
static int apply_pivot(const struct view *v, const struct view_op *op)
{
	uint64_t own = 0;
	uint64_t top = 0;
	int r = mount_id(op->fd, "", &own);

	(void)v;
	if (r == 0 && syscall(SYS_pivot_root, ".", ".") < 0)
		r = -errno;
	for (int i = 0; r == 0 && i <= ROOT_STACK_MAX; i++) {
		r = mount_id(AT_FDCWD, "/..", &top);
		if (r < 0)
			return r;
		if (top == own)
			return result(chdir("/"));
		r = result(umount2(".", MNT_DETACH));
	}
	return r < 0 ? r : -EBUSY;
}

static int (*const apply[])(const struct view *v, const struct view_op *op) = {
	[VIEW_BEGIN] = apply_begin,   [VIEW_DIR] = apply_dir,       [VIEW_FILE] = apply_file,
	[VIEW_LINK] = apply_link,     [VIEW_MOUNT] = apply_mount,   [VIEW_PROC] = apply_proc,
	[VIEW_FREEZE] = apply_freeze, [VIEW_STORED] = apply_stored, [VIEW_MASK] = apply_stored,
	[VIEW_SEAL] = apply_seal,     [VIEW_PIVOT] = apply_pivot,
};

_Static_assert(ARRAY_SIZE(apply) == VIEW_OP_KINDS, "one function for each operation");

int view_apply(const struct view *v, size_t *ret_index)
{
	mode_t mask = umask(0);
	int r = 0;

	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct view_op *op = &v->op[i];

		r = apply[op->kind](v, op);
		if (r == -ENOENT && op->is_optional)
			r = 0;
		if (r < 0)
			*ret_index = i;
	}
	umask(mask);
	return r;
}
