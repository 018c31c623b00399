/* SPDX-License-Identifier: MIT */
#include "fs/guard_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"

#define REMOVALS_MAX 1000000

static int remove_one(int dir, const char *name)
{
	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	return unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
}

/* Removes the entries of a directory that go at once; the first that doesn't is named in ret. */
static int sweep(int dir, char ret[static NAME_MAX + 1])
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int r = 0;

	ret[0] = '\0';
	if (!d) {
		r = -errno;
		clean_close(&copy);
		return r;
	}
	while (r == 0 && (entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		r = remove_one(dir, entry->d_name);
		if (r == -ENOTEMPTY && !ret[0]) {
			snprintf(ret, NAME_MAX + 1, "%s", entry->d_name);
			r = 0;
		}
	}
	closedir(d);
	return r == -ENOTEMPTY ? 0 : r;
}

/* From the top down to a directory that holds no others: one level less each time. */
static int thin_out(int dir, const char *name)
{
	char next[NAME_MAX + 1] = "";
	int at = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = at < 0 ? -errno : sweep(at, next);

	for (int i = 0; r == 0 && next[0] && i < REMOVALS_MAX; i++) {
		int below = openat(at, next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		r = below < 0 ? -errno : 0;
		close(at);
		at = below;
		if (r == 0)
			r = sweep(at, next);
	}
	clean_close(&at);
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

int guard_remove(int dir, const char *name)
{
	int r = remove_one(dir, name);

	for (int i = 0; r == -ENOTEMPTY && i < REMOVALS_MAX; i++) {
		r = thin_out(dir, name);
		if (r == 0)
			r = remove_one(dir, name);
	}
	return r == -ENOTEMPTY ? -EAGAIN : r;
}
