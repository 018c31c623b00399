/* SPDX-License-Identifier: MIT */
#include "fs/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"

#define SYMLINKS_MAX 40 /* as the kernel */

/* The walk: where it stands, and what is still to go. */
struct walk {
	int fd;
	char at[PATH_MAX]; /* "" is the root */
	char rest[PATH_MAX];
	struct fs_resolved out;
};

bool fs_path_is_at_or_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (len == 1)
		return path[0] == '/';
	return strncmp(path, dir, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

void fs_resolved_done(struct fs_resolved *r)
{
	if (r->fd >= 0)
		close(r->fd);
	for (size_t i = 0; i < r->n_links; i++) {
		free(r->link[i].path);
		free(r->link[i].target);
	}
	free(r->link);
	free(r->path);
	*r = (struct fs_resolved){ .fd = -1 };
}

/* Takes the next component off the rest; "" at the end. */
static int next_component(struct walk *w, char ret[NAME_MAX + 1])
{
	const char *start = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(start, "/");

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret, start, len);
	ret[len] = '\0';
	start += len;
	memmove(w->rest, start, strlen(start) + 1);
	return 0;
}

static int push(struct walk *w, const char *name)
{
	size_t len = strlen(w->at);
	size_t more = strlen(name);

	if (len + 1 + more + 1 > sizeof(w->at))
		return -ENAMETOOLONG;
	w->at[len] = '/';
	memcpy(w->at + len + 1, name, more + 1);
	return 0;
}

static void pop(struct walk *w)
{
	char *slash = strrchr(w->at, '/');

	if (slash)
		*slash = '\0';
}

static int step_to(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	close(w->fd);
	w->fd = fd;
	return 0;
}

static int record_link(struct walk *w, const char *name, const char *target)
{
	struct fs_resolved *r = &w->out;
	struct fs_symlink *bigger;
	char *path = NULL;

	if (r->n_links == SYMLINKS_MAX)
		return -ELOOP;
	bigger = realloc(r->link, (r->n_links + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	r->link = bigger;
	if (asprintf(&path, "%s/%s", w->at, name) < 0)
		return -ENOMEM;
	bigger[r->n_links] = (struct fs_symlink){ .path = path, .target = strdup(target) };
	r->n_links++;
	return bigger[r->n_links - 1].target ? 0 : -ENOMEM;
}

static int follow_link(struct walk *w, int link_fd, const char *name)
{
	char target[PATH_MAX];
	char rest[PATH_MAX];
	ssize_t len = readlinkat(link_fd, "", target, sizeof(target) - 1);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	int r = record_link(w, name, target);

	if (r < 0)
		return r;
	size_t rest_len = strlen(w->rest);

	if ((size_t)len + 1 + rest_len + 1 > sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(rest, target, (size_t)len);
	rest[len] = '/';
	memcpy(rest + len + 1, w->rest, rest_len + 1);
	memcpy(w->rest, rest, (size_t)len + 1 + rest_len + 1);
	if (target[0] != '/')
		return 0;
	w->at[0] = '\0';
	return step_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Nothing is there: the rest is joined as written. */
static int finish_missing(struct walk *w, const char *name)
{
	char part[NAME_MAX + 1];
	int r = push(w, name);

	while (r == 0) {
		r = next_component(w, part);
		if (r < 0 || part[0] == '\0')
			break;
		if (strcmp(part, "..") == 0)
			pop(w);
		else if (strcmp(part, ".") != 0)
			r = push(w, part);
	}
	close(w->fd);
	w->fd = -1;
	return r;
}

/* Returns 1 when the walk has ended, 0 to go on. */
static int walk_component(struct walk *w, enum fs_follow follow)
{
	char name[NAME_MAX + 1];
	struct stat st;
	int r = next_component(w, name);

	if (r < 0)
		return r;
	if (name[0] == '\0')
		return 1;
	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		pop(w);
		return step_to(w, openat(w->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
	}
	auto_close int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		r = finish_missing(w, name);
		return r < 0 ? r : 1;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	bool last = w->rest[strspn(w->rest, "/")] == '\0';

	if (S_ISLNK(st.st_mode) && !(last && follow == FS_FOLLOW_PARENTS))
		return follow_link(w, fd, name);
	r = push(w, name);
	if (r < 0)
		return r;
	return step_to(w, take_fd(fd));
}

static int walk_all(struct walk *w, enum fs_follow follow)
{
	int r;

	w->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->fd < 0)
		return -errno;
	do
		r = walk_component(w, follow);
	while (r == 0);
	return r < 0 ? r : 0;
}

/* Most paths have no symlink: the kernel then finds the object in one call.  -ELOOP: there is one.
 */
static int open_plain(const char *path, struct walk *w)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	size_t len = strlen(path);

	w->fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (w->fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return -errno;
	memcpy(w->at, path, len + 1);
	if (len == 1)
		w->at[0] = '\0';
	return 0;
}

static bool is_clean(const char *path)
{
	size_t len = strlen(path);

	return !strstr(path, "//") && !strstr(path, "/./") && !strstr(path, "/..") &&
	       (len == 1 || (path[len - 1] != '/' && path[len - 1] != '.'));
}

static bool is_symlink(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

int fs_resolve(const char *path, enum fs_follow follow, struct fs_resolved *ret)
{
	int r = -ELOOP;

	if (path[0] != '/')
		return -EINVAL;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	auto_free struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->fd = -1;
	w->out.fd = -1;
	if (is_clean(path))
		r = open_plain(path, w);
	if (r == 0 && is_symlink(w->fd) && follow == FS_FOLLOW_ALL)
		r = -ELOOP;
	if (r == -ELOOP) {
		clean_close(&w->fd);
		w->fd = -1;
		w->at[0] = '\0';
		memcpy(w->rest, path, strlen(path) + 1);
		r = walk_all(w, follow);
	}
	w->out.fd = take_fd(w->fd);
	if (r == 0 && w->out.fd >= 0 && fstat(w->out.fd, &w->out.st) < 0)
		r = -errno;
	if (r == 0) {
		w->out.path = strdup(w->at[0] ? w->at : "/");
		r = w->out.path ? 0 : -ENOMEM;
	}
	if (r < 0) {
		fs_resolved_done(&w->out);
		return r;
	}
	*ret = w->out;
	return 0;
}
