/* SPDX-License-Identifier: MIT */
#include "fs/places.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define STORE_SIZE "256k"
/* All pens share the machine's pseudo terminals with the host, kernel.pty.max (4096) in sum. */
#define PTYS_MAX "128"

struct option {
	const char *key;
	const char *value; /* NULL: the end of the list, or the option is not given */
};

/* Returns the detached mount. */
static int make_fs(const char *type, const struct option *opt, uint64_t attrs)
{
	auto_close int fs = fsopen(type, FSOPEN_CLOEXEC);

	if (fs < 0)
		return -errno;
	for (; opt->key; opt++) {
		if (opt->value && fsconfig(fs, FSCONFIG_SET_STRING, opt->key, opt->value, 0) < 0)
			return -errno;
	}
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	int mnt = fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attrs);

	return mnt < 0 ? -errno : mnt;
}

static int failed(int code, const char *what, struct pinfold_error *e)
{
	return err_set(e, code, "cannot make %s: %s", what, strerror(-code));
}

/* Inodes cost kernel memory as well: as many as pages. */
static int count_pages(unsigned percent, char *ret, size_t size)
{
	struct sysinfo si;

	if (sysinfo(&si) < 0)
		return -errno;
	uint64_t bytes = (uint64_t)si.totalram * si.mem_unit;
	uint64_t pages = bytes / (uint64_t)sysconf(_SC_PAGESIZE) * percent / 100 + 1;

	(void)snprintf(ret, size, "%" PRIu64, pages);
	return 0;
}

int place_tmpfs(const struct place *p, struct pinfold_error *e)
{
	char mode[16];
	char uid[16];
	char gid[16];
	char pages[24];
	const struct option opt[] = {
		{ "mode", mode },
		{ "uid", uid },
		{ "gid", gid },
		{ "size", p->size },
		{ p->size ? NULL : "nr_blocks", pages },
		{ "nr_inodes", pages },
		{ NULL, NULL },
	};

	/* Never unbounded: what bounds it otherwise is half the machine, for each of them. */
	if (!p->size) {
		int r = count_pages(p->ram_percent ? p->ram_percent : 1, pages, sizeof(pages));

		if (r < 0)
			return failed(r, "a private tmpfs", e);
	}
	(void)snprintf(mode, sizeof(mode), "%o", p->mode);
	(void)snprintf(uid, sizeof(uid), "%u", p->uid);
	(void)snprintf(gid, sizeof(gid), "%u", p->gid);
	int r = make_fs("tmpfs", opt, p->attrs | MOUNT_ATTR_NOSUID);

	return r < 0 ? failed(r, "a private tmpfs", e) : r;
}

int place_devpts(struct pinfold_error *e)
{
	static const struct option opt[] = {
		{ "mode", "620" }, { "ptmxmode", "666" }, { "max", PTYS_MAX }, { NULL, NULL }
	};
	int r = make_fs("devpts", opt, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

	return r < 0 ? failed(r, "a private /dev/pts", e) : r;
}

static int make_device(int dir, const char *name, unsigned major_no, unsigned minor_no)
{
	if (mknodat(dir, name, S_IFCHR | 0666, makedev(major_no, minor_no)) < 0 ||
	    fchmodat(dir, name, 0666, 0) < 0)
		return -errno;
	return 0;
}

static int fill_dev(int dir)
{
	/* Numbers from Documentation/admin-guide/devices.txt. */
	static const struct {
		const char *name;
		unsigned major_no;
		unsigned minor_no;
	} device[] = {
		{ "null", 1, 3 },   { "zero", 1, 5 },    { "full", 1, 7 },
		{ "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
	};
	static const struct {
		const char *name;
		const char *target;
	} link[] = {
		{ "ptmx", "pts/ptmx" },          { "fd", "/proc/self/fd" },
		{ "stdin", "/proc/self/fd/0" },  { "stdout", "/proc/self/fd/1" },
		{ "stderr", "/proc/self/fd/2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(device); i++) {
		int r = make_device(dir, device[i].name, device[i].major_no, device[i].minor_no);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(link); i++) {
		if (symlinkat(link[i].target, dir, link[i].name) < 0)
			return -errno;
	}
	return 0;
}

int place_dev(struct pinfold_error *e)
{
	static const struct place p = { .mode = 0755,
					.size = STORE_SIZE,
					.attrs = MOUNT_ATTR_NOEXEC };
	auto_close int dir = place_tmpfs(&p, e);

	if (dir < 0)
		return dir;
	int r = fill_dev(dir);

	return r < 0 ? failed(r, "a private /dev", e) : take_fd(dir);
}

/* Modes are set afterwards: the umask would take bits away at creation. */
static int fill_store(int dir, const char *resolv_conf)
{
	if (mkdirat(dir, PLACE_STORE_DIR, 0) < 0 || fchmodat(dir, PLACE_STORE_DIR, 0, 0) < 0 ||
	    mknodat(dir, PLACE_STORE_FILE, S_IFREG, 0) < 0 ||
	    fchmodat(dir, PLACE_STORE_FILE, 0, 0) < 0)
		return -errno;

	auto_close int fd =
	    openat(dir, PLACE_STORE_RESOLV, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd < 0 || fchmod(fd, 0444) < 0)
		return -errno;
	return resolv_conf ? io_write_full(fd, resolv_conf, strlen(resolv_conf)) : 0;
}

int place_store(const char *resolv_conf, struct pinfold_error *e)
{
	static const struct place p = {
		.mode = 0755,
		.size = STORE_SIZE,
		.attrs = MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
	};
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	auto_close int dir = place_tmpfs(&p, e);

	if (dir < 0)
		return dir;
	int r = fill_store(dir, resolv_conf);

	if (r == 0 && mount_setattr(dir, "", AT_EMPTY_PATH, &ro, sizeof(ro)) < 0)
		r = -errno;
	return r < 0 ? failed(r, "the store of masks", e) : take_fd(dir);
}

int place_clone(int object, uint64_t attrs, struct pinfold_error *e)
{
	/* Private: what the child mounts upon the clone must not reach the host, and what the host
	 * mounts later must not appear inside. */
	struct mount_attr attr = { .attr_set = attrs, .propagation = MS_PRIVATE };
	auto_close int mnt = open_tree(
	    object, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);

	if (mnt < 0)
		return err_set(e, -errno, "cannot clone its mount: %s", strerror(errno));
	if (mount_setattr(mnt, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return err_set(e, -errno, "cannot set the flags of its mount: %s", strerror(errno));
	return take_fd(mnt);
}
