/* SPDX-License-Identifier: MIT */
/* The look at the granted trees, a directory at a time, those nearest to the top first. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/clean.h"
#include "fs/guard_git.h"
#include "fs/guard_inner.h"

#define JOBS_FIRST 1024

struct entry {
	ino64_t ino;
	off64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static int make_room(struct guard_core *g)
{
	size_t room = g->job_room ? 2 * g->job_room : JOBS_FIRST;
	struct guard_job *ring;

	if (g->n_jobs < g->job_room)
		return 0;
	ring = calloc(room, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (size_t i = 0; g->job_room > 0 && i < g->n_jobs; i++)
		ring[i] = g->job[(g->job_first + i) % g->job_room];
	free(g->job);
	g->job = ring;
	g->job_first = 0;
	g->job_room = room;
	return 0;
}

int guard_scan_push(struct guard_core *g, const struct guard_job *job)
{
	int r = make_room(g);
	struct guard_job copy = *job;

	copy.path = r < 0 ? NULL : strdup(job->path);
	if (!copy.path) {
		free(job->handle);
		return r < 0 ? r : -ENOMEM;
	}
	g->job[(g->job_first + g->n_jobs++) % g->job_room] = copy;
	return 0;
}

int guard_scan_push_deep(struct guard_core *g, const struct guard_job *job, int dir,
			 const char *name)
{
	struct guard_job deep = *job;
	int mount;

	deep.path = (char[]){ "./" GUARD_DEEP_PATH };
	deep.handle = calloc(1, sizeof(*deep.handle) + MAX_HANDLE_SZ);
	if (!deep.handle)
		return -ENOMEM;
	deep.handle->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(dir, name, deep.handle, &mount, 0) == 0)
		return guard_scan_push(g, &deep);
	int r = errno == ENOENT ? 0 : -errno;

	free(deep.handle);
	return r;
}

int guard_scan_all(struct guard_core *g, bool for_links)
{
	int r = 0;

	for (size_t i = 0; i < g->n_trees && r == 0; i++) {
		struct guard_job job = { .tree = i,
					 .path = (char[]){ "." },
					 .for_links = for_links };

		r = guard_scan_push(g, &job);
	}
	return r;
}

static bool is_dir(struct guard_core *g, const struct entry *d)
{
	struct stat st;

	if (d->type != DT_UNKNOWN)
		return d->type == DT_DIR;
	return fstatat(g->at.fd, d->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int look_at_denied(struct guard_core *g, const char *name, const char *path)
{
	if (g->at.job.origin == GUARD_INSIDE)
		return guard_expel(g, &g->tree[g->at.job.tree], g->at.fd, name, path);
	int r = guard_mask(g, g->at.fd, name);

	return r < 0 ? r : 0;
}

static int look_for_link(struct guard_core *g, const struct entry *d)
{
	struct guard_file f = { .dev = g->tree[g->at.job.tree].dev, .ino = d->ino };
	int r = guard_is_linked(g, &f) ? guard_mask(g, g->at.fd, d->name) : 0;

	return r < 0 ? r : 0;
}

static bool is_deep(const struct guard_core *g, const char *name)
{
	return g->at.job.handle ||
	       strlen(g->tree[g->at.job.tree].path) + strlen(g->at.job.path) + strlen(name) >
		   GUARD_DEEP_BYTES;
}

static int look_deep(struct guard_core *g, const struct entry *d, bool may_match)
{
	char path[GUARD_PATH_BYTES];

	if (!may_match)
		return guard_scan_push_deep(g, &g->at.job, g->at.fd, d->name);
	snprintf(path, sizeof(path), "%.3000s/" GUARD_DEEP_PATH "/%s", g->tree[g->at.job.tree].path,
		 d->name);
	return look_at_denied(g, d->name, path);
}

static int look_at(struct guard_core *g, const struct entry *d)
{
	auto_free char *rel = NULL;
	auto_free char *path = NULL;
	const struct guard_tree *tree = &g->tree[g->at.job.tree];
	bool may_match = !g->at.job.for_links && guard_name_may_match(g, d->name);
	bool descends = is_dir(g, d);

	if (g->at.job.for_links && !descends)
		return look_for_link(g, d);
	if (!may_match && !descends)
		return 0;
	if (is_deep(g, d->name))
		return look_deep(g, d, may_match);
	if (asprintf(&rel, "%s/%s", g->at.job.path, d->name) < 0)
		return -ENOMEM;
	if (may_match) {
		/* rel starts with "./". */
		if (asprintf(&path, "%s%s", strcmp(tree->path, "/") ? tree->path : "", rel + 1) < 0)
			return -ENOMEM;
		if (guard_path_is_denied(g, path))
			return look_at_denied(g, d->name, path);
	}
	if (!descends)
		return 0;
	struct guard_job next = g->at.job; /* without a handle: it is not deep */

	next.path = rel;
	return guard_scan_push(g, &next);
}

static void forget(struct guard_job *job)
{
	free(take_ptr(job->path));
	free(take_ptr(job->handle));
}

/* The next directory, if it can still be opened. */
static int begin(struct guard_core *g)
{
	/* What is mounted further down is a tree of its own, or a mask. */
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve =
				    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };

	g->at.job = g->job[g->job_first];
	g->at.git_seen = 0;
	g->job_first = (g->job_first + 1) % g->job_room;
	g->n_jobs--;
	if (g->at.job.handle)
		g->at.fd = open_by_handle_at(g->tree[g->at.job.tree].fd, g->at.job.handle,
					     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else
		g->at.fd = (int)syscall(SYS_openat2, g->tree[g->at.job.tree].fd, g->at.job.path,
					&how, sizeof(how));
	if (g->at.fd >= 0)
		return 0;
	int r = -errno;

	forget(&g->at.job);
	/* Gone, or moved: then its new place was reported and is looked at. */
	return r == -ENOENT || r == -ESTALE || r == -EXDEV || r == -ENOTDIR || r == -ELOOP ||
		       r == -EAGAIN
		   ? 0
		   : r;
}

static void end(struct guard_core *g)
{
	close(take_fd(g->at.fd));
	forget(&g->at.job);
}

static int look_on(struct guard_core *g)
{
	long n = syscall(SYS_getdents64, g->at.fd, g->entries, GUARD_ENTRIES_BYTES);
	int r = n < 0 && errno != ENOENT ? -errno : 0;

	if (n <= 0) {
		if (r == 0)
			r = guard_git_looked(g);
		end(g);
		return r;
	}
	for (long at = 0; at < n && r == 0;) {
		const struct entry *d = (const void *)(g->entries + at);

		at += d->len;
		if (strcmp(d->name, ".") == 0 || strcmp(d->name, "..") == 0)
			continue;
		r = guard_git_saw(g, d->name);
		if (r == 0)
			r = look_at(g, d);
	}
	return r;
}

void guard_scan_leave_inside(struct guard_core *g)
{
	size_t n = g->n_jobs;

	g->links_done = true;
	if (g->at.fd >= 0 && g->at.job.origin != GUARD_INSIDE)
		end(g);
	for (size_t i = 0; i < n; i++) {
		struct guard_job job = g->job[g->job_first];

		g->job_first = (g->job_first + 1) % g->job_room;
		if (job.origin == GUARD_INSIDE)
			g->job[(g->job_first + g->n_jobs - 1) % g->job_room] = job;
		else
			g->n_jobs--;
		if (job.origin != GUARD_INSIDE)
			forget(&job);
	}
}

bool guard_scan_is_idle(const struct guard_core *g)
{
	return g->n_jobs == 0 && g->at.fd < 0 && (g->n_linked == 0 || g->links_done);
}

int guard_scan_step(struct guard_core *g)
{
	int r;

	if (guard_scan_is_idle(g))
		return 0;
	if (g->at.fd >= 0) {
		r = look_on(g);
	} else if (g->n_jobs > 0) {
		r = begin(g);
	} else {
		g->links_done = true;
		r = guard_scan_all(g, true);
	}
	return r < 0 ? r : 1;
}
