/* SPDX-License-Identifier: MIT */
/* The guard's process: meets the pen, looks, then waits for reports until the end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/lessen.h"
#include "fs/fence.h"
#include "fs/guard_git.h"
#include "fs/guard_inner.h"
#include "fs/guard_wire.h"

#define LAUNCH_BUDGET_US 3000 /* the command is held no longer than this */
#define LAUNCH_SAMPLE_US 500  /* after which it is plain whether that will do */
#define STEPS_PER_DIR 3       /* of a small directory: opened, read, found to be at its end */

#define LOOKING_NICE 10
#define END_MS 5000

enum slot { SLOT_SUPERVISOR = 0, SLOT_PEN, SLOT_NOTIFY, SLOT_PERMIT, SLOT_LISTENER, SLOTS };

static int settle_names(struct guard_core *g)
{
	int r;

	do
		r = guard_read_names(g);
	while (r > 0);
	return r;
}

/* One directory more.  The look is over only when nothing was reported meanwhile. */
static int look_on(struct guard_core *g, bool *ret_over)
{
	int r = guard_scan_step(g);

	if (r == 0)
		r = settle_names(g);
	if (r < 0)
		return r;
	*ret_over = r == 0 && guard_scan_is_idle(g);
	return 0;
}

/* Whether what is known to be left takes more than what is left of the budget, twice.  A large tree
 * is not to cost the whole of it for nothing. */
static bool is_hopeless(const struct guard_core *g, uint64_t spent_us, uint64_t steps)
{
	return spent_us >= LAUNCH_BUDGET_US ||
	       (spent_us >= LAUNCH_SAMPLE_US && g->n_jobs * STEPS_PER_DIR * spent_us / steps >
						    2 * (uint64_t)(LAUNCH_BUDGET_US - spent_us));
}

static int look_within_budget(struct guard_core *g, bool *ret_over)
{
	/* There is one listener for system calls, and an observer needs it. */
	bool waits = fs_fence_observes(g->fence);
	uint64_t begin = clock_us();
	uint64_t steps = 0;
	int r = 0;

	*ret_over = false;
	while (r == 0 && !*ret_over && (waits || !is_hopeless(g, clock_us() - begin, ++steps)))
		r = look_on(g, ret_over);
	return r;
}

static int join(struct guard_core *g, int mount_ns)
{
	struct stat st;
	int r;

	if (setns(mount_ns, CLONE_NEWNS) < 0 || fstat(g->store, &st) < 0)
		return -errno;
	g->store_dev = st.st_dev;
	r = guard_git_start(g);
	if (r == 0)
		r = guard_trees_find(g);
	return r < 0 ? r : guard_scan_all(g, false);
}

static int meet(struct guard_core *g)
{
	struct guard_greeting hello;
	struct guard_reply reply = { 0 };
	struct guard_mail mail = { .fd = -1 };
	bool over = false;
	int r = guard_wire_receive(g->pen, &hello, sizeof(hello), &mail);
	auto_close int fd = mail.fd;

	if (r < 0)
		return r;
	if (hello.word == GUARD_HELLO_LISTENER) {
		if (fd < 0)
			return -EPROTO;
		g->listener = take_fd(fd);
		return 0;
	}
	if (hello.word != GUARD_HELLO_VIEW || fd < 0 || mail.pid <= 1 || g->init >= 0)
		return -EPROTO;
	g->init = pidfd_open(mail.pid, 0);
	r = g->init < 0 ? -errno : join(g, fd);
	if (r == 0)
		r = look_within_budget(g, &over);
	if (r == 0 && !over) {
		r = guard_permit_start(g);
		reply.hold = 1;
		g->rests = true;
		/* What the command does is more urgent than the rest of the look. */
		setpriority(PRIO_PROCESS, 0, LOOKING_NICE);
	}
	reply.error = r;
	if (send(g->pen, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
		return -errno;
	return r;
}

static int on_pen(struct guard_core *g)
{
	int r = meet(g);

	if (r != -EPIPE)
		return r;
	/* Nobody is at the other end any more: the command runs. */
	close(take_fd(g->pen));
	return 0;
}

static int on_listener(struct guard_core *g)
{
	/* Who waits there waits for the end of the look. */
	g->rests = false;
	return g->permit < 0 ? guard_listener_read(g) : 0;
}

/* While the pen is being built, the other fences need the processors. */
static bool is_resting(struct guard_core *g)
{
	g->rests = g->rests && g->n_held == 0;
	return g->rests;
}

/* Returns whether the end is asked for, or the supervisor is gone. */
static bool hear_supervisor(struct guard_core *g)
{
	char go;

	if (recv(g->supervisor, &go, sizeof(go), MSG_DONTWAIT) <= 0)
		return true;
	g->rests = false;
	return false;
}

static int (*const on_slot[])(struct guard_core *g) = {
	[SLOT_PEN] = on_pen,
	[SLOT_NOTIFY] = guard_read_names,
	[SLOT_PERMIT] = guard_permit_read,
	[SLOT_LISTENER] = on_listener,
};

_Static_assert(ARRAY_SIZE(on_slot) == SLOTS, "one function for each slot");

/* The supervisor asks for the end, or is gone.  What was planted last goes out first, and for that
 * nothing may run inside any more. */
static int finish(struct guard_core *g)
{
	struct pollfd end = { .fd = g->init, .events = POLLIN };

	if (g->init < 0)
		return 0;
	/* Somebody waits for this end. */
	setpriority(PRIO_PROCESS, 0, 0);
	if (pidfd_send_signal(g->init, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
		return -errno;
	/* Pid 1 of the pen ends after everything in it. */
	if (poll(&end, 1, END_MS) < 1)
		return -ETIMEDOUT;
	int r = settle_names(g);
	bool over = false;

	guard_scan_leave_inside(g);
	while (r == 0 && !over)
		r = look_on(g, &over);
	return r;
}

static int end_of_look(struct guard_core *g)
{
	int r = guard_permit_end(g);

	setpriority(PRIO_PROCESS, 0, 0);
	return r;
}

static int serve(struct guard_core *g)
{
	for (;;) {
		bool rests = is_resting(g);
		bool looks = !rests && (!guard_scan_is_idle(g) || g->permit >= 0);
		bool over = false;
		struct pollfd p[SLOTS] = {
			[SLOT_SUPERVISOR] = { .fd = g->supervisor, .events = POLLIN },
			[SLOT_PEN] = { .fd = g->pen, .events = POLLIN },
			[SLOT_NOTIFY] = { .fd = g->notify, .events = POLLIN },
			[SLOT_PERMIT] = { .fd = g->permit, .events = POLLIN },
			[SLOT_LISTENER] = { .fd = rests || g->permit < 0 ? g->listener : -1,
					    .events = POLLIN },
		};
		int r = poll(p, SLOTS, looks ? 0 : -1);

		if (r < 0)
			return -errno;
		if (p[SLOT_SUPERVISOR].revents && hear_supervisor(g))
			return finish(g);
		r = 0;
		for (int s = SLOT_PEN; s < SLOTS && r >= 0; s++)
			if (p[s].revents)
				r = on_slot[s](g);
		if (p[SLOT_LISTENER].revents & POLLHUP)
			close(take_fd(g->listener));
		if (r >= 0 && looks)
			r = look_on(g, &over);
		if (r >= 0 && over && g->permit >= 0)
			r = end_of_look(g);
		if (r < 0)
			return r;
	}
}

/* docs/threat-model.md lists the same, and a test compares. */
static const struct lessen_cap KEPT[] = {
	{ CAP_SYS_ADMIN, "masks are mounted in the pen; the kernel reports new names (fanotify)" },
	{ CAP_SYS_CHROOT, "joining the pen's mount namespace" },
	{ CAP_DAC_READ_SEARCH, "directories are opened by handle" },
	{ CAP_DAC_OVERRIDE, "what was planted is moved to the quarantine, whosever it is" },
	{ CAP_FOWNER, "the same, in sticky directories" },
	{ CAP_CHOWN, "the same, by copy from another mount" },
	{ CAP_KILL, "the pen's processes have another uid" },
	{ CAP_SYS_PTRACE, "whether an open that waits is for writing" },
	{ CAP_SYS_NICE, "its own priority, low while it looks, comes back" },
};

void guard_main(struct guard_core *g)
{
	struct rlimit files;
	int r;

	prctl(PR_SET_NAME, "pinfold-guard");
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	g->entries = malloc(GUARD_ENTRIES_BYTES);
	r = g->entries ? lessen_to(KEPT, ARRAY_SIZE(KEPT)) : -ENOMEM;
	if (r == 0)
		r = guard_names_compile(g);
	if (r == 0)
		r = serve(g);
	if (r < 0)
		guard_tell(g, GUARD_FAILED, r, "", "");
	guard_prune_quarantine(g);
	_exit(r < 0);
}
