/* SPDX-License-Identifier: MIT */
#include "agents/registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <sha2.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define HEAD "pinfold 1\n"
#define FILE_MAX (sizeof(HEAD) + (size_t)2 * (REGISTRY_KEY_MAX + 1))
#define NEW_NAME ".new"
#define NAME_LEN (SHA256_DIGEST_STRING_LENGTH - 1)
#define FORGET_SHARE 8 /* one in so many goes when there is no more room */

bool registry_key_is_sound(const char *key)
{
	size_t len = strlen(key);

	if (len == 0 || len > REGISTRY_KEY_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)key[i] < ' ' || key[i] == '\x7f')
			return false;
	return true;
}

/* ---- the directory --------------------------------------------------------------------------- */

int registry_default_dir(char ret[static PATH_MAX])
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	int n;

	if (geteuid() == 0)
		n = snprintf(ret, PATH_MAX, "%s", REGISTRY_DIR);
	else if (run && run[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/pinfold/agents", run);
	else
		return -ENOENT;
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int make(const char *dir)
{
	char parent[PATH_MAX];
	char *slash;

	if (snprintf(parent, sizeof(parent), "%s", dir) >= (int)sizeof(parent))
		return -ENAMETOOLONG;
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		*slash = '\0';
		if (mkdir(parent, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	return mkdir(dir, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int registry_open(const char *dir, enum registry_open how, struct registry *ret,
		  struct pinfold_error *e)
{
	auto_close int fd = -1;
	char by_default[PATH_MAX];
	struct stat st = { 0 };
	int r = dir ? 0 : registry_default_dir(by_default);

	if (r < 0)
		return err_set(e, r, "no directory for the registry of sessions: name one");
	dir = dir ? dir : by_default;
	r = how == REGISTRY_MAKE ? make(dir) : 0;
	if (r == 0) {
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;
	}
	if (r < 0)
		return err_set(e, r, "the registry of sessions '%s': %s", dir, strerror(-r));
	if (st.st_uid != geteuid() || st.st_mode & 0022)
		return err_set(e, -EPERM,
			       "the registry of sessions '%s' is not the caller's alone: chmod 700",
			       dir);
	ret->dir = take_fd(fd);
	return 0;
}

void registry_done(struct registry *r)
{
	if (r->dir >= 0)
		close(r->dir);
	r->dir = -1;
}

/* ---- one entry ------------------------------------------------------------------------------- */

struct entry {
	char key[REGISTRY_KEY_MAX + 1];
	char parent[REGISTRY_KEY_MAX + 1]; /* empty: nobody */
};

static void file_name(const char *key, char ret[static NAME_LEN + 1])
{
	SHA256Data((const uint8_t *)key, strlen(key), ret);
}

/* Takes a line out of text; NULL: it is too long or has no end. */
static char *take_line(char *text, char ret[static REGISTRY_KEY_MAX + 1])
{
	char *end = strchr(text, '\n');

	if (!end || end - text > REGISTRY_KEY_MAX)
		return NULL;
	memcpy(ret, text, (size_t)(end - text));
	ret[end - text] = '\0';
	return end + 1;
}

/* 1: read; 0: there is none.  A file that is not whole is none: what it said is forgotten. */
static int read_entry(const struct registry *r, const char *key, struct entry *ret)
{
	auto_free char *text = NULL;
	char name[NAME_LEN + 1];
	size_t len;
	char *at;
	int n;

	file_name(key, name);
	n = io_read_file(r->dir, name, FILE_MAX, &text, &len);
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return n;
	if (strlen(text) != len || strncmp(text, HEAD, strlen(HEAD)) != 0)
		return 0;
	at = take_line(text + strlen(HEAD), ret->key);
	at = at ? take_line(at, ret->parent) : NULL;
	return at && *at == '\0' && strcmp(ret->key, key) == 0;
}

static int write_entry(const struct registry *r, const char *key, const char *parent)
{
	auto_close int fd =
	    openat(r->dir, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	char text[FILE_MAX + 1];
	char name[NAME_LEN + 1];
	int n = snprintf(text, sizeof(text), HEAD "%s\n%s\n", key, parent);
	int rc;

	if (fd < 0)
		return -errno;
	file_name(key, name);
	rc = io_write_full(fd, text, (size_t)n);
	if (rc == 0 &&
	    (fsync(fd) < 0 || renameat(r->dir, NEW_NAME, r->dir, name) < 0 || fsync(r->dir) < 0))
		rc = -errno;
	return rc;
}

/* ---- room ------------------------------------------------------------------------------------ */

struct old {
	struct timespec seen;
	char name[NAME_LEN + 1];
};

static int by_age(const void *a, const void *b)
{
	const struct timespec *x = &((const struct old *)a)->seen;
	const struct timespec *y = &((const struct old *)b)->seen;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static size_t list_entries(int dir, struct old *list, size_t max)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *at;
	size_t n = 0;

	if (!d && copy >= 0)
		close(copy);
	while (d && n < max && (at = readdir(d))) {
		struct stat st;

		if (strlen(at->d_name) != NAME_LEN)
			continue;
		if (list && fstatat(dir, at->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			list[n].seen = st.st_mtim;
			memcpy(list[n].name, at->d_name, NAME_LEN + 1);
		}
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

/* Forgets those that were seen longest ago, when there is no more room. */
static int make_room(const struct registry *r)
{
	auto_free struct old *list = NULL;
	size_t n;

	if (list_entries(r->dir, NULL, REGISTRY_SESSIONS_MAX) < REGISTRY_SESSIONS_MAX)
		return 0;
	list = calloc(REGISTRY_SESSIONS_MAX, sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = list_entries(r->dir, list, REGISTRY_SESSIONS_MAX);
	qsort(list, n, sizeof(*list), by_age);
	for (size_t i = 0; i < n / FORGET_SHARE; i++)
		if (unlinkat(r->dir, list[i].name, 0) < 0 && errno != ENOENT)
			return -errno;
	return 0;
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* Walks from key upwards: 1 when ancestor is met, 0 when the chain ends, -ELOOP when it does not
 * (whatever the files say, no more than so many are read). */
static int walk_up(const struct registry *r, const char *key, const char *ancestor)
{
	struct entry at;
	int n;

	if (strlen(key) > REGISTRY_KEY_MAX)
		return -EINVAL;
	memcpy(at.parent, key, strlen(key) + 1);
	for (int depth = 0; depth < REGISTRY_DEPTH_MAX; depth++) {
		char next[REGISTRY_KEY_MAX + 1];

		memcpy(next, at.parent, sizeof(next));
		n = read_entry(r, next, &at);
		if (n <= 0 || at.parent[0] == '\0')
			return n < 0 ? n : 0;
		if (strcmp(at.parent, ancestor) == 0)
			return 1;
	}
	return -ELOOP;
}

int registry_descends(const struct registry *r, const char *key, const char *ancestor,
		      struct pinfold_error *e)
{
	int n = walk_up(r, key, ancestor);

	if (n == -ELOOP)
		return 0;
	return n < 0 ? err_set(e, n, "cannot read the registry of sessions: %s", strerror(-n)) : n;
}

static int check_parent(const struct registry *r, const char *key, const char *parent,
			struct pinfold_error *e)
{
	int n = strcmp(key, parent) == 0 ? 1 : walk_up(r, parent, key);

	if (n == -ELOOP)
		return err_set(e, n, "the session lies more than %d generations deep",
			       REGISTRY_DEPTH_MAX);
	if (n == 1)
		return err_set(e, -ELOOP, "the session would be its own ancestor");
	return n < 0 ? err_set(e, n, "cannot read the registry of sessions: %s", strerror(-n)) : 0;
}

static int note_locked(const struct registry *r, const char *key, const char *parent,
		       struct pinfold_error *e)
{
	struct entry old = { 0 };
	int n = read_entry(r, key, &old);

	if (n == 1 && parent && old.parent[0] && strcmp(old.parent, parent) != 0)
		return err_set(e, -EEXIST, "another session than the one named spawned this one");
	if (n == 1 && (!parent || old.parent[0])) {
		char name[NAME_LEN + 1];

		file_name(key, name);
		n = utimensat(r->dir, name, NULL, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
	} else if (n >= 0) {
		n = parent ? check_parent(r, key, parent, e) : 0;
		if (n < 0)
			return n;
		n = make_room(r);
		if (n == 0)
			n = write_entry(r, key, parent ? parent : "");
	}
	return n < 0 ? err_set(e, n, "cannot write the registry of sessions: %s", strerror(-n)) : 0;
}

int registry_note(const struct registry *r, const char *key, const char *parent,
		  struct pinfold_error *e)
{
	int n;

	if (!registry_key_is_sound(key) || (parent && !registry_key_is_sound(parent)))
		return err_set(e, -EINVAL,
			       "a session's key has 1 to %d bytes, and no control characters",
			       REGISTRY_KEY_MAX);
	while (flock(r->dir, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_set(e, -errno, "cannot lock the registry of sessions: %s",
				       strerror(errno));
	n = note_locked(r, key, parent, e);
	(void)flock(r->dir, LOCK_UN);
	return n;
}

int registry_forget(const struct registry *r, const char *key, struct pinfold_error *e)
{
	char name[NAME_LEN + 1];

	file_name(key, name);
	if (unlinkat(r->dir, name, 0) < 0 && errno != ENOENT)
		return err_set(e, -errno, "cannot write the registry of sessions: %s",
			       strerror(errno));
	return 0;
}
