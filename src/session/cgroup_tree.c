/* SPDX-License-Identifier: MIT */
#include "session/cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>

#include <linux/magic.h>

#include "base/clean.h"
#include "session/cgroup.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MAKE_TRIES 10000
#define RETRY_NS 1000000

static void clean_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define auto_dir __attribute__((cleanup(clean_dir)))

int64_t cgroup_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = RETRY_NS }, NULL);
}

bool cgroup_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text) {
		size_t n = strcspn(text, " ,\n");

		if (n == len && strncmp(text, word, len) == 0)
			return true;
		text += n;
		text += strspn(text, " ,\n");
	}
	return false;
}

bool cgroup_id_is_sane(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	return n > 0 && n <= CGROUP_ID_MAX && name[n] == '\0';
}

/* The kernel writes blanks and backslashes of a path as \ooo. */
static int unescape(const char *text, size_t len, char ret[static PATH_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (n + 1 >= PATH_MAX)
			return -ENAMETOOLONG;
		if (text[i] == '\\' && len - i > 3) {
			ret[n++] = (char)((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
					  (text[i + 3] - '0'));
			i += 3;
		} else {
			ret[n++] = text[i];
		}
	}
	ret[n] = '\0';
	return 0;
}

/* One line: "ID PARENT DEV ROOT MOUNTPOINT OPTIONS [TAGS] - TYPE SOURCE SUPEROPTIONS". */
static int root_of_line(const char *line, size_t len, const char *controller)
{
	char text[PATH_MAX * 2];
	char where[PATH_MAX];
	char type[32];
	char options[256];
	int from = 0;
	int to = 0;
	struct statfs fs;

	if (len >= sizeof(text))
		return -ENOENT;
	memcpy(text, line, len);
	text[len] = '\0';

	const char *tail = strstr(text, " - ");

	if (!tail || sscanf(text, "%*s %*s %*s %*s %n%*s%n", &from, &to) < 0 || to <= from ||
	    sscanf(tail, " - %31s %*s %255s", type, options) != 2)
		return -ENOENT;
	if (strcmp(type, controller ? "cgroup" : "cgroup2") != 0 ||
	    (controller && !cgroup_has_word(options, controller)))
		return -ENOENT;
	if (unescape(text + from, (size_t)(to - from), where) < 0)
		return -ENOENT;

	auto_close int fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Another mount may cover it, as ip-netns(8) does with /sys. */
	if (fd < 0 || fstatfs(fd, &fs) < 0 ||
	    (unsigned)fs.f_type != (controller ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC))
		return -ENOENT;
	return take_fd(fd);
}

int cgroup_find_root(const char *mountinfo, const char *controller)
{
	for (const char *line = mountinfo; *line;) {
		size_t len = strcspn(line, "\n");
		int fd = root_of_line(line, len, controller);

		if (fd >= 0)
			return fd;
		line += len;
		line += *line == '\n';
	}
	return -ENOENT;
}

/* Whether slice_fd/id is still the directory behind dir_fd. */
static bool is_there(int slice_fd, const char *id, int dir_fd)
{
	struct stat mine;
	struct stat named;

	return fstat(dir_fd, &mine) == 0 &&
	       fstatat(slice_fd, id, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

/* Removes what was just made and returns the error that made it useless. */
static int give_back(int slice_fd, const char *id)
{
	int saved = errno;

	unlinkat(slice_fd, id, AT_REMOVEDIR);
	return -saved;
}

/* One attempt.  -EAGAIN: someone removed a directory between two steps. */
static int try_make(int root_fd, const char *slice, const char *id)
{
	auto_close int slice_fd = -1;
	auto_close int dir_fd = -1;

	if (mkdirat(root_fd, slice, 0755) < 0 && errno != EEXIST)
		return -errno;
	slice_fd = openat(root_fd, slice, DIR_FLAGS);
	if (slice_fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (mkdirat(slice_fd, id, 0755) < 0) /* ENODEV: the slice is being removed */
		return errno == ENOENT || errno == ENODEV ? -EAGAIN : -errno;
	dir_fd = openat(slice_fd, id, DIR_FLAGS);
	if (dir_fd < 0 && errno == ENOENT)
		return -EAGAIN;
	if (dir_fd < 0)
		return give_back(slice_fd, id);
	/* A sweep that took it for a leftover holds the lock until it is gone. */
	while (flock(dir_fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return give_back(slice_fd, id);
	return is_there(slice_fd, id, dir_fd) ? take_fd(dir_fd) : -EAGAIN;
}

int cgroup_make(int root_fd, const char *slice, const char *id)
{
	int r = -EAGAIN;

	for (int i = 0; r == -EAGAIN && i < MAKE_TRIES; i++)
		r = try_make(root_fd, slice, id);
	return r == -EAGAIN ? -EBUSY : r;
}

/* The first subdirectory's name.  0: there is none; 1: found; -errno. */
static int first_child(int dir_fd, char ret[static NAME_MAX + 1])
{
	auto_close int fd = openat(dir_fd, ".", DIR_FLAGS);
	auto_dir DIR *d = NULL;
	const struct dirent *entry;

	if (fd < 0)
		return -errno;
	d = fdopendir(fd);
	if (!d)
		return -errno;
	(void)take_fd(fd);
	while ((entry = readdir(d)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0) {
			(void)snprintf(ret, NAME_MAX + 1, "%s", entry->d_name);
			return 1;
		}
	return 0;
}

/* Removes one directory that has none below it.  1: done; 0: nothing is below dir_fd; -errno. */
static int remove_a_leaf(int dir_fd)
{
	auto_close int at = openat(dir_fd, ".", DIR_FLAGS);
	char name[NAME_MAX + 1];
	char below[NAME_MAX + 1];
	int r;

	if (at < 0)
		return -errno;
	r = first_child(at, name);
	while (r > 0) {
		auto_close int next = openat(at, name, DIR_FLAGS);

		if (next < 0)
			return -errno;
		r = first_child(next, below);
		if (r < 0)
			return r;
		if (r == 0)
			return unlinkat(at, name, AT_REMOVEDIR) < 0 ? -errno : 1;
		memcpy(name, below, sizeof(name));
		close(at);
		at = take_fd(next);
	}
	return r;
}

static int remove_tree(int slice_fd, const char *id)
{
	auto_close int dir_fd = openat(slice_fd, id, DIR_FLAGS);
	int r;

	if (dir_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	do
		r = remove_a_leaf(dir_fd);
	while (r > 0);
	if (r < 0)
		return r;
	return unlinkat(slice_fd, id, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

int cgroup_unmake(int root_fd, const char *slice, const char *id, int64_t deadline_ms)
{
	auto_close int slice_fd = openat(root_fd, slice, DIR_FLAGS);
	int r;

	if (slice_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	for (;;) {
		r = remove_tree(slice_fd, id);
		if (r != -EBUSY && r != -ENOTEMPTY)
			break;
		if (cgroup_now_ms() >= deadline_ms)
			return -EBUSY;
		pause_briefly();
	}
	/* EBUSY is the usual answer: it holds other sessions. */
	if (r == 0)
		unlinkat(root_fd, slice, AT_REMOVEDIR);
	return r;
}
