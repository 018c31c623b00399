/* SPDX-License-Identifier: MIT */
/* A hint for git that found no repository: it lies around what was granted, or somewhere else. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/fence.h"
#include "fs/git.h"
#include "session/explain.h"
#include "session/session.h"

#define EXIT_GIT_FATAL 128

/* The .git file in dir leads somewhere that the pen does not show. */
static bool hint_link_file(const struct fs_fence *fs, int dir, const char *top,
			   struct explain_hint *ret)
{
	char text[GIT_TEXT_MAX];
	char path[PATH_MAX];
	char real[PATH_MAX];
	int n;

	if (git_read_line(dir, GIT_ENTRY, "gitdir: ", text) < 0)
		return false;
	n = snprintf(path, sizeof(path), "%s%s%s", text[0] == '/' ? "" : top,
		     text[0] == '/' ? "" : "/", text);
	if (n < 0 || (size_t)n >= sizeof(path) || !realpath(path, real) || fs_fence_shows(fs, real))
		return false;
	snprintf(ret->what, sizeof(ret->what),
		 "git found no repository: the metadata of '%.90s' is in '%.90s', which is not "
		 "granted",
		 top, real);
	snprintf(ret->advice, sizeof(ret->advice),
		 "to read it, add --ro '%.100s'; to commit as well, --rw", real);
	return true;
}

static bool hint_around(const struct fs_fence *fs, const char *top, const char *start,
			struct explain_hint *ret)
{
	int n;

	if (fs_fence_shows(fs, top))
		return false;
	n = snprintf(
	    ret->what, sizeof(ret->what),
	    "git found no repository: '%.90s' is a part of the one in '%.90s', which is not "
	    "granted",
	    start, top);
	if (n < 0)
		return false;
	snprintf(ret->advice, sizeof(ret->advice),
		 "to read it, add --ro '%.100s'; to commit as well, start there", top);
	return true;
}

bool explain_git(const struct session *s, const struct explain_pen *pen, int exit_status,
		 struct explain_hint *ret)
{
	char top[PATH_MAX];
	size_t len = strlen(pen->dir);

	if (exit_status != EXIT_GIT_FATAL || len >= sizeof(top))
		return false;
	memcpy(top, pen->dir, len + 1);
	while (top[1] != '\0') {
		auto_close int dir = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
		struct stat st;

		if (dir >= 0 && fstatat(dir, GIT_ENTRY, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return S_ISDIR(st.st_mode) ? hint_around(s->fs, top, pen->dir, ret)
						   : hint_link_file(s->fs, dir, top, ret);
		*strrchr(top, '/') = '\0';
		if (!top[0])
			break;
	}
	return false;
}
