/* SPDX-License-Identifier: MIT */
/* What is in a cgroup that others made: cgroups, processes, fences; and stopping it for a moment.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"
#include "net/attached.h"
#include "policy/read.h"
#include "session/attach_cgroup.h"
#include "session/session.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define PROCS_MAX (4 << 20) /* bytes of a cgroup.procs */
#define FREEZE_US 500000    /* what does not stop by then goes on */
#define POLL_NS 1000000

/* ---- walking -------------------------------------------------------------------------------- */

struct walk {
	struct attach_tree tree;
	char **path; /* of the cgroups, below the top one ("." for itself) */
	size_t n;
};

static int add_pids(struct attach_tree *t, const char *text)
{
	while (*text) {
		char *end;
		long pid = strtol(text, &end, 10);
		pid_t *slot;

		if (end == text)
			break;
		text = end + strspn(end, "\n");
		if (pid <= 0) /* of another pid namespace */
			continue;
		if (t->n_pids == ATTACH_PIDS_MAX)
			return -E2BIG;
		slot = grow(&t->pid, t->n_pids, sizeof(*t->pid));
		if (!slot)
			return -ENOMEM;
		*slot = (pid_t)pid;
		t->n_pids++;
	}
	return 0;
}

static int collect_pids(int dir_fd, struct attach_tree *t)
{
	auto_free char *text = NULL;
	size_t len;
	int r = io_read_file(dir_fd, "cgroup.procs", PROCS_MAX, &text, &len);

	/* A threaded cgroup has its processes in the domain above. */
	if (r == -EOPNOTSUPP)
		r = io_read_file(dir_fd, "cgroup.threads", PROCS_MAX, &text, &len);
	if (r == -ENODEV || r == -ENOENT) /* removed meanwhile */
		return 0;
	return r < 0 ? r : add_pids(t, text);
}

static int add_path(struct walk *w, const char *parent, const char *name)
{
	char **slot;

	if (w->n == ATTACH_CGROUPS_MAX)
		return -E2BIG;
	slot = grow(&w->path, w->n, sizeof(*w->path));
	if (!slot || asprintf(slot, "%s%s%s", parent, *parent ? "/" : "", name) < 0)
		return -ENOMEM;
	w->n++;
	return 0;
}

static int add_children(struct walk *w, int dir_fd, const char *path)
{
	int copy = openat(dir_fd, ".", DIR_FLAGS);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int r = 0;

	if (!d)
		return -errno;
	while (r == 0 && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			r = add_path(w, strcmp(path, ".") == 0 ? "" : path, entry->d_name);
	closedir(d);
	return r;
}

static int visit(struct walk *w, int top_fd, const char *path)
{
	auto_close int fd = openat(top_fd, path, DIR_FLAGS);
	struct stat st;
	uint64_t *slot;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	slot = grow(&w->tree.id, w->tree.n_ids, sizeof(*w->tree.id));
	if (!slot)
		return -ENOMEM;
	*slot = st.st_ino;
	w->tree.n_ids++;
	r = collect_pids(fd, &w->tree);
	return r < 0 ? r : add_children(w, fd, path);
}

/* fn (may be NULL) is called with each cgroup's path below the top one. */
static int walk_tree(const struct attach_cgroup *c, struct attach_tree *ret,
		     int (*fn)(void *data, const char *path), void *data)
{
	struct walk w = { .n = 0 };
	int r = add_path(&w, "", ".");

	for (size_t i = 0; i < w.n && r == 0; i++) {
		r = visit(&w, c->fd, w.path[i]);
		if (r == 0 && fn)
			r = fn(data, w.path[i]);
	}
	for (size_t i = 0; i < w.n; i++)
		free(w.path[i]);
	free(w.path);
	if (r < 0)
		attach_tree_done(&w.tree);
	else
		*ret = w.tree;
	return r;
}

int attach_tree_read(const struct attach_cgroup *c, struct attach_tree *ret)
{
	return walk_tree(c, ret, NULL, NULL);
}

bool attach_tree_has(const struct attach_tree *t, uint64_t cgroup_id)
{
	for (size_t i = 0; i < t->n_ids; i++)
		if (t->id[i] == cgroup_id)
			return true;
	return false;
}

void attach_tree_done(struct attach_tree *t)
{
	free(t->id);
	free(t->pid);
	*t = (struct attach_tree){ 0 };
}

/* ---- what can't be fenced ------------------------------------------------------------------- */

struct look {
	int top_fd;
	const char *fenced; /* a path with a fence; free() it */
};

static int look_for_fence(void *data, const char *path)
{
	struct look *l = data;
	auto_close int fd = openat(l->top_fd, path, DIR_FLAGS);
	int n = fd < 0 ? 0 : net_attached(fd, NET_DIRECT);

	if (n > 0 && !l->fenced)
		l->fenced = strdup(path);
	return n < 0 ? n : 0;
}

static int refuse_fenced(const struct attach_cgroup *c, struct pinfold_error *e)
{
	struct look l = { .top_fd = c->fd };
	struct attach_tree tree = { 0 };
	int r = walk_tree(c, &tree, look_for_fence, &l);
	auto_free const char *fenced = l.fenced;
	int above = r == 0 ? net_attached(c->fd, NET_EFFECTIVE) : 0;

	attach_tree_done(&tree);
	r = r == 0 && above < 0 ? above : r;
	if (r < 0)
		return err_set(e, r, "cannot ask which programs %.150s has: %s%s", c->path,
			       strerror(-r), r == -EPERM ? " (CAP_NET_ADMIN is missing)" : "");
	if (fenced && strcmp(fenced, ".") == 0)
		return err_set(e, -EBUSY,
			       "%.120s has a fence already; 'pinfold detach --cgroup' takes it off",
			       c->path);
	if (fenced)
		return err_set(e, -EBUSY, "%.100s/%.100s, inside, has a fence already", c->path,
			       fenced);
	if (above > 0)
		return err_set(e, -EBUSY, "a cgroup above %.150s has a fence already", c->path);
	return 0;
}

int attach_refuse(const struct attach_cgroup *c, const struct attach_tree *t,
		  struct pinfold_error *e)
{
	for (size_t i = 0; i < t->n_pids; i++)
		if (t->pid[i] == getpid())
			return err_set(e, -EINVAL,
				       "this very process is in %.150s, and could not serve what "
				       "it fences; start it from another cgroup",
				       c->path);
	return refuse_fenced(c, e);
}

/* ---- stopping it ---------------------------------------------------------------------------- */

static _Noreturn void be_waker(const struct attach_cgroup *c, int pipe_end)
{
	int keep[] = { c->fd, pipe_end };
	char word;

	if (keep[0] > keep[1]) {
		keep[0] = pipe_end;
		keep[1] = c->fd;
	}
	setsid();
	prctl(PR_SET_NAME, "pinfold-waker");
	session_close_all_but(keep, ARRAY_SIZE(keep));
	if (read(pipe_end, &word, 1) != 1)
		io_write_file(c->fd, "cgroup.freeze", "0");
	_exit(0);
}

static bool has_frozen(const struct attach_cgroup *c)
{
	auto_free char *text = NULL;
	size_t len;

	return io_read_file(c->fd, "cgroup.events", 4096, &text, &len) == 0 &&
	       strstr(text, "frozen 1");
}

void attach_freeze(const struct attach_cgroup *c, struct attach_freeze *ret)
{
	const struct timespec moment = { .tv_nsec = POLL_NS };
	const uint64_t deadline = clock_us() + FREEZE_US;
	int ends[2];

	*ret = (struct attach_freeze){ .pipe = -1 };
	if (has_frozen(c) || pipe2(ends, O_CLOEXEC) < 0)
		return;
	ret->waker = fork();
	if (ret->waker == 0)
		be_waker(c, ends[0]);
	close(ends[0]);
	ret->pipe = ends[1];
	if (ret->waker < 0 || io_write_file(c->fd, "cgroup.freeze", "1") < 0)
		return;
	while (!has_frozen(c) && clock_us() < deadline)
		nanosleep(&moment, NULL);
}

void attach_thaw(const struct attach_cgroup *c, struct attach_freeze *f)
{
	if (f->pipe < 0)
		return;
	io_write_file(c->fd, "cgroup.freeze", "0");
	if (write(f->pipe, "x", 1) != 1 && f->waker > 0)
		child_kill(f->waker);
	close(take_fd(f->pipe));
	if (f->waker > 0)
		waitpid(f->waker, NULL, 0);
	f->waker = 0;
}
