/* SPDX-License-Identifier: MIT */
/* The directories and files of the queue. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define FEW 32

int queue_open_dir(const char *path, mode_t shut, struct pinfold_error *e)
{
	auto_close int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set(e, -errno, "cannot make '%s': %s%s", path, strerror(errno),
			       geteuid() ? "; approvals need root" : "");
	fd = open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "cannot open '%s': %s%s", path, strerror(errno),
			       geteuid() ? "; approvals need root" : "");
	if (st.st_uid != 0 || (st.st_mode & shut))
		return err_set(e, -EPERM, "'%s' has to be root's alone (mode 0700)", path);
	return take_fd(fd);
}

int queue_open(struct pinfold_error *e)
{
	/* The outer directory goes away with the last session; then it is made again. */
	for (int i = 0;; i++) {
		int fd = queue_open_dir(QUEUE_RUN_DIR, 022, e);

		if (fd < 0)
			return fd;
		close(fd);
		fd = queue_open_dir(QUEUE_DIR, 077, e);
		if (fd != -ENOENT || i == 8)
			return fd;
	}
}

bool queue_is_id(const char *id)
{
	return strlen(id) == QUEUE_ID_LEN &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz234567") == QUEUE_ID_LEN;
}

void queue_hash(const char *text, size_t len, char ret[static QUEUE_HASH_LEN + 1])
{
	SHA256Data((const uint8_t *)text, len, ret);
}

int queue_put(int dir, const char *name, const char *text)
{
	char temporary[64];
	uint64_t random;
	int r;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(temporary, sizeof(temporary), QUEUE_NEW ".%016llx", (unsigned long long)random);
	{
		auto_close int fd = openat(
		    dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0)
			return -errno;
		r = io_write_full(fd, text, strlen(text));
	}
	if (r == 0 && linkat(dir, temporary, dir, name, 0) < 0)
		r = -errno;
	unlinkat(dir, temporary, 0);
	return r;
}

/* Somebody waits as long as somebody holds the lock. */
static bool is_alive(int request)
{
	if (flock(request, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(request, LOCK_UN);
	return false;
}

static int open_request(int queue, const char *id)
{
	int fd = openat(queue, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int queue_open_request(int queue, const char *id)
{
	auto_close int fd = queue_is_id(id) ? open_request(queue, id) : -ENOENT;

	if (fd < 0)
		return fd;
	if (!is_alive(fd) || faccessat(fd, QUEUE_REQUEST, F_OK, 0) < 0)
		return -ENOENT;
	return take_fd(fd);
}

int queue_lock_request(int request)
{
	auto_close int fd = openat(request, QUEUE_REQUEST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || flock(fd, LOCK_EX) < 0 || fstat(fd, &st) < 0)
		return -errno;
	return st.st_nlink ? take_fd(fd) : -ENOENT;
}

static DIR *open_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

void queue_remove(int queue, const char *id)
{
	auto_close int fd = open_request(queue, id);
	auto_close int lock = fd < 0 ? -1 : queue_lock_request(fd);
	DIR *d = fd < 0 ? NULL : open_list(fd);

	/* First the request, under its lock: whoever gets the lock later finds nothing to decide,
	 * though the decision's name is free again. */
	if (lock >= 0)
		unlinkat(fd, QUEUE_REQUEST, 0);
	for (const struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d))
		if (f->d_name[0] != '.')
			unlinkat(fd, f->d_name, 0);
	if (d)
		closedir(d);
	unlinkat(queue, id, AT_REMOVEDIR);
}

/* Those who make a request hold the queue's lock for reading meanwhile. */
static bool lock_for_sweeping(int queue)
{
	return flock(queue, LOCK_EX | LOCK_NB) == 0;
}

int queue_sweep(int queue)
{
	const bool may = lock_for_sweeping(queue);
	DIR *d = open_list(queue);
	int waiting = 0;

	for (const struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d)) {
		auto_close int fd = -1;

		if (!queue_is_id(f->d_name))
			continue;
		fd = open_request(queue, f->d_name);
		if (fd >= 0 && is_alive(fd))
			waiting++;
		else if (fd >= 0 && may)
			queue_remove(queue, f->d_name);
	}
	if (d)
		closedir(d);
	if (may)
		flock(queue, LOCK_UN);
	return waiting;
}

int queue_sweep_lightly(int queue)
{
	DIR *d = open_list(queue);
	int n = 0;

	for (const struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d))
		n += queue_is_id(f->d_name);
	if (d)
		closedir(d);
	return n < FEW || n >= QUEUE_PENDING_MAX || n % FEW == 0 ? queue_sweep(queue) : n;
}

void queue_who(char ret[static QUEUE_BY_MAX])
{
	const char *invoked = geteuid() == 0 ? getenv("SUDO_USER") : NULL;
	const struct passwd *pw = getpwuid(getuid());

	if (invoked && invoked[0])
		snprintf(ret, QUEUE_BY_MAX, "%s", invoked);
	else if (pw)
		snprintf(ret, QUEUE_BY_MAX, "%s", pw->pw_name);
	else
		snprintf(ret, QUEUE_BY_MAX, "uid %u", (unsigned)getuid());
}
