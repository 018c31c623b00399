/* SPDX-License-Identifier: MIT */
/* The kernel's reports: a name appeared in a directory, made by someone inside or outside. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/guard_git.h"
#include "fs/guard_inner.h"

#define REPORT_BYTES 65536

struct report {
	uint64_t mask;
	enum guard_origin origin;
	uint64_t fsid;
	struct file_handle *dir; /* in the buffer */
	const char *name;
};

/* A directory of the reported file system through the tree's mount; -ENOENT when it isn't in it. */
static int open_in_tree(const struct guard_tree *t, struct file_handle *handle)
{
	auto_close int fd = open_by_handle_at(t->fd, handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ESTALE || errno == ENOTDIR || errno == ENOENT ? -ENOENT : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_dev != t->dev || st.st_ino != t->ino) {
		/* The kernel refuses ".." where the mount's root isn't above. */
		auto_close int up = openat(fd, "..", O_PATH | O_CLOEXEC);

		if (up < 0)
			return -ENOENT;
	}
	return take_fd(fd);
}

static bool dir_needs_look(const struct guard_core *g, const struct report *rep, const char *path)
{
	if (!(rep->mask & FAN_ONDIR) || !(rep->mask & FAN_MOVED_TO))
		return false;
	/* What an insider moves was looked at before: until the first look is over, moves wait. */
	return rep->origin == GUARD_OUTSIDE || guard_dir_leads_to_denied(g, path) ||
	       guard_git_leads_to_held(g, path);
}

/* Where a reported name is. */
struct place {
	size_t tree;
	int dir;
	bool deep; /* path is no path */
	char path[GUARD_PATH_BYTES];
};

static int look_below(struct guard_core *g, const struct place *p, const struct report *rep)
{
	const struct guard_tree *t = &g->tree[p->tree];
	size_t skip = strcmp(t->path, "/") ? strlen(t->path) : 0;
	auto_free char *rel = NULL;
	struct guard_job job = { .tree = p->tree, .origin = rep->origin };

	if (p->deep)
		return guard_scan_push_deep(g, &job, p->dir, rep->name);
	if (asprintf(&rel, ".%s", p->path + skip) < 0)
		return -ENOMEM;
	job.path = rel;
	return guard_scan_push(g, &job);
}

static int find_path(const struct guard_core *g, const char *name, struct place *p)
{
	char dir_path[GUARD_PATH_BYTES];
	int r = guard_path_of(g, p->dir, dir_path, sizeof(dir_path));

	if (r < 0 && r != -ENAMETOOLONG)
		return r;
	p->deep = r < 0 || strlen(dir_path) + strlen(name) > GUARD_DEEP_BYTES;
	if (p->deep)
		snprintf(p->path, sizeof(p->path), "%.3000s/" GUARD_DEEP_PATH "/%s",
			 g->tree[p->tree].path, name);
	else
		snprintf(p->path, sizeof(p->path), "%.3600s/%s",
			 strcmp(dir_path, "/") ? dir_path : "", name);
	return 0;
}

static bool is_denied(const struct guard_core *g, const struct place *p, const char *name)
{
	return p->deep ? guard_name_may_match(g, name) : guard_path_is_denied(g, p->path);
}

static int settle(struct guard_core *g, size_t tree, const struct report *rep)
{
	const struct guard_tree *t = &g->tree[tree];
	auto_close int dir = open_in_tree(t, rep->dir);
	struct place p = { .tree = tree, .dir = dir };
	const char *path = p.path;
	int r = dir < 0 ? dir : find_path(g, rep->name, &p);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (is_denied(g, &p, rep->name)) {
		if (rep->origin == GUARD_INSIDE) {
			/* The look may have masked it before its report was read. */
			r = guard_uncover(g, dir, rep->name);
			return r < 0 ? r : guard_expel(g, t, dir, rep->name, path);
		}
		r = guard_mask(g, dir, rep->name);
		if (r > 0)
			guard_tell(g, GUARD_MASKED, 0, path, "");
		return r < 0 ? r : 0;
	}
	struct guard_git_name name = {
		.tree = tree, .dir = dir, .name = rep->name, .path = path, .origin = rep->origin
	};

	r = guard_git_name_matters(g, rep->name) ? guard_git_appeared(g, &name) : 0;
	if (r < 0)
		return r;
	return dir_needs_look(g, rep, path) ? look_below(g, &p, rep) : 0;
}

static int handle(struct guard_core *g, const struct report *rep)
{
	bool is_moved_dir = (rep->mask & FAN_ONDIR) && (rep->mask & FAN_MOVED_TO);
	int r = 0;

	if (!is_moved_dir && !guard_name_may_match(g, rep->name) &&
	    !guard_git_name_matters(g, rep->name))
		return 0;
	for (size_t i = 0; i < g->n_trees && r == 0; i++)
		if (g->tree[i].fsid == rep->fsid)
			r = settle(g, i, rep);
	return r;
}

/* The only shape that was asked for: one directory, one name. */
static int parse(struct fanotify_event_metadata *m, struct report *ret)
{
	struct fanotify_event_info_fid *info = (void *)(m + 1);

	if (m->vers != FANOTIFY_METADATA_VERSION || (m->mask & FAN_Q_OVERFLOW) ||
	    m->event_len < sizeof(*m) + sizeof(*info) + sizeof(struct file_handle) ||
	    info->hdr.info_type != FAN_EVENT_INFO_TYPE_DFID_NAME)
		return -EPROTO;
	ret->mask = m->mask;
	ret->origin = m->pid ? GUARD_INSIDE : GUARD_OUTSIDE;
	memcpy(&ret->fsid, &info->fsid, sizeof(ret->fsid));
	ret->dir = (struct file_handle *)info->handle;
	ret->name = (const char *)ret->dir->f_handle + ret->dir->handle_bytes;
	return 0;
}

int guard_read_names(struct guard_core *g)
{
	auto_free char *buffer = malloc(REPORT_BYTES);
	ssize_t n = buffer ? read(g->notify, buffer, REPORT_BYTES) : 0;
	struct fanotify_event_metadata *m = (void *)buffer;
	int r = 0;

	if (!buffer)
		return -ENOMEM;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	ssize_t left = n;

	for (; r == 0 && FAN_EVENT_OK(m, left); m = FAN_EVENT_NEXT(m, left)) {
		struct report rep;

		r = parse(m, &rep);
		if (r == 0 && m->pid != getpid())
			r = handle(g, &rep);
	}
	return r < 0 ? r : n > 0;
}
