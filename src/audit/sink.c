/* SPDX-License-Identifier: MIT */
#include "audit/sink.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clean.h"
#include "base/err.h"

#define MODE_OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* A file that somebody else can write or move lines in is no record. */
static int check_file(const struct stat *st, const char *path, struct pinfold_error *e)
{
	if (!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode))
		return err_set(
		    e, -ENOTSUP,
		    "the record '%s' is neither a file nor a FIFO; name one of these, or - for "
		    "standard error",
		    path);
	if (st->st_uid != 0 && st->st_uid != getuid() && st->st_uid != geteuid())
		return err_set(
		    e, -EPERM,
		    "the record '%s' belongs to uid %u; chown it to root, or name another file",
		    path, st->st_uid);
	if (st->st_mode & MODE_OTHERS_WRITE)
		return err_set(e, -EPERM,
			       "others can write the record '%s' (mode %04o); chmod go-w it", path,
			       st->st_mode & 07777);
	if (st->st_nlink > 1)
		return err_set(
		    e, -EPERM,
		    "the record '%s' has %lu names (hard links); name a file that has one", path,
		    (unsigned long)st->st_nlink);
	return 0;
}

static int open_named(const struct sink *s, int *ret_fd, enum sink_kind *ret_kind,
		      struct pinfold_error *e)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_close int fd = openat(s->dir_fd, s->name, flags | O_CLOEXEC, 0600);
	struct stat st;
	int r;

	if (fd < 0 && errno == ELOOP)
		return err_set(e, -ELOOP,
			       "the record '%s' is a symbolic link; name the file itself", s->path);
	if (fd < 0 && errno == ENXIO)
		return err_set(e, -ENXIO, "nobody reads the FIFO '%s'; start its reader first",
			       s->path);
	if (fd < 0)
		return err_set(e, -errno, "cannot open the record '%s': %s", s->path,
			       strerror(errno));
	if (fstat(fd, &st) != 0)
		return err_set(e, -errno, "cannot look at the record '%s': %s", s->path,
			       strerror(errno));
	r = check_file(&st, s->path, e);
	if (r < 0)
		return r;
	*ret_kind = S_ISREG(st.st_mode) ? SINK_FILE : SINK_STREAM;
	*ret_fd = take_fd(fd);
	return 0;
}

/* O_NONBLOCK belongs to the open file, which standard error shares with the caller's shell: a pipe
 * or terminal is opened again through /proc.  A file keeps its shared offset, else the other
 * writers would overwrite our lines. */
static int open_stderr(struct sink *s, struct pinfold_error *e)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) != 0)
		return err_set(e, -errno, "there is no standard error: %s", strerror(errno));
	s->kind = S_ISREG(st.st_mode)    ? SINK_FILE
		  : S_ISSOCK(st.st_mode) ? SINK_SOCKET
					 : SINK_STREAM;
	if (s->kind == SINK_STREAM)
		s->fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (s->fd >= 0)
		return 0;
	s->may_wait = s->kind == SINK_STREAM;
	s->fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s->fd < 0)
		return err_set(e, -errno, "cannot use standard error: %s", strerror(errno));
	return 0;
}

static int open_path(struct sink *s, const char *path, struct pinfold_error *e)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	auto_free char *dir = slash ? strndup(path, (size_t)(name - path)) : strdup(".");

	s->path = strdup(path);
	s->name = strdup(name);
	if (!dir || !s->path || !s->name)
		return err_set(e, -ENOMEM, "out of memory");
	if (name[0] == '\0')
		return err_set(e, -EISDIR, "the record '%s' is a directory; name a file in it",
			       path);
	s->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0)
		return err_set(e, -errno, "cannot open the directory of the record '%s': %s%s",
			       path, strerror(errno), errno == ENOENT ? "; make it first" : "");
	return open_named(s, &s->fd, &s->kind, e);
}

int sink_open(struct sink *s, const char *path, struct pinfold_error *e)
{
	struct sink made = { .fd = -1, .dir_fd = -1 };
	int r = 0;

	if (path && strcmp(path, "-") == 0)
		r = open_stderr(&made, e);
	else if (path)
		r = open_path(&made, path, e);
	if (r < 0) {
		sink_done(&made);
		return r;
	}
	*s = made;
	return 0;
}

int sink_reopen(struct sink *s, struct pinfold_error *e)
{
	struct stat st;
	int fd = -1;
	int r;

	if (!s->name)
		return 0;
	r = open_named(s, &fd, &s->kind, e);
	if (r < 0) {
		s->gone = fstat(s->fd, &st) != 0 || st.st_nlink == 0;
		return r;
	}
	close(s->fd);
	s->fd = fd;
	s->torn = false;
	s->gone = false;
	return 0;
}

bool sink_is_stale(const struct sink *s)
{
	struct stat ours;
	struct stat there;

	if (!s->name || fstat(s->fd, &ours) != 0)
		return false;
	if (fstatat(s->dir_fd, s->name, &there, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT;
	return ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

/* A closed pipe, a file-size limit or a terminal with `stty tostop` must not end or stop the
 * supervisor: while we write, their signals wait, and those that the write raised are taken. */
static ssize_t write_quietly(int fd, const char *buf, size_t len)
{
	static const struct timespec now = { 0, 0 };
	sigset_t quiet;
	sigset_t before;
	sigset_t saved;
	ssize_t done;
	int failure;

	sigemptyset(&quiet);
	sigaddset(&quiet, SIGPIPE);
	sigaddset(&quiet, SIGXFSZ);
	sigaddset(&quiet, SIGTTOU);
	sigpending(&before);
	pthread_sigmask(SIG_BLOCK, &quiet, &saved);
	do
		done = write(fd, buf, len);
	while (done < 0 && errno == EINTR);
	failure = errno;
	sigdelset(&quiet, SIGTTOU);
	if (sigismember(&before, SIGPIPE))
		sigdelset(&quiet, SIGPIPE);
	if (sigismember(&before, SIGXFSZ))
		sigdelset(&quiet, SIGXFSZ);
	if (done < 0 && (failure == EPIPE || failure == EFBIG))
		sigtimedwait(&quiet, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	errno = failure;
	return done;
}

static ssize_t send_quietly(int fd, const char *buf, size_t len)
{
	ssize_t done;

	do
		done = send(fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (done < 0 && errno == EINTR);
	return done;
}

static bool would_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT);
}

int sink_write(struct sink *s, const char *line, size_t len)
{
	char buf[1 + SINK_LINE_MAX];
	size_t all = s->torn ? len + 1 : len;
	const char *from = s->torn ? buf : buf + 1;
	ssize_t done;

	assert(len <= SINK_LINE_MAX);
	if (s->kind == SINK_NONE)
		return 0;
	if (s->gone)
		return -ENOENT;
	if (s->may_wait && would_wait(s->fd))
		return -EAGAIN;
	buf[0] = '\n';
	memcpy(buf + 1, line, len);
	done = s->kind == SINK_SOCKET ? send_quietly(s->fd, from, all)
				      : write_quietly(s->fd, from, all);
	if (done < 0)
		return -errno;
	if (done == 0)
		return -EIO;
	/* Only the newline that ends the torn line: then that one is mended, this one not begun. */
	s->torn = (size_t)done != all && !(s->torn && done == 1);
	return (size_t)done == all ? 0 : -EIO;
}

void sink_done(struct sink *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	free(s->name);
	free(s->path);
	*s = (struct sink){ .fd = -1, .dir_fd = -1 };
}
