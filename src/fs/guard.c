/* SPDX-License-Identifier: MIT */
/* The supervisor's and init's half of the guard. */
#include "fs/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sched.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "fs/fence.h"
#include "fs/guard_inner.h"
#include "fs/guard_wire.h"

#define FDINFO_BYTES_MAX 4096
#define BIRTH_STACK_BYTES ((size_t)1024 * 1024)
#define FINISH_MS 8000
#define KILL_MS 1000

struct guard {
	pid_t pid;
	int fd;       /* messages, SOCK_SEQPACKET */
	int pen;      /* init's end of its own line */
	int notify;   /* kept open: the kernel's reports outlive the guard's process */
	int pids;     /* the guard's pid namespace */
	int own_pids; /* the caller's */
	bool is_done;
};

/* ---- the guard's process -------------------------------------------------------------------- */

static int keep_only(const int *fd, size_t n)
{
	unsigned next = 3;

	for (size_t i = 0; i < n; i++) {
		if ((unsigned)fd[i] > next && close_range(next, (unsigned)fd[i] - 1, 0) < 0)
			return -errno;
		next = (unsigned)fd[i] + 1;
	}
	return close_range(next, ~0u, 0) < 0 ? -errno : 0;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static _Noreturn void be_guard(struct guard_core *core)
{
	sigset_t all;
	int keep[] = { core->supervisor, core->pen, core->notify, core->store, 0, 0 };

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	core->host_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	core->proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (core->host_root < 0 || core->proc < 0)
		_exit(1);
	keep[4] = core->host_root;
	keep[5] = core->proc;
	qsort(keep, ARRAY_SIZE(keep), sizeof(keep[0]), by_number);
	if (keep_only(keep, ARRAY_SIZE(keep)) < 0)
		_exit(1);
	guard_main(core);
}

/* fork(2) as pid 1 of a namespace of its own; the caller's later children are born in its old one
 * again. */
static int start(struct guard *g, struct guard_core *core)
{
	int r = 0;

	g->own_pids = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (g->own_pids < 0 || unshare(CLONE_NEWPID) < 0)
		return -errno;
	g->pid = fork();
	if (g->pid == 0)
		be_guard(core);
	if (g->pid < 0)
		r = -errno;
	if (r == 0)
		g->pids = open("/proc/self/ns/pid_for_children", O_RDONLY | O_CLOEXEC);
	if (r == 0 && g->pids < 0)
		r = -errno;
	if (setns(g->own_pids, CLONE_NEWPID) < 0)
		r = -errno;
	return r;
}

static int watch_names(void)
{
	int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE |
				   FAN_UNLIMITED_MARKS | FAN_REPORT_DFID_NAME, /* since Linux 5.9 */
			       O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int guard_try(void)
{
	int fd = watch_names();

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int open_lines(struct guard *g, struct guard_core *core)
{
	int supervisor[2];
	int pen[2];
	int on = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, supervisor) < 0)
		return -errno;
	g->fd = supervisor[0];
	core->supervisor = supervisor[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pen) < 0)
		return -errno;
	g->pen = pen[0];
	core->pen = pen[1];
	/* Before anybody can write to it. */
	if (setsockopt(core->pen, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return -errno;
	core->notify = watch_names();
	if (core->notify < 0)
		return core->notify;
	g->notify = core->notify;
	return 0;
}

int guard_new(const struct path_set *set, const struct fs_fence *fence, const char *quarantine,
	      enum guard_strictness strictness, struct guard **ret, struct pinfold_error *e)
{
	struct guard *g = calloc(1, sizeof(*g));
	struct guard_core core = {
		.set = set,
		.fence = fence,
		.strictness = strictness,
		.quarantine = quarantine,
		.quarantine_fd = -1,
		.supervisor = -1,
		.pen = -1,
		.permit = -1,
		.listener = -1,
		.store = fs_fence_store(fence),
		.holds_git = fs_fence_holds_git(fence),
		.calls = -1,
		.init = -1,
		.at = { .fd = -1 },
	};
	int r;

	if (!g)
		return err_set(e, -ENOMEM, "out of memory");
	g->fd = g->pen = g->notify = g->pids = g->own_pids = -1;
	r = open_lines(g, &core);
	if (r == 0)
		r = start(g, &core);
	clean_close(&core.supervisor);
	clean_close(&core.pen);
	if (r < 0) {
		guard_free(g);
		return err_set(e, r, "cannot start the guard of denied names: %s", strerror(-r));
	}
	*ret = g;
	return 0;
}

/* ---- the pen's birth ------------------------------------------------------------------------ */

struct birth {
	struct clone_args args;
	void (*child)(void *data);
	void *data;
	int error;
};

/* Runs on a stack of its own in the caller's memory, as a process of the guard's namespace: only
 * such a process may make a namespace nested in it.  The child is the caller's. */
static int give_birth(void *data)
{
	struct birth *b = data;
	long pid = syscall(SYS_clone3, &b->args, sizeof(b->args));

	if (pid == 0) {
		b->child(b->data);
		_exit(1);
	}
	b->error = pid < 0 ? -errno : 0;
	_exit(0);
}

/* A pid as the caller's namespace has it; clone3() gave that of the guard's. */
static pid_t pid_of(int pidfd)
{
	auto_free char *text = NULL;
	char path[64];
	size_t len;
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (io_read_file(AT_FDCWD, path, FDINFO_BYTES_MAX, &text, &len) < 0)
		return -ESRCH;
	at = strstr(text, "\nPid:");
	long pid = at ? strtol(at + strlen("\nPid:"), NULL, 10) : 0;

	return pid > 1 ? (pid_t)pid : -ESRCH;
}

/* A process that can't be named is nobody's to wait for later. */
static void undo_birth(int pidfd)
{
	siginfo_t info;

	pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) < 0 && errno == EINTR)
		continue;
}

pid_t guard_clone(const struct guard *g, const struct clone_args *args, void (*child)(void *data),
		  void *data)
{
	struct birth b = { .args = *args, .child = child, .data = data, .error = -ECHILD };
	char *stack = mmap(NULL, BIRTH_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pid_t helper = -1;

	if (stack == MAP_FAILED)
		return -errno;
	b.args.flags |= CLONE_PARENT;
	b.args.exit_signal = 0; /* as the helper's: wait for it with __WALL */
	if (setns(g->pids, CLONE_NEWPID) < 0) {
		b.error = -errno;
	} else {
		helper = clone(give_birth, stack + BIRTH_STACK_BYTES,
			       CLONE_VM | CLONE_VFORK | CLONE_FILES, &b);
		if (helper < 0)
			b.error = -errno;
		if (setns(g->own_pids, CLONE_NEWPID) < 0)
			b.error = -errno;
	}
	while (helper > 0 && waitpid(helper, NULL, __WALL) < 0 && errno == EINTR)
		continue;
	munmap(stack, BIRTH_STACK_BYTES);
	if (b.error < 0)
		return b.error;
	const int *pidfd;
	pid_t pid;

	memcpy(&pidfd, &b.args.pidfd, sizeof(pidfd)); /* an address in 64 bits */
	pid = pid_of(*pidfd);
	if (pid < 0)
		undo_birth(*pidfd);
	return pid;
}

int guard_meet(const struct guard *g, bool *ret_hold)
{
	struct guard_greeting hello = { .word = GUARD_HELLO_VIEW };
	struct guard_reply reply;
	auto_close int ns = -1;
	int r;

	*ret_hold = false;
	if (!g)
		return 0;
	ns = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (ns < 0)
		return -errno;
	r = guard_wire_send(g->pen, &hello, sizeof(hello), ns);
	if (r < 0)
		return r;
	if (recv(g->pen, &reply, sizeof(reply), 0) != sizeof(reply))
		return -EPIPE;
	*ret_hold = reply.hold;
	return reply.error;
}

int guard_hold(const struct guard *g)
{
	struct guard_greeting hello = { .word = GUARD_HELLO_LISTENER };
	auto_close int listener = guard_wire_install();

	return listener < 0 ? listener : guard_wire_send(g->pen, &hello, sizeof(hello), listener);
}

/* ---- while it runs -------------------------------------------------------------------------- */

void guard_go(const struct guard *g)
{
	const char go = 1;

	/* If it is dead, so is the pen. */
	if (g)
		(void)!send(g->fd, &go, sizeof(go), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int guard_fd(const struct guard *g)
{
	return g ? g->fd : -1;
}

int guard_receive(const struct guard *g, struct guard_message *ret)
{
	ssize_t n = recv(g->fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	if (n != sizeof(*ret) || ret->word >= GUARD_WORDS)
		return -EPROTO;
	ret->path[sizeof(ret->path) - 1] = '\0';
	ret->moved_to[sizeof(ret->moved_to) - 1] = '\0';
	return 0;
}

pid_t guard_pid(const struct guard *g)
{
	return g->pid;
}

static bool has_ended_within(int pidfd, int ms)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	int n;

	do
		n = poll(&end, 1, ms);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

void guard_finish(struct guard *g)
{
	auto_close int pidfd = -1;

	if (!g || g->pid <= 1 || g->is_done)
		return;
	g->is_done = true;
	/* Init's end is open here as well. */
	clean_close(&g->pen);
	g->pen = -1;
	shutdown(g->fd, SHUT_WR);
	pidfd = pidfd_open(g->pid, 0);
	if (pidfd >= 0 && !has_ended_within(pidfd, FINISH_MS)) {
		child_kill(g->pid);
		has_ended_within(pidfd, KILL_MS);
	}
	waitpid(g->pid, NULL, WNOHANG);
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	guard_finish(g);
	clean_close(&g->fd);
	clean_close(&g->pen);
	clean_close(&g->notify);
	clean_close(&g->pids);
	clean_close(&g->own_pids);
	free(g);
}
