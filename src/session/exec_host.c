/* SPDX-License-Identifier: MIT */
/* A command without fences of ours: it is the caller's child, and gets the caller's signals. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "session/exec.h"

static const int PASSED_ON[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

struct child {
	pid_t pid;
	int pidfd;
	int signals;
	int report; /* the child's word that it could not start */
	sigset_t old;
};

static void start(const char *path, char *const *argv, const sigset_t *mask, int report)
{
	int code;

	/* Signal handlers of the caller are gone with exec; ignored signals stay ignored. */
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (path)
		execv(path, argv);
	else
		execvp(argv[0], argv);
	code = errno;
	while (write(report, &code, sizeof(code)) < 0 && errno == EINTR)
		;
	_exit(code == ENOENT ? 127 : 126);
}

static int give_birth(struct child *c, const char *path, char *const *argv)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	c->pid = fork();
	if (c->pid == 0)
		start(path, argv, &c->old, ends[1]);
	int r = c->pid < 0 ? -errno : 0;

	close(ends[1]);
	c->report = ends[0];
	if (r == 0) {
		c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
		r = c->pidfd < 0 ? -errno : 0;
	}
	return r;
}

/* What the terminal sent, the child has got as well: it is in our process group. */
static void pass_on(const struct child *c)
{
	struct signalfd_siginfo info;

	if (read(c->signals, &info, sizeof(info)) == sizeof(info) && info.ssi_code != SI_KERNEL)
		kill(c->pid, (int)info.ssi_signo);
}

static void watch(const struct child *c)
{
	struct pollfd fds[] = { { .fd = c->pidfd, .events = POLLIN },
				{ .fd = c->signals, .events = POLLIN } };

	while (!(fds[0].revents & POLLIN)) {
		fds[0].revents = 0;
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents & POLLIN)
			pass_on(c);
	}
}

static int prepare(struct child *c)
{
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(PASSED_ON); i++)
		sigaddset(&block, PASSED_ON[i]);
	c->signals = signalfd(-1, &block, SFD_CLOEXEC);
	if (c->signals < 0)
		return -errno;
	pthread_sigmask(SIG_BLOCK, &block, &c->old);
	return 0;
}

static void end(struct child *c)
{
	const int fds[] = { c->pidfd, c->report, c->signals };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (c->signals >= 0)
		pthread_sigmask(SIG_SETMASK, &c->old, NULL);
}

int exec_child(const char *path, char *const *argv, int *ret_status, struct pinfold_error *e)
{
	struct child c = { .pid = -1, .pidfd = -1, .signals = -1, .report = -1 };
	int code = 0;
	int r = prepare(&c);

	if (r == 0)
		r = give_birth(&c, path, argv);
	if (r == 0)
		watch(&c);
	if (c.pid > 0) {
		while (waitpid(c.pid, ret_status, 0) < 0 && errno == EINTR)
			;
		if (read(c.report, &code, sizeof(code)) == sizeof(code))
			r = err_set(e, code == ENOENT ? -ENOENT : -EACCES,
				    "cannot run '%.120s': %s", argv[0], strerror(code));
	} else if (r < 0) {
		err_set(e, r, "cannot start a process: %s", strerror(-r));
	}
	end(&c);
	return r;
}
