/* SPDX-License-Identifier: MIT */
#include "session/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/clean.h"
#include "base/io.h"
#include "session/cgroup_tree.h"

#define BACKLOG 16
#define MAKE_TRIES 16
#define FILE_NAME_MAX 80

/* ---- the directory -------------------------------------------------------------------------- */

enum absent { ABSENT_FAIL = 0, ABSENT_MAKE };

/* The directory, locked (how: flock's words): nobody makes or removes anything in it meanwhile.
 * -EPERM: it is not root's alone. */
static int lock_dir(int how, enum absent absent)
{
	for (int i = 0; i < MAKE_TRIES; i++) {
		auto_close int fd = open(CONTROL_DIR, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		struct stat here;
		struct stat there;

		if (fd < 0 && errno == ENOENT && absent == ABSENT_MAKE &&
		    (mkdir(CONTROL_DIR, 0700) == 0 || errno == EEXIST))
			continue;
		if (fd < 0 || flock(fd, how) < 0 || fstat(fd, &here) < 0)
			return -errno;
		/* What root made for others to look into, an administrator for example, is closed;
		 * what others could write may hold anything. */
		if (here.st_uid != 0 || (here.st_mode & 022) != 0 || fchmod(fd, 0700) < 0)
			return -EPERM;
		/* Whoever had the lock may have removed it. */
		if (lstat(CONTROL_DIR, &there) == 0 && there.st_ino == here.st_ino &&
		    there.st_dev == here.st_dev)
			return take_fd(fd);
	}
	return -EBUSY;
}

static int address(const char *id, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), CONTROL_DIR "/%s" CONTROL_SUFFIX, id);
	return n < 0 || (size_t)n >= sizeof(ret->sun_path) ? -ENAMETOOLONG : 0;
}

int control_open(struct control *c, const char *id)
{
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	auto_close int dir = -1;
	struct sockaddr_un sa;
	int r = address(id, &sa);

	if (fd < 0)
		return -errno;
	if (r < 0)
		return r;
	dir = lock_dir(LOCK_EX, ABSENT_MAKE);
	if (dir < 0)
		return dir;
	if (bind(fd, (const struct sockaddr *)&sa, sizeof(sa)) < 0)
		return -errno;
	if (listen(fd, BACKLOG) < 0) {
		r = -errno;
		unlink(sa.sun_path);
		return r;
	}
	c->listener = take_fd(fd);
	return 0;
}

void control_remove(const char *id)
{
	auto_close int dir = lock_dir(LOCK_EX, ABSENT_FAIL);
	char name[FILE_NAME_MAX];

	if (dir < 0 || snprintf(name, sizeof(name), "%s" CONTROL_SUFFIX, id) < 0)
		return;
	unlinkat(dir, name, 0);
	rmdir(CONTROL_DIR); /* only when it is empty */
}

/* A full queue is a sign of life, too. */
static bool is_dead(const char *id)
{
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un sa;

	return fd >= 0 && address(id, &sa) == 0 &&
	       connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) < 0 && errno == ECONNREFUSED;
}

void control_sweep(void)
{
	auto_close int dir = lock_dir(LOCK_EX | LOCK_NB, ABSENT_FAIL);
	int copy = dir < 0 ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char id[FILE_NAME_MAX];
		size_t len = strlen(entry->d_name);
		const size_t end = sizeof(CONTROL_SUFFIX) - 1;

		if (len <= end || len >= sizeof(id) ||
		    strcmp(entry->d_name + len - end, CONTROL_SUFFIX) != 0)
			continue;
		memcpy(id, entry->d_name, len - end);
		id[len - end] = '\0';
		if (cgroup_id_is_sane(id) && is_dead(id))
			unlinkat(dir, entry->d_name, 0);
	}
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

/* ---- peers ---------------------------------------------------------------------------------- */

static void drop(struct control_peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

void control_done(struct control *c)
{
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		drop(&c->peer[i]);
	if (c->listener >= 0)
		close(c->listener);
	c->listener = -1;
}

static size_t free_place(struct control *c)
{
	size_t oldest = 0;

	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++) {
		if (c->peer[i].fd < 0)
			return i;
		if (c->peer[i].since_us < c->peer[oldest].since_us)
			oldest = i;
	}
	drop(&c->peer[oldest]);
	return oldest;
}

int control_accept(struct control *c, uint64_t now_us)
{
	auto_close int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred who;
	socklen_t len = sizeof(who);
	size_t place;

	if (fd < 0)
		return -errno;
	/* The directory keeps others out; this is a second lock on the same door. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0 || who.uid != 0)
		return -EPERM;
	place = free_place(c);
	c->peer[place] = (struct control_peer){ take_fd(fd), now_us };
	return (int)place;
}

static bool is_sane(const struct control_request *r)
{
	size_t len = strnlen(r->path, sizeof(r->path));

	if (r->version != CONTROL_VERSION || r->verb == CONTROL_NONE || r->verb >= CONTROL_VERBS)
		return false;
	if (r->verb != CONTROL_RELOAD)
		return len == 0;
	return len < sizeof(r->path) && r->path[0] == '/';
}

int control_receive(struct control *c, size_t peer, struct control_request *ret)
{
	struct control_peer *p = &c->peer[peer];
	struct control_request r;
	ssize_t n;

	if (p->fd < 0)
		return -EBADF;
	/* MSG_TRUNC: the true length, so that a longer one is noticed. */
	n = recv(p->fd, &r, sizeof(r), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != sizeof(r) || !is_sane(&r)) {
		drop(p);
		return n <= 0 ? -EPIPE : -EBADMSG;
	}
	*ret = r;
	return 1;
}

/* A file in memory that nobody can change any more. */
static int memory_file(const char *text)
{
	auto_close int fd = memfd_create("pinfold", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return -errno;
	r = io_write_full(fd, text, strlen(text));
	if (r < 0)
		return r;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	return take_fd(fd);
}

void control_answer(struct control *c, size_t peer, const struct control_reply *reply,
		    const char *text)
{
	auto_close int file = text ? memory_file(text) : -1;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = 0 } };
	struct control_reply body = *reply;
	struct iovec io = { .iov_base = &body, .iov_len = sizeof(body) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };

	if (text && file < 0 && body.error == 0) {
		body.error = file;
		snprintf(body.text, sizeof(body.text), "no memory for the answer");
	}
	if (file >= 0) {
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
	}
	sendmsg(c->peer[peer].fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	drop(&c->peer[peer]);
}

void control_tick(struct control *c, uint64_t now_us)
{
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		if (c->peer[i].fd >= 0 && now_us - c->peer[i].since_us > CONTROL_PATIENCE_US)
			drop(&c->peer[i]);
}
