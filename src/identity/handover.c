/* SPDX-License-Identifier: MIT */
/*
 * DOC: why a link count is not enough
 *
 * A file with one link that lies in the workspace lies nowhere else, so giving it away harms
 * nobody.  But a hard link to a foreign file that is removed between our look at the name and our
 * look at the count has one link as well: the foreign one.  So the count is read, then the name is
 * looked up again, and count and ctime with it.  Linking and unlinking set the ctime by a clock
 * that ticks every few milliseconds; where the ctime is older than a few ticks, an unchanged one
 * proves that nothing happened in between, and so the one link was this name.
 */
#include "identity/handover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"
#include "base/err.h"

#define ENTRIES_MAX 10000000
#define SETTLED_NS 30000000LL /* more than a tick of the slowest kernel (100 Hz) */
#define WAIT_NS 10000000L
#define WAITS_MAX 100 /* in all, for files that changed just now */
#define TRIES_MAX 8

struct walk {
	uid_t uid;
	gid_t gid;
	int root;
	char **dir; /* still to be walked, relative to the root */
	size_t n_dirs;
	size_t room;
	uint64_t entries;
	unsigned waits;
	struct handover done;
};

static int open_beneath(int dir, const char *name, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_NOFOLLOW | O_CLOEXEC,
				.resolve =
				    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* name "" is the open file itself. */
static int look(int fd, const char *name, struct statx *ret)
{
	const unsigned want = STATX_BASIC_STATS;

	if (statx(fd, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, want, ret) < 0)
		return -errno;
	return (ret->stx_mask & want) == want ? 0 : -EOPNOTSUPP;
}

static bool is_same(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major &&
	       a->stx_dev_minor == b->stx_dev_minor && a->stx_nlink == b->stx_nlink &&
	       a->stx_ctime.tv_sec == b->stx_ctime.tv_sec &&
	       a->stx_ctime.tv_nsec == b->stx_ctime.tv_nsec;
}

static bool is_settled(const struct statx *s)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME_COARSE, &now) < 0)
		return false;
	return (now.tv_sec - s->stx_ctime.tv_sec) * 1000000000LL + now.tv_nsec -
		   (long long)s->stx_ctime.tv_nsec >
	       SETTLED_NS;
}

/* Whether the open file has this name and no other.  -EAGAIN: it changes, ask again. */
static int has_only_this_name(int dir, const char *name, const struct statx *first)
{
	struct statx again;
	int r;

	if (S_ISDIR(first->stx_mode))
		return 1;
	if (first->stx_nlink != 1)
		return 0;
	if (!is_settled(first))
		return -EAGAIN;
	r = look(dir, name, &again);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return is_same(first, &again) ? 1 : -EAGAIN;
}

static void wait_a_little(struct walk *w)
{
	struct timespec pause = { .tv_nsec = WAIT_NS };

	w->waits++;
	nanosleep(&pause, NULL);
}

static bool may_be_given(const struct statx *s)
{
	return !S_ISCHR(s->stx_mode) && !S_ISBLK(s->stx_mode);
}

/* The kernel takes set-id bits and capabilities away, but for a set-group-id bit without the right
 * to execute. */
static int take_set_ids(int fd)
{
	char path[32];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode) || !(st.st_mode & (S_ISUID | S_ISGID)))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return chmod(path, st.st_mode & 01777) < 0 ? -errno : 0;
}

static int give(struct walk *w, int dir, const char *name, int fd, struct statx *s)
{
	int r = -EAGAIN;

	for (int i = 0; r == -EAGAIN && i < TRIES_MAX; i++) {
		r = has_only_this_name(dir, name, s);
		if (r == -EAGAIN && w->waits == WAITS_MAX)
			break;
		if (r == -EAGAIN)
			wait_a_little(w);
		if (r == -EAGAIN && look(fd, "", s) < 0)
			return -errno;
	}
	if (r < 0 && r != -EAGAIN)
		return r;
	if (r != 1 || !may_be_given(s)) {
		w->done.left++;
		return 0;
	}
	if (fchownat(fd, "", w->uid, w->gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	w->done.given++;
	return s->stx_mode & (S_ISUID | S_ISGID) ? take_set_ids(fd) : 0;
}

static int push(struct walk *w, const char *dir, const char *name)
{
	if (w->n_dirs == w->room) {
		size_t room = w->room ? 2 * w->room : 256;
		char **bigger = reallocarray(w->dir, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		w->dir = bigger;
		w->room = room;
	}
	if (asprintf(&w->dir[w->n_dirs], "%s/%s", dir, name) < 0)
		return -ENOMEM;
	w->n_dirs++;
	return 0;
}

static int visit(struct walk *w, int dir, const char *dir_path, const char *name)
{
	auto_close int fd = open_beneath(dir, name, O_PATH);
	struct statx s;
	int r;

	if (++w->entries > ENTRIES_MAX)
		return -E2BIG;
	if (fd == -EXDEV)
		w->done.left++;
	if (fd < 0)
		return fd == -EXDEV || fd == -ENOENT || fd == -EAGAIN ? 0 : fd;
	r = look(fd, "", &s);
	if (r == 0 && s.stx_uid != w->uid)
		r = give(w, dir, name, fd, &s);
	return r == 0 && S_ISDIR(s.stx_mode) ? push(w, dir_path, name) : r;
}

static int walk_dir(struct walk *w, const char *path)
{
	int fd = open_beneath(w->root, path, O_RDONLY | O_DIRECTORY);
	const struct dirent *entry;
	int r = 0;

	/* Gone or replaced: somebody is at work there, and what is new is theirs. */
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EXDEV ||
			       fd == -EAGAIN
			   ? 0
			   : fd;
	DIR *d = fdopendir(fd);

	if (!d) {
		r = -errno;
		close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = visit(w, fd, path, entry->d_name);
	closedir(d);
	return r;
}

static int walk_all(struct walk *w)
{
	struct statx s;
	int r = look(w->root, "", &s);

	if (r == 0 && s.stx_uid != w->uid)
		r = give(w, w->root, ".", w->root, &s);
	if (r == 0)
		r = walk_dir(w, ".");
	while (r == 0 && w->n_dirs > 0) {
		auto_free char *path = w->dir[--w->n_dirs];

		r = walk_dir(w, path);
	}
	for (size_t i = 0; i < w->n_dirs; i++)
		free(w->dir[i]);
	free(w->dir);
	return r;
}

/* ---- once ----------------------------------------------------------------------------------- */

static int mark_name(int root, uid_t uid, char *ret, size_t size)
{
	struct statx s;

	if (statx(root, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &s) < 0)
		return -errno;
	snprintf(ret, size, "%u:%u-%llu-%lld.%u-%u", s.stx_dev_major, s.stx_dev_minor,
		 (unsigned long long)s.stx_ino, (long long)s.stx_btime.tv_sec, s.stx_btime.tv_nsec,
		 (unsigned)uid);
	return 0;
}

static int open_marks(const char *path)
{
	char at[PATH_MAX];
	int fd;

	for (size_t n = 1; n <= strlen(path); n++) {
		if (path[n] != '/' && path[n] != '\0')
			continue;
		if (snprintf(at, sizeof(at), "%.*s", (int)n, path) >= (int)sizeof(at))
			return -ENAMETOOLONG;
		if (mkdir(at, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int give_once(struct walk *w, const char *marks)
{
	auto_close int dir = marks ? open_marks(marks) : -1;
	char name[160];
	struct stat st;
	int r = mark_name(w->root, w->uid, name, sizeof(name));

	if (marks && dir < 0)
		return dir;
	if (r < 0)
		return r;
	if (marks && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	r = walk_all(w);
	if (r < 0 || !marks)
		return r;
	auto_close int mark = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return mark < 0 ? -errno : 0;
}

int identity_handover(const char *dir, uid_t uid, gid_t gid, const char *marks,
		      struct handover *ret, struct pinfold_error *e)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	auto_free char *real = realpath(dir, NULL);
	auto_close int root =
	    real ? (int)syscall(SYS_openat2, AT_FDCWD, real, &how, sizeof(how)) : -1;
	struct walk w = { .uid = uid, .gid = gid, .root = root };

	if (root < 0)
		return err_set(e, -errno, "cannot open '%s': %s", dir, strerror(errno));
	if (strcmp(real, "/") == 0)
		return err_set(e, -EINVAL, "identity.handover: '/' is given to nobody");
	int r = give_once(&w, marks);

	if (r < 0)
		return err_set(e, r, "cannot give what lies in '%s' to uid %u: %s", dir,
			       (unsigned)uid, strerror(-r));
	*ret = w.done;
	return 0;
}
