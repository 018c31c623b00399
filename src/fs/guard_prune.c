/* SPDX-License-Identifier: MIT */
#include "fs/guard_prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/guard_remove.h"

#define ENTRIES_MAX 4096
#define BLOCK_BYTES 512
#define SECOND_NS INT64_C(1000000000)

struct entry {
	char name[NAME_MAX + 1];
	int64_t changed_ns;
	uint64_t bytes;
};

static int newest_first(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return (x->changed_ns < y->changed_ns) - (x->changed_ns > y->changed_ns);
}

/* What lies in the entry of the working directory, however deep. */
static uint64_t size_of(char *name)
{
	char *const paths[] = { name, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_XDEV, NULL);
	const FTSENT *at;
	uint64_t bytes = 0;

	while (walk && (at = fts_read(walk)))
		if (at->fts_info != FTS_DP && at->fts_statp)
			bytes += (uint64_t)at->fts_statp->st_blocks * BLOCK_BYTES;
	if (walk)
		fts_close(walk);
	return bytes;
}

static size_t list(int all, struct entry *ret)
{
	int copy = openat(all, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *found;
	size_t n = 0;

	while (d && n < ENTRIES_MAX && (found = readdir(d))) {
		struct stat st;

		if (found->d_name[0] == '.' ||
		    fstatat(all, found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		memcpy(ret[n].name, found->d_name, strlen(found->d_name) + 1);
		ret[n++].changed_ns = (int64_t)st.st_ctim.tv_sec * SECOND_NS + st.st_ctim.tv_nsec;
	}
	if (d)
		closedir(d);
	else
		clean_close(&copy);
	return n;
}

static int discard(int all, const char *name)
{
	auto_close int dir = openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) < 0)
		return 0;
	return guard_remove(all, name);
}

int guard_prune(int all, const struct guard_keep *keep)
{
	auto_free struct entry *entry = calloc(ENTRIES_MAX, sizeof(*entry));
	time_t now = time(NULL);
	uint64_t bytes = 0;
	size_t n;
	int r = 0;

	if (!entry || fchdir(all) < 0)
		return entry ? -errno : -ENOMEM;
	n = list(all, entry);
	qsort(entry, n, sizeof(*entry), newest_first);
	for (size_t i = 0; i < n && r == 0; i++) {
		bool stays =
		    now - entry[i].changed_ns / SECOND_NS <= keep->seconds && bytes < keep->bytes;

		bytes += stays ? size_of(entry[i].name) : 0;
		if (!stays || bytes > keep->bytes)
			r = discard(all, entry[i].name);
	}
	return r;
}
