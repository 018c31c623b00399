/* SPDX-License-Identifier: MIT */
/* While the first look goes on: every open in the trees is judged, path changes wait. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "base/clean.h"
#include "fs/guard_git.h"
#include "fs/guard_inner.h"

#define REQUEST_BYTES 16384

/* Two trees may be one mount, where another is stacked upon it: its mark goes with the first. */
static int mark_trees(const struct guard_core *g, unsigned action)
{
	for (size_t i = 0; i < g->n_trees; i++)
		if (fanotify_mark(g->permit, action | FAN_MARK_MOUNT, FAN_OPEN_PERM, g->tree[i].fd,
				  NULL) < 0 &&
		    !(action == FAN_MARK_REMOVE && errno == ENOENT))
			return -errno;
	return 0;
}

int guard_permit_mark(const struct guard_core *g, int fd)
{
	return fanotify_mark(g->permit, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN_PERM, fd, NULL) < 0
		   ? -errno
		   : 0;
}

int guard_permit_start(struct guard_core *g)
{
	if (g->holds_git) {
		int r = guard_calls_start(g);

		if (r < 0)
			return r;
	}
	g->permit =
	    fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE |
			      FAN_UNLIMITED_MARKS | FAN_REPORT_TID, /* since Linux 4.20 */
			  O_RDONLY | O_LARGEFILE | O_CLOEXEC);
	if (g->permit < 0)
		return -errno;
	return mark_trees(g, FAN_MARK_ADD);
}

/* Takes fd. */
static int answer(const struct guard_core *g, int fd, bool allows)
{
	struct fanotify_response a = { .fd = fd, .response = allows ? FAN_ALLOW : FAN_DENY };
	ssize_t n = write(g->permit, &a, sizeof(a));
	/* ENOENT: whoever asked was killed. */
	int r = n < 0 && errno != ENOENT ? -errno : 0;

	close(fd);
	return r;
}

static int hold(struct guard_core *g, int fd, const struct stat *st)
{
	struct guard_held *bigger = NULL;

	if (g->n_held < GUARD_MATES_MAX)
		bigger = reallocarray(g->held, g->n_held + 1, sizeof(*bigger));
	if (!bigger)
		return answer(g, fd, false);
	g->held = bigger;
	g->held[g->n_held++] =
	    (struct guard_held){ .fd = fd, .file = { .dev = st->st_dev, .ino = st->st_ino } };
	return 0;
}

static int judge(struct guard_core *g, int fd, pid_t tid)
{
	char path[GUARD_PATH_BYTES];
	struct stat st;

	if (fstat(fd, &st) < 0 || guard_path_of(g, fd, path, sizeof(path)) < 0)
		return answer(g, fd, false);
	if (guard_path_is_denied(g, path) || guard_git_forbids(g, path, tid))
		return answer(g, fd, false);
	/* Another of its names may be a denied one that was not met yet. */
	if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		return hold(g, fd, &st);
	return answer(g, fd, true);
}

int guard_permit_read(struct guard_core *g)
{
	char buffer[REQUEST_BYTES]
	    __attribute__((aligned(__alignof__(struct fanotify_event_metadata))));
	ssize_t n = read(g->permit, buffer, sizeof(buffer));
	const struct fanotify_event_metadata *m = (const void *)buffer;
	int r = 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOENT ? 0 : -errno;
	ssize_t left = n;

	for (; r == 0 && FAN_EVENT_OK(m, left); m = FAN_EVENT_NEXT(m, left)) {
		if (m->vers != FANOTIFY_METADATA_VERSION || m->fd < 0)
			return -EPROTO;
		r = judge(g, m->fd, m->pid);
	}
	return r < 0 ? r : n > 0;
}

int guard_permit_end(struct guard_core *g)
{
	/* Closing the group would allow whatever still waits, so nothing may. */
	int r = mark_trees(g, FAN_MARK_REMOVE);

	while (r == 0 && (r = guard_permit_read(g)) > 0)
		r = 0;
	for (size_t i = 0; i < g->n_held && r == 0; i++)
		r = answer(g, g->held[i].fd, !guard_is_linked(g, &g->held[i].file));
	if (r < 0)
		return r;
	g->n_held = 0;
	close(take_fd(g->permit));
	return 0;
}

int guard_listener_read(const struct guard_core *g)
{
	struct seccomp_notif call;
	struct seccomp_notif_resp go = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	memset(&call, 0, sizeof(call));
	if (ioctl(g->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		return errno == ENOENT || errno == EINTR || errno == EAGAIN ? 0 : -errno;
	/* Nothing is judged here, so nothing can change between a judgement and the call. */
	go.id = call.id;
	if (ioctl(g->listener, SECCOMP_IOCTL_NOTIF_SEND, &go) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}
