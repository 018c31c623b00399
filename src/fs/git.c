/* SPDX-License-Identifier: MIT */
#include "fs/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"

#define CONFIG_BYTES_MAX GIT_TEXT_MAX /* a submodule's has some hundred */

#define SEEN_REPOSITORY (GIT_SEEN_HEAD | GIT_SEEN_OBJECTS | GIT_SEEN_REFS)
#define SEEN_WORKTREE (GIT_SEEN_HEAD | GIT_SEEN_COMMONDIR | GIT_SEEN_GITDIR)

static const struct {
	const char *name;
	unsigned bit;
} signs[] = {
	{ "HEAD", GIT_SEEN_HEAD },     { "objects", GIT_SEEN_OBJECTS },
	{ "refs", GIT_SEEN_REFS },     { "commondir", GIT_SEEN_COMMONDIR },
	{ "gitdir", GIT_SEEN_GITDIR },
};

static const char *const no_names[] = { NULL };
static const char *const repository_names[] = { "hooks",     "config",          "config.worktree",
						"commondir", "info/attributes", NULL };
static const char *const worktree_names[] = { "config.worktree", "commondir", "gitdir", NULL };

unsigned git_seen(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strcmp(name, signs[i].name) == 0)
			return signs[i].bit;
	return 0;
}

enum git_kind git_kind_of(const char *name, unsigned seen)
{
	/* A worktree's directory may have objects of its own, so it is told first. */
	if ((seen & SEEN_WORKTREE) == SEEN_WORKTREE && strcmp(name, GIT_ENTRY) != 0)
		return GIT_WORKTREE;
	if ((seen & SEEN_REPOSITORY) == SEEN_REPOSITORY || strcmp(name, GIT_ENTRY) == 0)
		return GIT_REPOSITORY;
	return GIT_NONE;
}

enum git_kind git_look(int dir, const char *name)
{
	unsigned seen = 0;
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (fstatat(dir, signs[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			seen |= signs[i].bit;
	return git_kind_of(name, seen);
}

const char *const *git_held(enum git_kind kind)
{
	static const char *const *const names[] = {
		[GIT_NONE] = no_names,
		[GIT_REPOSITORY] = repository_names,
		[GIT_WORKTREE] = worktree_names,
	};

	_Static_assert(ARRAY_SIZE(names) == GIT_WORKTREE + 1, "names for each kind");
	return names[kind];
}

bool git_name_is_held(enum git_kind kind, const char *name)
{
	for (const char *const *n = git_held(kind); *n; n++)
		if (strcmp(*n, name) == 0)
			return true;
	return false;
}

int git_read_line(int dir, const char *name, const char *prefix, char ret[static GIT_TEXT_MAX])
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[GIT_TEXT_MAX];
	size_t skip = strlen(prefix);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	if ((size_t)n == sizeof(text) - 1 || (size_t)n <= skip || strlen(text) != (size_t)n ||
	    strncmp(text, prefix, skip) != 0)
		return -EINVAL;
	memcpy(ret, text + skip, (size_t)n - skip + 1);
	return 0;
}

/* The value of `key = value`, or NULL. */
static char *value_of(char *line, const char *key)
{
	size_t len = strlen(key);
	char *end;

	if (strncasecmp(line, key, len) != 0)
		return NULL;
	line += len;
	line += strspn(line, " \t");
	if (*line != '=')
		return NULL;
	line++;
	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return line;
}

/* Of several the last one counts, as with git. */
static int find_work_tree(char *text, char ret[static GIT_TEXT_MAX])
{
	bool is_core = false;
	int r = -ENOENT;

	for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
		const char *value;

		line += strspn(line, " \t");
		if (line[0] == '[')
			is_core = strncasecmp(line, "[core]", strlen("[core]")) == 0;
		value = is_core ? value_of(line, "worktree") : NULL;
		if (!value)
			continue;
		/* Rarely needed, and nobody is to read it otherwise than git. */
		r = value[0] == '\0' || strpbrk(value, "\"\\#;") ? -EINVAL : 0;
		if (r == 0)
			memcpy(ret, value, strlen(value) + 1);
	}
	return r;
}

int git_read_work_tree(int dir, char ret[static GIT_TEXT_MAX])
{
	auto_close int fd = openat(dir, "config", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[CONFIG_BYTES_MAX];
	char found[GIT_TEXT_MAX];
	struct stat st;
	ssize_t n;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size >= CONFIG_BYTES_MAX)
		return -EINVAL;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	r = strlen(text) == (size_t)n ? find_work_tree(text, found) : -EINVAL;
	if (r == 0)
		memcpy(ret, found, strlen(found) + 1);
	return r;
}

bool git_is_repository(const char *path)
{
	auto_close int dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return dir >= 0 && (fstatat(dir, GIT_ENTRY, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
			    git_look(dir, "") == GIT_REPOSITORY);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether rest, relative to a directory of that kind, is or lies below a held name. */
static bool rest_is_held(enum git_kind kind, const char *rest)
{
	for (const char *const *n = git_held(kind); *n; n++) {
		size_t len = strlen(*n);

		if (strncmp(rest, *n, len) == 0 && (rest[len] == '\0' || rest[len] == '/'))
			return true;
	}
	return false;
}

static bool is_link_file(const char *path)
{
	struct stat st;

	return strcmp(last_component(path), GIT_ENTRY) == 0 && lstat(path, &st) == 0 &&
	       !S_ISDIR(st.st_mode);
}

bool git_path_is_held_unless(const char *path, bool (*spares)(void *data, int fd), void *data)
{
	char at[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(at) || path[0] != '/')
		return false;
	if (is_link_file(path)) {
		auto_close int file = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		return !spares || file < 0 || !spares(data, file);
	}
	memcpy(at, path, len + 1);
	for (char *slash = strrchr(at, '/'); slash && slash != at; slash = strrchr(at, '/')) {
		*slash = '\0';
		auto_close int dir = open(at, O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0 &&
		    rest_is_held(git_look(dir, last_component(at)), path + (slash - at) + 1) &&
		    (!spares || !spares(data, dir)))
			return true;
	}
	return false;
}

bool git_path_is_held(const char *path)
{
	return git_path_is_held_unless(path, NULL, NULL);
}
