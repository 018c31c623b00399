/* SPDX-License-Identifier: MIT */
/* Which mounts of the pen show trees of the host, and the kernel's reports about them. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "fs/fence.h"
#include "fs/guard_inner.h"

#define MOUNTINFO_BYTES_MAX ((size_t)16 * 1024 * 1024)

#define NAME_EVENTS (FAN_CREATE | FAN_MOVED_TO | FAN_ONDIR)

static int watch_file_system(const struct guard_core *g, int fd, dev_t dev)
{
	for (size_t i = 0; i < g->n_trees; i++)
		if (g->tree[i].dev == dev)
			return 0;
	if (fanotify_mark(g->notify, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, NAME_EVENTS, fd, NULL) < 0)
		return -errno;
	return 0;
}

int guard_tree_add(struct guard_core *g, const char *path, int root)
{
	auto_close int fd = root;
	struct guard_tree *bigger;
	struct statfs fs;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return -errno;
	if (st.st_dev == g->store_dev)
		return 0;
	r = watch_file_system(g, fd, st.st_dev);
	if (r < 0 && g->strictness == GUARD_REFUSES) {
		guard_tell(g, GUARD_FAILED, r, path, "");
		return r;
	}
	if (r < 0)
		guard_tell(g, GUARD_BLIND, r, path, "");
	if (g->permit >= 0)
		r = guard_permit_mark(g, fd);
	if (g->permit >= 0 && r < 0)
		return r;
	bigger = reallocarray(g->tree, g->n_trees + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	g->tree = bigger;
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	struct guard_tree *t = &g->tree[g->n_trees++];

	*t = (struct guard_tree){
		.path = copy, .fd = take_fd(fd), .dev = st.st_dev, .ino = st.st_ino
	};
	_Static_assert(sizeof(t->fsid) == sizeof(fs.f_fsid), "one name of a file system");
	memcpy(&t->fsid, &fs.f_fsid, sizeof(t->fsid));
	return 0;
}

static int find_tree(struct guard_core *g, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	/* A granted file, or a mask: neither holds names. */
	if (fd < 0)
		return errno == ENOTDIR || errno == ENOENT || errno == ELOOP ? 0 : -errno;
	return guard_tree_add(g, path, fd);
}

int guard_trees_find(struct guard_core *g)
{
	auto_free char *text = NULL;
	size_t len;
	char *rest;
	int r = io_read_file(g->proc, "mountinfo", MOUNTINFO_BYTES_MAX, &text, &len);

	rest = text;
	while (r == 0 && rest && *rest) {
		char *line = strsep(&rest, "\n");
		const char *point = mountinfo_point(line);

		if (point && fs_fence_is_guarded(g->fence, point))
			r = find_tree(g, point);
	}
	return r;
}
