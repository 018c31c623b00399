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
#include "fs/guard_inner.h"

#define JOBS_FIRST 1024

struct entry {
	ino64_t ino;
	off64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

/* One directory under the eye. */
struct look {
	struct guard_core *g;
	const struct guard_tree *tree;
	const struct guard_job *job;
	int fd;
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
	for (size_t i = 0; i < g->n_jobs; i++)
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

	if (r < 0)
		return r;
	copy.path = strdup(job->path);
	if (!copy.path)
		return -ENOMEM;
	g->job[(g->job_first + g->n_jobs++) % g->job_room] = copy;
	return 0;
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

static bool is_dir(const struct look *l, const struct entry *d)
{
	struct stat st;

	if (d->type != DT_UNKNOWN)
		return d->type == DT_DIR;
	return fstatat(l->fd, d->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int look_at_denied(const struct look *l, const char *name, const char *path)
{
	if (l->job->origin == GUARD_INSIDE)
		return guard_expel(l->g, l->tree, l->fd, name, path);
	int r = guard_mask(l->g, l->fd, name);

	return r < 0 ? r : 0;
}

static int look_for_link(const struct look *l, const struct entry *d)
{
	struct guard_file f = { .dev = l->tree->dev, .ino = d->ino };
	int r = guard_is_linked(l->g, &f) ? guard_mask(l->g, l->fd, d->name) : 0;

	return r < 0 ? r : 0;
}

static int look_at(const struct look *l, const struct entry *d)
{
	auto_free char *rel = NULL;
	auto_free char *path = NULL;
	bool may_match = !l->job->for_links && guard_name_may_match(l->g, d->name);
	bool descends = is_dir(l, d);

	if (l->job->for_links && !descends)
		return look_for_link(l, d);
	if (!may_match && !descends)
		return 0;
	if (asprintf(&rel, "%s/%s", l->job->path, d->name) < 0)
		return -ENOMEM;
	if (may_match) {
		/* rel starts with "./". */
		if (asprintf(&path, "%s%s", strcmp(l->tree->path, "/") ? l->tree->path : "",
			     rel + 1) < 0)
			return -ENOMEM;
		if (guard_path_is_denied(l->g, path))
			return look_at_denied(l, d->name, path);
	}
	if (!descends)
		return 0;
	struct guard_job next = *l->job;

	next.path = rel;
	return guard_scan_push(l->g, &next);
}

static int look_through(const struct look *l)
{
	long n;
	int r = 0;

	while (r == 0 &&
	       (n = syscall(SYS_getdents64, l->fd, l->g->entries, GUARD_ENTRIES_BYTES)) != 0) {
		if (n < 0)
			return errno == ENOENT ? 0 : -errno;
		for (long at = 0; at < n && r == 0;) {
			const struct entry *d = (const void *)(l->g->entries + at);

			at += d->len;
			if (strcmp(d->name, ".") != 0 && strcmp(d->name, "..") != 0)
				r = look_at(l, d);
		}
	}
	return r;
}

int guard_scan_step(struct guard_core *g)
{
	/* What is mounted further down is a tree of its own, or a mask. */
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve =
				    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
	struct guard_job job;
	int r;

	if (g->n_jobs == 0 && g->n_linked > 0 && !g->links_done) {
		g->links_done = true;
		r = guard_scan_all(g, true);
		return r < 0 ? r : 1;
	}
	if (g->n_jobs == 0)
		return 0;
	job = g->job[g->job_first];
	g->job_first = (g->job_first + 1) % g->job_room;
	g->n_jobs--;

	auto_free char *path = job.path;
	struct look l = { .g = g, .tree = &g->tree[job.tree], .job = &job };
	auto_close int fd = (int)syscall(SYS_openat2, l.tree->fd, path, &how, sizeof(how));

	/* Gone, or moved: then its new place was reported and is looked at. */
	if (fd < 0)
		return errno == ENOENT || errno == EXDEV || errno == ENOTDIR || errno == ELOOP ||
			       errno == EAGAIN
			   ? 1
			   : -errno;
	l.fd = fd;
	r = look_through(&l);
	return r < 0 ? r : 1;
}
