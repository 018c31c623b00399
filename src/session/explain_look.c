/* SPDX-License-Identifier: MIT */
/* Files of the host, judged as the pen would see them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/clean.h"
#include "session/explain.h"

/* Access lists are not asked: this only explains what the kernel has refused. */
static bool lets_through(const struct explain_pen *pen, const struct stat *st)
{
	if (st->st_uid == pen->uid)
		return st->st_mode & S_IXUSR;
	if (st->st_gid == pen->gid)
		return st->st_mode & S_IXGRP;
	return st->st_mode & S_IXOTH;
}

/* Directories above the granted tree are the pen's own and open. */
static bool find_closed_dir(const struct explain_pen *pen, struct explain_sight *ret)
{
	size_t tree = ret->judged.rule ? strlen(ret->judged.rule->path) : 0;
	struct stat st;

	for (char *slash = strchr(ret->real + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t len = (size_t)(slash - ret->real);

		if (len < tree)
			continue;
		memcpy(ret->dir, ret->real, len);
		ret->dir[len] = '\0';
		if (stat(ret->dir, &st) == 0 && !lets_through(pen, &st)) {
			ret->mode = st.st_mode & 07777;
			return true;
		}
	}
	return false;
}

static enum explain_obstacle judge_granted(const struct explain_pen *pen, struct explain_sight *s)
{
	struct statvfs fs;
	struct stat st;

	if (stat(s->real, &st) < 0)
		return OBSTACLE_MISSING;
	if (!S_ISREG(st.st_mode))
		return OBSTACLE_KIND;
	if (s->judged.right == PATH_RO)
		return OBSTACLE_READ_ONLY;
	if (find_closed_dir(pen, s))
		return OBSTACLE_CLOSED_DIR;
	s->mode = st.st_mode & 07777;
	if (!lets_through(pen, &st))
		return OBSTACLE_MODE;
	if (statvfs(s->real, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return OBSTACLE_NOEXEC;
	return OBSTACLE_NONE;
}

/* A link is only followed where it is seen itself: its own place has to be granted as well. */
static void look_at_link(const struct explain_pen *pen, const char *path, struct explain_sight *ret)
{
	const char *base = strrchr(path, '/');
	char dir[PATH_MAX];
	char place[PATH_MAX];
	struct path_judgement judged;
	int n;

	if (!base || base == path || base - path >= PATH_MAX)
		return;
	memcpy(dir, path, (size_t)(base - path));
	dir[base - path] = '\0';
	if (!realpath(dir, place))
		return;
	n = snprintf(dir, sizeof(dir), "%s%s", strcmp(place, "/") == 0 ? "" : place, base);
	judged = path_set_judge(pen->paths, dir);
	if (n >= (int)sizeof(dir) || judged.right != PATH_DENY)
		return;
	ret->judged = judged;
	ret->obstacle = judged.rule ? OBSTACLE_DENIED : OBSTACLE_UNGRANTED;
	ret->leads_elsewhere = false;
	memcpy(ret->real, dir, (size_t)n + 1);
}

void explain_look(const struct explain_pen *pen, const char *path, struct explain_sight *ret)
{
	*ret = (struct explain_sight){ .obstacle = OBSTACLE_MISSING };
	if (!realpath(path, ret->real)) {
		snprintf(ret->real, sizeof(ret->real), "%s", path);
		return;
	}
	ret->leads_elsewhere = strcmp(path, ret->real) != 0;
	ret->judged = path_set_judge(pen->paths, ret->real);
	if (!ret->judged.rule)
		ret->obstacle = OBSTACLE_UNGRANTED;
	else if (ret->judged.right == PATH_DENY)
		ret->obstacle = OBSTACLE_DENIED;
	else
		ret->obstacle = judge_granted(pen, ret);
	if (ret->obstacle == OBSTACLE_NONE && ret->leads_elsewhere)
		look_at_link(pen, path, ret);
}

/* Whether dir/name exists on the host; ret is then that path. */
static bool host_has(const char *dir, size_t len, const char *name, char ret[static PATH_MAX])
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, name);
	struct stat st;

	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return false;
	memcpy(ret, path, (size_t)n + 1);
	return true;
}

/* Tries one place: true when the pen can see it there.  ret is the first that the host has, until a
 * better one comes. */
static bool try_dir(const struct explain_pen *pen, const char *dir, size_t len, const char *name,
		    char ret[static PATH_MAX])
{
	char candidate[PATH_MAX];
	struct explain_sight sight;

	if (dir[0] != '/' || !host_has(dir, len, name, candidate))
		return false;
	explain_look(pen, candidate, &sight);
	if (sight.judged.right != PATH_DENY || !ret[0])
		memcpy(ret, candidate, sizeof(candidate));
	return sight.judged.right != PATH_DENY;
}

static bool search(const struct explain_pen *pen, const char *path, const char *name,
		   char ret[static PATH_MAX])
{
	for (const char *dir = path; dir;) {
		const char *end = strchrnul(dir, ':');

		if (try_dir(pen, dir, (size_t)(end - dir), name, ret))
			return true;
		dir = *end ? end + 1 : NULL;
	}
	return false;
}

bool explain_find(const struct explain_pen *pen, const char *name, char ret[static PATH_MAX])
{
	struct explain_sight sight;

	ret[0] = '\0';
	if (strchr(name, '/')) {
		const char *dir = name[0] == '/' ? "" : pen->dir;
		const char *rest = strncmp(name, "./", 2) == 0 ? name + 2 : name;

		snprintf(ret, PATH_MAX, "%s%s%s", dir, name[0] == '/' ? "" : "/", rest);
		explain_look(pen, ret, &sight);
		return sight.judged.right != PATH_DENY;
	}
	if (search(pen, pen->path, name, ret))
		return true;
	if (!ret[0] && pen->their_path)
		search(pen, pen->their_path, name, ret);
	return false;
}

/* O_PATH first: opening a FIFO would wait, and opening a device may do something. */
int explain_open(const char *path)
{
	auto_close int handle = open(path, O_PATH | O_CLOEXEC);
	char proc[64];
	struct stat st;

	if (handle < 0 || fstat(handle, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", handle);
	return open(proc, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}
