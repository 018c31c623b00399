/* SPDX-License-Identifier: MIT */
#include "session/look_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "policy/paths.h"

#define REQUEST_BYTES 16384
#define MOUNTINFO_BYTES_MAX ((size_t)16 * 1024 * 1024)

static bool is_only_shown(const struct look_gate *g, const char *path)
{
	struct path_judgement j = path_set_judge(g->shown, path);

	return j.right != PATH_DENY && j.rule && strcmp(j.rule->origin, PATH_ORIGIN_OBSERVE) == 0;
}

/* Through init's root: the marks are on the pen's mounts, and nobody else uses those. */
static int mark(const struct look_gate *g, pid_t init, const char *path)
{
	char inside[PATH_MAX];
	int n = snprintf(inside, sizeof(inside), "/proc/%d/root%s", (int)init, path);

	if (n >= (int)sizeof(inside))
		return -ENAMETOOLONG;
	if (fanotify_mark(g->fd, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN_PERM, AT_FDCWD, inside) ==
	    0)
		return 0;
	struct statfs fs;
	int code = -errno;

	/* The kernel has no such questions for process directories, and no files of names that
	 * anybody chose are in there. */
	return code == -EINVAL && statfs(inside, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC ? 0
											    : code;
}

static int mark_all(const struct look_gate *g, pid_t init)
{
	auto_free char *text = NULL;
	char path[64];
	size_t len;
	char *rest;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)init);
	r = io_read_file(AT_FDCWD, path, MOUNTINFO_BYTES_MAX, &text, &len);
	rest = text;
	while (r == 0 && rest && *rest) {
		const char *point = mountinfo_point(strsep(&rest, "\n"));

		if (point && is_only_shown(g, point))
			r = mark(g, init, point);
		/* Mounted over, or nothing that opens. */
		if (r == -ENOENT || r == -ENOTDIR || r == -EACCES)
			r = 0;
	}
	return r;
}

int look_gate_open(struct look_gate *g, const struct path_set *shown, pid_t init,
		   struct pinfold_error *e)
{
	int r = 0;

	g->shown = shown;
	g->fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE |
				  FAN_UNLIMITED_MARKS,
			      O_RDONLY | O_LARGEFILE | O_CLOEXEC);
	if (g->fd < 0)
		r = -errno;
	if (r == 0)
		r = mark_all(g, init);
	return r < 0 ? err_set(e, r, "cannot keep secrets shut while observing: %s", strerror(-r))
		     : 0;
}

static bool is_denied(const struct look_gate *g, int fd)
{
	char link[64];
	char path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return true;
	path[n] = '\0';
	return path_set_judge(g->shown, path).right == PATH_DENY;
}

void look_gate_serve(const struct look_gate *g)
{
	char buffer[REQUEST_BYTES]
	    __attribute__((aligned(__alignof__(struct fanotify_event_metadata))));
	ssize_t left = read(g->fd, buffer, sizeof(buffer));
	const struct fanotify_event_metadata *m = (const void *)buffer;

	for (; left > 0 && FAN_EVENT_OK(m, left); m = FAN_EVENT_NEXT(m, left)) {
		struct fanotify_response a = { .fd = m->fd };

		if (m->fd < 0)
			continue;
		a.response = is_denied(g, m->fd) ? FAN_DENY : FAN_ALLOW;
		(void)!write(g->fd, &a, sizeof(a)); /* the caller may be gone */
		close(m->fd);
	}
}

void look_gate_done(struct look_gate *g)
{
	if (g->fd >= 0)
		close(take_fd(g->fd));
}
