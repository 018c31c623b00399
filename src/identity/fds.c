/* SPDX-License-Identifier: MIT */
/* Which descriptors may pass into a session. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "identity/identity.h"

#define STDIO_END 3

#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC 0x50494446 /* since Linux 6.9 */
#endif
#define CONFIGFS_MAGIC 0x62656570

/* Files that are doors into the kernel or to other processes. */
static const struct {
	unsigned magic;
	const char *name;
} kernel_fs[] = {
	{ PROC_SUPER_MAGIC, "proc" },     { SYSFS_MAGIC, "sysfs" },
	{ CGROUP_SUPER_MAGIC, "cgroup" }, { CGROUP2_SUPER_MAGIC, "cgroup" },
	{ BPF_FS_MAGIC, "bpf" },          { NSFS_MAGIC, "namespace" },
	{ PID_FS_MAGIC, "process" },      { DEBUGFS_MAGIC, "debugfs" },
	{ TRACEFS_MAGIC, "tracefs" },     { SECURITYFS_MAGIC, "securityfs" },
	{ CONFIGFS_MAGIC, "configfs" },   { EFIVARFS_MAGIC, "efivarfs" },
	{ SELINUX_MAGIC, "selinux" },     { SMACK_MAGIC, "smack" },
};

/* Anonymous kernel objects that carry data and no authority. */
static const char *const harmless_anon[] = { "anon_inode:[eventfd]", "anon_inode:[timerfd]",
					     "anon_inode:[signalfd]", "anon_inode:[eventpoll]",
					     "anon_inode:inotify" };

static int check_socket(int fd, struct pinfold_error *e)
{
	struct sockaddr_storage peer;
	socklen_t peer_len = sizeof(peer);
	int domain = -1;
	int type = -1;
	int listening = 0;
	socklen_t len = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) < 0)
		return err_set(e, -errno, "descriptor %d: unreadable socket", fd);
	if (domain == AF_INET || domain == AF_INET6)
		return err_set(e, -EPERM,
			       "descriptor %d is a network socket made outside: the network fence "
			       "can't see it; give the command a pipe or /dev/null instead",
			       fd);
	if (domain != AF_UNIX)
		return err_set(e, -EPERM, "descriptor %d is a socket of address family %d", fd,
			       domain);
	/* One that can still connect or choose its peer was made outside of the unix fence. */
	if (type == SOCK_DGRAM)
		return err_set(e, -EPERM, "descriptor %d is a unix datagram socket", fd);
	if (!listening && getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0)
		return err_set(e, -EPERM, "descriptor %d is a unix socket without a peer", fd);
	return 0;
}

/* Whether the link of an anonymous object names a harmless one. */
static bool anon_is_harmless(int fd)
{
	char path[32];
	char link[64];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(harmless_anon); i++)
		if (strcmp(link, harmless_anon[i]) == 0)
			return true;
	return false;
}

static int check_filesystem(int fd, struct pinfold_error *e)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return err_set(e, -errno, "descriptor %d: %s", fd, strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(kernel_fs); i++)
		if ((unsigned)fs.f_type == kernel_fs[i].magic)
			return err_set(e, -EPERM,
				       "descriptor %d is a %s file: it reaches past the fences", fd,
				       kernel_fs[i].name);
	if ((unsigned)fs.f_type == ANON_INODE_FS_MAGIC && !anon_is_harmless(fd))
		return err_set(e, -EPERM, "descriptor %d is a kernel object that may not pass", fd);
	return 0;
}

static int check_fd(int fd, struct pinfold_error *e)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 && errno == EBADF && fd >= 0 && fd < STDIO_END)
		return 0; /* identity_close_fds puts /dev/null there */
	if (flags < 0 && errno == EBADF)
		return err_set(e, -EBADF, "descriptor %d is not open", fd);
	if (flags < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "descriptor %d: %s", fd, strerror(errno));
	if (flags & O_PATH)
		return err_set(e, -EPERM, "descriptor %d is an O_PATH handle", fd);
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		return err_set(e, -EPERM,
			       "descriptor %d is a directory: names can be looked up below it", fd);
	case S_IFBLK:
		return err_set(e, -EPERM, "descriptor %d is a block device", fd);
	case S_IFSOCK:
		return check_socket(fd, e);
	default:
		return check_filesystem(fd, e);
	}
}

int identity_check_fds(const int *keep, size_t n, struct pinfold_error *e)
{
	int r = 0;

	for (int fd = 0; r == 0 && fd < STDIO_END; fd++)
		r = check_fd(fd, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = check_fd(keep[i], e);
	return r;
}

static int close_between(unsigned first, unsigned last)
{
	if (first > last)
		return 0;
	return syscall(SYS_close_range, first, last, 0) < 0 ? -errno : 0;
}

int identity_close_fds(const int *keep, size_t n)
{
	unsigned next = STDIO_END;
	int r;

	for (size_t i = 0; i < n; i++) {
		if (keep[i] < 0)
			return -EBADF;
		if ((unsigned)keep[i] < next)
			continue;
		if ((unsigned)keep[i] > next) {
			r = close_between(next, (unsigned)keep[i] - 1);
			if (r < 0)
				return r;
		}
		next = (unsigned)keep[i] + 1;
	}
	r = close_between(next, UINT_MAX);
	if (r < 0)
		return r;
	for (int fd = 0; fd < STDIO_END; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		r = open("/dev/null", O_RDWR | O_NOCTTY);
		if (r < 0)
			return -errno;
		if (r != fd) /* the lowest free one is the first hole */
			return -EBADF;
	}
	return 0;
}
