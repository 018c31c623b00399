/* SPDX-License-Identifier: MIT */
#include "agents/approval_path.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_names.h"
#include "agents/approval_pattern.h"
#include "base/clean.h"

struct look {
	const char *pattern; /* tidied */
	bool as_written;     /* the pattern's star is met by a star only */
	const struct approval_place *place;
};

bool path_is_meant(const char *pattern)
{
	return pattern[0] == '/' || pattern[0] == '~' ||
	       (pattern[0] == '.' && strchr("./", pattern[1]));
}

/* Where the component in front of end begins; a path that is only "~" or "." keeps it. */
static size_t parent(const char *path, size_t len)
{
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len;
}

/* Adds one component to a path that ends with "/" or is empty. */
static int add_component(char *ret, size_t *len, const char *part, size_t n)
{
	const bool rooted = ret[0] == '/';

	if (n == 0 || (n == 1 && part[0] == '.'))
		return 0;
	if (n == 2 && strncmp(part, "..", 2) == 0) {
		if (*len > (rooted ? 1U : 0U))
			*len = parent(ret, *len - 1);
		return 0;
	}
	if (*len + n + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(ret + *len, part, n);
	*len += n;
	ret[(*len)++] = '/';
	return 0;
}

static int add_all(char *ret, size_t *len, const char *path)
{
	int r = 0;

	while (*path && r == 0) {
		const size_t n = strcspn(path, "/");

		r = add_component(ret, len, path, n);
		path += n + strspn(path + n, "/");
	}
	return r;
}

int path_tidy(const char *dir, const char *path, char *ret)
{
	size_t len = 0;
	int r = 0;

	if (path[0] == '/' || path[0] == '~')
		dir = "";
	ret[0] = '\0';
	if (path[0] == '/' || dir[0] == '/')
		ret[len++] = '/';
	r = add_all(ret, &len, dir);
	if (r == 0)
		r = add_all(ret, &len, path);
	if (len > 1 && ret[len - 1] == '/')
		len--;
	if (len == 0)
		ret[len++] = '.';
	ret[len] = '\0';
	return r;
}

static bool has_wildcard(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

static bool is_as_written(const char *pattern, const char *path)
{
	while (*pattern && (*pattern == *path || (*pattern == PATTERN_STAR && *path == '*'))) {
		pattern++;
		path++;
	}
	return *pattern == *path;
}

/* The argument may be a pattern itself, which the shell has yet to expand. */
static bool same(const struct look *l, const char *path)
{
	if (l->as_written)
		return is_as_written(l->pattern, path);
	if (pattern_glob(l->pattern, path))
		return true;
	return l->pattern[0] == '/' && path[0] == '/' && has_wildcard(path) &&
	       !strchr(l->pattern, PATTERN_STAR) &&
	       fnmatch(path, l->pattern, FNM_PATHNAME | FNM_NOESCAPE) == 0;
}

/* An absolute path, and the way to the same below a home directory. */
static bool same_from_home(const struct look *l, const char *path)
{
	char home[PATH_MAX];
	char short_form[PATH_MAX];
	size_t len;

	if (same(l, path))
		return true;
	if (!l->place->home || path_tidy("", l->place->home, home) < 0)
		return false;
	len = strlen(home);
	if (len < 2 || strncmp(path, home, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return false;
	snprintf(short_form, sizeof(short_form), "~%.*s", (int)(sizeof(short_form) - 2),
		 path + len);
	return same(l, short_form);
}

/* As text, and as the file system has it. */
static bool same_absolute(const struct look *l, const char *dir, const char *argument)
{
	char tidy[PATH_MAX];
	char *real;
	bool found;

	if (path_tidy(dir, argument, tidy) < 0)
		return false;
	if (same_from_home(l, tidy))
		return true;
	if (has_wildcard(tidy))
		return false;
	if (snprintf(tidy, sizeof(tidy), "%s%s%s", argument[0] == '/' ? "" : dir,
		     argument[0] == '/' ? "" : "/", argument) >= (int)sizeof(tidy))
		return false;
	real = realpath(tidy, NULL);
	found = real && same_from_home(l, real);
	free(real);
	return found;
}

/* "~", "~/x" and root's own. */
static bool same_home(const struct look *l, const char *argument)
{
	char path[PATH_MAX];
	const bool roots = strncmp(argument, "~root", 5) == 0;
	const char *rest = argument + (roots ? 5 : 1);
	const char *home = roots ? "/root" : l->place->home;

	if (*rest != '/' && *rest != '\0')
		return false;
	if (!roots && path_tidy("", argument, path) == 0 && same(l, path))
		return true;
	if (!home || snprintf(path, sizeof(path), "%s%s", home, rest) >= (int)sizeof(path))
		return false;
	return same_absolute(l, "", path);
}

bool path_meets(const char *pattern, const char *argument, const struct approval_place *place)
{
	char tidy[PATH_MAX];
	char relative[PATH_MAX];
	const bool rooted = argument[0] == '/';
	/* "/" and a star mean what is written from the root: everything is below it somehow. */
	const struct look look = { .pattern = tidy,
				   .place = place,
				   .as_written = strchr(pattern, PATTERN_STAR) && !rooted };

	if (strchr(argument, SHELL_UNKNOWN))
		return pattern_glob(pattern, argument);
	if (path_tidy("", pattern, tidy) < 0 || strlen(argument) >= PATH_MAX)
		return false;
	if (argument[0] == '~')
		return same_home(&look, argument);
	if (argument[0] == '/')
		return same_absolute(&look, "", argument);
	if (path_tidy("", argument, relative) == 0 && same(&look, relative))
		return true;
	for (size_t i = 0; i < place->n_cwds; i++)
		if (same_absolute(&look, place->cwd[i], argument))
			return true;
	return false;
}
