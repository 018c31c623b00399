/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/pen.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define SEED_FILE_MAX (2u << 20)

static const char *const SEEDS[] = { "AGENTS.md", "SOUL.md",      "TOOLS.md",    "IDENTITY.md",
				     "USER.md",   "HEARTBEAT.md", "BOOTSTRAP.md" };

/* mkdir -p; what is there stays as it is. */
static int make_parents(const char *path)
{
	auto_free char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0711) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* Regular files only, and no symlink: a seed can't name a secret. */
static int copy_seed(int from_dir, int to_dir, const char *name)
{
	auto_close int from =
	    openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_close int to = -1;
	char buf[65536];
	struct stat st;
	ssize_t n;

	if (from < 0)
		return errno == ENOENT || errno == ELOOP ? 0 : -errno;
	if (fstat(from, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > SEED_FILE_MAX)
		return 0;
	to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (to < 0)
		return -errno;
	while ((n = read(from, buf, sizeof(buf))) > 0) {
		int r = io_write_full(to, buf, (size_t)n);

		if (r < 0)
			return r;
	}
	if (n < 0)
		return -errno;
	return fchmod(to, 0644) < 0 ? -errno : 0;
}

static int fill(const char *dir, const char *workspace)
{
	auto_close int to = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_close int from = open(workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (to < 0)
		return -errno;
	if (fchmod(to, 0755) < 0)
		return -errno;
	for (size_t i = 0; from >= 0 && i < ARRAY_SIZE(SEEDS) && r == 0; i++)
		r = copy_seed(from, to, SEEDS[i]);
	return r;
}

static void remove_half(const char *dir)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(SEEDS); i++)
		unlinkat(fd, SEEDS[i], 0);
	rmdir(dir);
}

/* Filled beside its place and moved there whole: whoever comes second uses what the first made. */
static int make_beside(const char *path, const char *workspace)
{
	auto_free char *half = NULL;
	uint64_t random;
	int r;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	if (asprintf(&half, "%s.new-%016llx", path, (unsigned long long)random) < 0)
		return -ENOMEM;
	if (mkdir(half, 0700) < 0)
		return -errno;
	r = fill(half, workspace);
	if (r == 0 && renameat2(AT_FDCWD, half, AT_FDCWD, path, RENAME_NOREPLACE) < 0)
		r = -errno;
	if (r < 0)
		remove_half(half);
	return r == -EEXIST ? 0 : r;
}

int pen_seed(const struct agents_sandbox *s, const struct agents_place *p, struct pinfold_error *e)
{
	struct stat st;
	int r;

	if (!p->private_dir)
		return 0;
	if (lstat(p->private_dir, &st) == 0)
		return S_ISDIR(st.st_mode)
			   ? 0
			   : err_set(e, -ENOTDIR, "'%s' is no directory", p->private_dir);
	r = make_parents(p->private_dir);
	if (r == 0)
		r = make_beside(p->private_dir, s->workspace);
	return r < 0 ? err_set(e, r, "cannot make the private directory '%s': %s", p->private_dir,
			       strerror(-r))
		     : 0;
}
