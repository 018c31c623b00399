/* SPDX-License-Identifier: MIT */
#include "session/shown.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "policy/path_text.h"
#include "policy/paths.h"
#include "policy/read.h"

#define DEPTH_MAX 64 /* directories that lead to the session's home */

/* The session has these of its own, or must never see them. */
static const char *const not_shown[] = { "/proc", "/dev" };
/* Of these no rule opens any (fs/plan_rules.c), or they are ours. */
static const char *const always_denied[] = {
	"/run/pinfold",         "/var/lib/pinfold",  "/sys/fs/cgroup",      "/sys/fs/bpf",
	"/sys/kernel/security", "/sys/kernel/debug", "/sys/kernel/tracing",
};

static int add(struct path_set *to, const struct path_rule *like, const char *path)
{
	struct path_rule *r = grow(&to->rule, to->n, sizeof(*r));

	if (!r)
		return -ENOMEM;
	to->n++;
	*r = *like;
	r->path = strdup(path);
	r->text = strdup(like->text ? like->text : path);
	r->origin = strdup(like->origin);
	return r->path && r->text && r->origin ? 0 : -ENOMEM;
}

static int add_shown(struct path_set *to, enum path_right right, const char *path)
{
	static char origin[] = PATH_ORIGIN_OBSERVE;

	return add(to, &(struct path_rule){ .right = right, .origin = origin }, path);
}

static int copy_rules(const struct path_set *set, struct path_set *to)
{
	int r = 0;

	for (size_t i = 0; i < set->n && r == 0; i++) {
		struct path_rule like = set->rule[i];

		if (like.right != PATH_DENY)
			like.right = PATH_RW;
		r = add(to, &like, like.path);
	}
	return r;
}

static bool has_path(const struct path_set *set, const char *path)
{
	for (size_t i = 0; i < set->n; i++)
		if (!set->rule[i].pattern && strcmp(set->rule[i].path, path) == 0)
			return true;
	return false;
}

static bool is_shown(const struct path_set *to, const char *path, const char *home)
{
	for (size_t i = 0; i < ARRAY_SIZE(not_shown); i++)
		if (strcmp(path, not_shown[i]) == 0)
			return false;
	return !has_path(to, path) && !(home && strcmp(path, home) == 0);
}

/* Everything in dir; what leads to home is put into ret_inner instead, "" when nothing does. */
static int show_children(struct path_set *to, const char *dir, const char *home,
			 char ret_inner[static PATH_TEXT_BYTES_MAX + 1])
{
	DIR *d = opendir(dir[0] ? dir : "/");
	const struct dirent *at;
	int r = 0;

	ret_inner[0] = '\0';
	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (r == 0 && (at = readdir(d))) {
		auto_free char *path = NULL;

		if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0)
			continue;
		if (asprintf(&path, "%s/%s", dir, at->d_name) < 0)
			r = -ENOMEM;
		else if (home && strcmp(path, home) != 0 && path_is_within(home, path))
			(void)snprintf(ret_inner, PATH_TEXT_BYTES_MAX + 1, "%s", path);
		else if (is_shown(to, path, home))
			r = add_shown(to, PATH_RW, path);
	}
	closedir(d);
	return r;
}

static int build(const struct path_set *set, const char *home, struct path_set *to)
{
	char inner[PATH_TEXT_BYTES_MAX + 1] = "";
	int r = copy_rules(set, to);

	for (size_t i = 0; i < ARRAY_SIZE(always_denied) && r == 0; i++)
		r = add_shown(to, PATH_DENY, always_denied[i]);
	for (int depth = 0; depth < DEPTH_MAX && r == 0; depth++) {
		char dir[PATH_TEXT_BYTES_MAX + 1];

		memcpy(dir, inner, sizeof(dir));
		r = show_children(to, dir, home, inner);
		if (!inner[0])
			break;
	}
	return r;
}

int shown_build(const struct path_set *set, const char *home, struct path_set *ret)
{
	struct path_set to = { 0 };
	int r = build(set, home, &to);

	if (r < 0) {
		path_set_done(&to);
		return r;
	}
	*ret = to;
	return 0;
}
