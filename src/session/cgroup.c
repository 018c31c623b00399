/* SPDX-License-Identifier: MIT */
/*
 * DOC: life of a session's cgroup.
 *
 * Many pinfold processes make and remove cgroups below one slice, and none of them owns it.  So
 * making retries when the slice vanishes between two steps, and removing ignores that the slice
 * is not empty.  An flock on the session's directory says that its owner lives: a sweep removes
 * only what it can lock.  v1 directories are made after and removed before the cgroup2 one, so a
 * v1 directory without its cgroup2 twin belongs to nobody.
 */
#include "session/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "session/cgroup_limits.h"
#include "session/cgroup_tree.h"

#define MOUNTINFO_MAX (4ul * 1024 * 1024)
#define EVENTS_TEXT_MAX 256
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void clean_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define auto_dir __attribute__((cleanup(clean_dir)))

static int read_mountinfo(char **ret)
{
	size_t len;

	return io_read_file(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, ret, &len);
}

/* In kernfs the handle is the number that BPF helpers report. */
static int read_number(int dir_fd, uint64_t *ret)
{
	struct {
		struct file_handle head;
		uint64_t number;
	} h = { .head.handle_bytes = sizeof(h.number) };
	int mount_id;

	if (name_to_handle_at(dir_fd, "", &h.head, &mount_id, AT_EMPTY_PATH) < 0)
		return -errno;
	if (h.head.handle_bytes != sizeof(h.number))
		return -EPROTO;
	memcpy(ret, h.head.f_handle, sizeof(*ret));
	return 0;
}

static int open_files(struct cgroup *c, struct pinfold_error *e)
{
	const struct {
		const char *name;
		int flags;
		int *fd;
	} files[] = {
		{ "cgroup.procs", O_WRONLY, &c->procs_fd },
		{ "cgroup.kill", O_WRONLY, &c->kill_fd },
		{ "cgroup.events", O_RDONLY, &c->events_fd },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		*files[i].fd = openat(c->dir_fd, files[i].name, files[i].flags | O_CLOEXEC);
		if (*files[i].fd < 0)
			return err_set(e, -errno, "cannot open %s of the session's cgroup: %s",
				       files[i].name, strerror(errno));
	}
	return 0;
}

static int build(struct cgroup *c, const char *mountinfo, const struct limits_policy *limits,
		 bool degrade, struct pinfold_error *e)
{
	int r;

	c->root_fd = cgroup_find_root(mountinfo, NULL);
	if (c->root_fd < 0)
		return err_set(
		    e, -EOPNOTSUPP,
		    "no cgroup2 file system is mounted here: mount -t cgroup2 none /sys/fs/cgroup");
	c->dir_fd = cgroup_make(c->root_fd, CGROUP_SLICE, c->id);
	if (c->dir_fd < 0)
		return err_set(e, c->dir_fd, "cannot make the cgroup %s/%s: %s", CGROUP_SLICE,
			       c->id, strerror(-c->dir_fd));
	r = open_files(c, e);
	if (r < 0)
		return r;
	r = read_number(c->dir_fd, &c->number);
	if (r < 0)
		return err_set(e, r, "cannot read the cgroup's number: %s", strerror(-r));
	return cgroup_limit(c, mountinfo, limits, degrade, e);
}

int cgroup_prepare(struct cgroup *c, const char *id, const struct limits_policy *limits,
		   bool degrade, struct pinfold_error *e)
{
	struct cgroup out = CGROUP_EMPTY;
	auto_free char *mountinfo = NULL;
	int r;

	if (!cgroup_id_is_sane(id))
		return err_set(e, -EINVAL, "'%s' can't be a cgroup's name", id);
	(void)snprintf(out.id, sizeof(out.id), "%s", id);
	r = read_mountinfo(&mountinfo);
	if (r < 0)
		return err_set(e, r, "cannot read /proc/self/mountinfo: %s", strerror(-r));
	r = build(&out, mountinfo, limits, degrade, e);
	if (r < 0) {
		cgroup_remove(&out);
		cgroup_done(&out);
		return r;
	}
	*c = out;
	return 0;
}

int cgroup_join_v1(const struct cgroup *c, pid_t pid)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	for (int i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		int r;

		if (c->v1_dir_fd[i] < 0)
			continue;
		r = io_write_file(c->v1_dir_fd[i], "cgroup.procs", text);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_populated(int events_fd)
{
	char text[EVENTS_TEXT_MAX];
	ssize_t n = pread(events_fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return errno == ENODEV ? 0 : -errno; /* removed already */
	text[n] = '\0';
	if (strstr(text, "populated 0"))
		return 0;
	return strstr(text, "populated 1") ? 1 : -EPROTO;
}

int cgroup_populated(const struct cgroup *c)
{
	return read_populated(c->events_fd);
}

int cgroup_kill(const struct cgroup *c)
{
	return write(c->kill_fd, "1", 1) == 1 ? 0 : -errno;
}

int cgroup_freeze(const struct cgroup *c, enum cgroup_state state)
{
	return io_write_file(c->dir_fd, "cgroup.freeze", state == CGROUP_FROZEN ? "1" : "0");
}

static int wait_empty(const struct cgroup *c, int64_t deadline_ms)
{
	for (;;) {
		struct pollfd p = { .fd = c->events_fd, .events = POLLPRI };
		int64_t left = deadline_ms - cgroup_now_ms();
		int r = read_populated(c->events_fd);

		if (r <= 0)
			return r;
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return -errno;
	}
}

int cgroup_remove(struct cgroup *c)
{
	int64_t deadline = cgroup_now_ms() + CGROUP_REMOVE_MS;
	int r = c->events_fd < 0 ? 0 : wait_empty(c, deadline);

	for (int i = 0; r == 0 && i < CGROUP_N_CONTROLLERS; i++)
		if (c->v1_dir_fd[i] >= 0)
			r = cgroup_unmake(c->v1_fd[i], CGROUP_V1_SLICE, c->id, deadline);
	if (r == 0 && c->dir_fd >= 0)
		r = cgroup_unmake(c->root_fd, CGROUP_SLICE, c->id, deadline);
	return r == -EBUSY ? -ETIMEDOUT : r;
}

/* The roots of all v1 hierarchies that a limit could have used. */
static void open_v1_roots(const char *mountinfo, int ret[static CGROUP_N_CONTROLLERS])
{
	for (enum cgroup_controller i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		int fd = cgroup_find_root(mountinfo, cgroup_controller_name(i));

		ret[i] = fd < 0 ? -1 : fd;
	}
}

/* The cgroup of somebody else, as far as killing and removing needs it. */
static int adopt(struct cgroup *c, const char *mountinfo)
{
	char v2[sizeof(CGROUP_SLICE) + CGROUP_ID_MAX + 1];
	char v1[sizeof(CGROUP_V1_SLICE) + CGROUP_ID_MAX + 1];

	(void)snprintf(v2, sizeof(v2), "%s/%s", CGROUP_SLICE, c->id);
	(void)snprintf(v1, sizeof(v1), "%s/%s", CGROUP_V1_SLICE, c->id);
	c->root_fd = cgroup_find_root(mountinfo, NULL);
	if (c->root_fd < 0)
		return c->root_fd;
	open_v1_roots(mountinfo, c->v1_fd);
	for (int i = 0; i < CGROUP_N_CONTROLLERS; i++)
		if (c->v1_fd[i] >= 0)
			c->v1_dir_fd[i] = openat(c->v1_fd[i], v1, DIR_FLAGS);
	c->dir_fd = openat(c->root_fd, v2, DIR_FLAGS);
	if (c->dir_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return open_files(c, NULL);
}

int cgroup_end(const char *id)
{
	struct cgroup c = CGROUP_EMPTY;
	auto_free char *mountinfo = NULL;
	int r = cgroup_id_is_sane(id) ? read_mountinfo(&mountinfo) : -EINVAL;

	if (r < 0)
		return r;
	(void)snprintf(c.id, sizeof(c.id), "%s", id);
	r = adopt(&c, mountinfo);
	if (r == 0) {
		cgroup_kill(&c);
		r = cgroup_remove(&c);
	}
	cgroup_done(&c);
	return r;
}

/* Removes slice_fd/id if it is empty and nobody holds it.  1: gone; 0: left alone. */
static int sweep_session(const struct cgroup *c, int slice_fd, const char *id)
{
	int64_t now = cgroup_now_ms();
	auto_close int dir_fd = openat(slice_fd, id, DIR_FLAGS);
	auto_close int events_fd = -1;

	if (dir_fd < 0 || flock(dir_fd, LOCK_EX | LOCK_NB) < 0)
		return 0;
	events_fd = openat(dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	if (events_fd < 0 || read_populated(events_fd) != 0)
		return 0;
	for (int i = 0; i < CGROUP_N_CONTROLLERS; i++)
		if (c->v1_fd[i] >= 0 && cgroup_unmake(c->v1_fd[i], CGROUP_V1_SLICE, id, now) < 0)
			return 0;
	return cgroup_unmake(c->root_fd, CGROUP_SLICE, id, now) == 0;
}

/* A v1 directory whose cgroup2 twin is gone. */
static int sweep_orphan(const struct cgroup *c, int v1_root_fd, const char *id)
{
	char path[sizeof(CGROUP_SLICE) + NAME_MAX + 1];

	(void)snprintf(path, sizeof(path), "%s/%s", CGROUP_SLICE, id);
	if (faccessat(c->root_fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return 0;
	return cgroup_unmake(v1_root_fd, CGROUP_V1_SLICE, id, cgroup_now_ms()) == 0;
}

/* Applies one of the two to every session's directory below root_fd/slice. */
static int sweep_slice(const struct cgroup *c, int root_fd, const char *slice)
{
	auto_close int fd = openat(root_fd, slice, DIR_FLAGS);
	auto_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int n = 0;

	if (!d)
		return errno == ENOENT ? 0 : -errno;
	(void)take_fd(fd);
	while ((entry = readdir(d))) {
		if (entry->d_type != DT_DIR || !cgroup_id_is_sane(entry->d_name))
			continue;
		if (root_fd == c->root_fd)
			n += sweep_session(c, dirfd(d), entry->d_name);
		else
			n += sweep_orphan(c, root_fd, entry->d_name);
	}
	unlinkat(root_fd, slice, AT_REMOVEDIR);
	return n;
}

int cgroup_sweep(void)
{
	struct cgroup c = CGROUP_EMPTY;
	auto_free char *mountinfo = NULL;
	int n = read_mountinfo(&mountinfo);
	int r = 0;

	if (n < 0)
		return n;
	c.root_fd = cgroup_find_root(mountinfo, NULL);
	if (c.root_fd < 0)
		return -EOPNOTSUPP;
	open_v1_roots(mountinfo, c.v1_fd);
	n = sweep_slice(&c, c.root_fd, CGROUP_SLICE);
	for (int i = 0; n >= 0 && r >= 0 && i < CGROUP_N_CONTROLLERS; i++)
		if (c.v1_fd[i] >= 0) {
			r = sweep_slice(&c, c.v1_fd[i], CGROUP_V1_SLICE);
			n += r > 0 ? r : 0;
		}
	cgroup_done(&c);
	return r < 0 ? r : n;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void cgroup_done(struct cgroup *c)
{
	close_fd(&c->root_fd);
	close_fd(&c->dir_fd);
	close_fd(&c->procs_fd);
	close_fd(&c->kill_fd);
	close_fd(&c->events_fd);
	for (int i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		close_fd(&c->v1_fd[i]);
		close_fd(&c->v1_dir_fd[i]);
	}
}
