/* SPDX-License-Identifier: MIT */
#include "session/attach_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "session/cgroup_tree.h"

#define MOUNTINFO_MAX (4 << 20)
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static int open_root(void)
{
	auto_free char *mountinfo = NULL;
	size_t len;
	int r = io_read_file(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &mountinfo, &len);

	return r < 0 ? r : cgroup_find_root(mountinfo, NULL);
}

static bool is_of(int fd, long magic)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_type == (unsigned long)magic;
}

/* As a path of this mount namespace, else below the hierarchy's root. */
static int open_dir(int root_fd, const char *text, struct pinfold_error *e)
{
	const char *below = text + strspn(text, "/");
	auto_close int fd = text[0] == '/' ? open(text, DIR_FLAGS) : -1;

	if (fd >= 0 && is_of(fd, CGROUP2_SUPER_MAGIC))
		return take_fd(fd);
	if (fd >= 0 && is_of(fd, CGROUP_SUPER_MAGIC))
		return err_set(e, -EINVAL,
			       "'%.150s' is a cgroup of version 1; name the one of version 2: the "
			       "line '0::' of /proc/PID/cgroup",
			       text);
	if (strstr(text, ".."))
		return err_set(e, -EINVAL, "'%.150s' is no plain path of a cgroup", text);
	clean_close(&fd);
	fd = openat(root_fd, *below ? below : ".", DIR_FLAGS | O_NOFOLLOW);
	if (fd < 0)
		return err_set(e, -errno,
			       "no cgroup '%.120s': %s; /proc/PID/cgroup tells that of a process",
			       text, strerror(errno));
	return take_fd(fd);
}

static void read_path(int fd, char ret[static PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, PATH_MAX - 1);
	ret[n > 0 ? n : 0] = '\0';
}

/* The path as it is below the mount of the hierarchy. */
static void name_it(int root_fd, struct attach_cgroup *c)
{
	char root[PATH_MAX];
	char path[PATH_MAX];
	size_t n;

	read_path(root_fd, root);
	read_path(c->fd, path);
	n = strlen(root);
	snprintf(c->path, sizeof(c->path), "%s",
		 strncmp(path, root, n) == 0 && path[n] == '/' ? path + n : path);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int attach_cgroup_open(const char *text, struct attach_cgroup *ret, struct pinfold_error *e)
{
	auto_close int root_fd = open_root();
	struct attach_cgroup c = { .fd = -1 };
	auto_close int fd = -1;
	struct stat root;
	struct stat st;

	if (root_fd < 0)
		return err_set(e, -EOPNOTSUPP,
			       "this host has no cgroup2 hierarchy mounted: mount -t cgroup2 none "
			       "/sys/fs/cgroup");
	if (strncmp(text, "0::", 3) == 0)
		text += 3;
	if (text[0] >= '0' && text[0] <= '9' && strchr(text, ':'))
		return err_set(e, -EINVAL,
			       "'%.150s' is a line of a version 1 hierarchy; the one that begins "
			       "with '0::' is wanted",
			       text);
	if (text[0] == '\0')
		return err_set(e, -EINVAL, "the path of a cgroup is wanted");
	fd = open_dir(root_fd, text, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || fstat(root_fd, &root) < 0)
		return err_set(e, -errno, "cannot look at '%.150s': %s", text, strerror(errno));
	if (same_file(&st, &root))
		return err_set(e, -EINVAL,
			       "'%.150s' is the root of all cgroups: what is meant has one of its "
			       "own",
			       text);
	c.fd = fd;
	c.id = st.st_ino; /* a cgroup's id is its inode number */
	name_it(root_fd, &c);
	c.fd = take_fd(fd);
	*ret = c;
	return 0;
}

bool attach_cgroup_is_gone(const struct attach_cgroup *c)
{
	auto_close int fd = openat(c->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);

	return fd < 0 && (errno == ENOENT || errno == ENODEV);
}
