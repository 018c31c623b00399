/* SPDX-License-Identifier: MIT */
/*
 * DOC: the helper processes of a session (the relay is in relay.c)
 *
 * The janitor outlives the supervisor: when the pipe to it closes without a word, it kills the
 * session's cgroup and removes it.  It is forked before the cgroup exists, so no moment is left
 * out.  The DNS worker parses hostile packets and therefore has nothing: an uid of its own, no
 * file, few system calls.  Both leave the caller's process group, so that Ctrl-C does not end
 * them before the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/lessen.h"
#include "fs/fence.h"
#include "net/fence.h"
#include "session/session.h"

/* No account has it: far above what distributions hand out, below what is signed in 32 bits. */
#define WORKER_UID 1346981446
#define WORKER_STARTS_MAX 100

static void block_all_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

void session_close_all_but(const int *keep, size_t n)
{
	unsigned from = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned fd = (unsigned)keep[i];

		if (fd > from)
			syscall(SYS_close_range, from, fd - 1, 0);
		from = fd + 1;
	}
	syscall(SYS_close_range, from, ~0U, 0);
}

static void end_session(const struct session *s)
{
	cgroup_end(s->group);
	control_remove(s->id);
}

/* Files of root, in a cgroup tree that may have been given to somebody else. */
static const struct lessen_cap JANITOR_KEEPS[] = { { CAP_DAC_OVERRIDE, "the cgroup's files" } };

static _Noreturn void be_janitor(const struct session *s, int pipe_end)
{
	char word;

	/* One that could not give up its privileges is better than none. */
	lessen_to(JANITOR_KEEPS, ARRAY_SIZE(JANITOR_KEEPS));
	setsid();
	block_all_signals();
	prctl(PR_SET_NAME, "pinfold-janitor");
	session_close_all_but(&pipe_end, 1);
	/* A byte means that the supervisor has cleaned up by itself. */
	if (read(pipe_end, &word, 1) != 1)
		end_session(s);
	_exit(0);
}

int session_start_janitor(struct session *s, struct pinfold_error *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	s->janitor = fork();
	if (s->janitor == 0)
		be_janitor(s, ends[0]);
	close(ends[0]);
	s->janitor_pipe = ends[1];
	if (s->janitor < 0)
		return err_set(e, -errno, "cannot start the janitor: %s", strerror(errno));
	return 0;
}

void session_dismiss_janitor(struct session *s)
{
	if (s->janitor_pipe < 0)
		return;
	if (write(s->janitor_pipe, "x", 1) != 1)
		child_kill(s->janitor);
	close(take_fd(s->janitor_pipe));
}

void session_reap_janitor(struct session *s)
{
	if (s->janitor > 0)
		waitpid(s->janitor, NULL, 0);
	s->janitor = 0;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int session_confine_helper(const struct seccomp_filter *filter, uid_t uid, int *fds, size_t n)
{
	size_t skip = 0;
	int r;

	setsid();
	block_all_signals();
	qsort(fds, n, sizeof(fds[0]), by_number);
	while (skip < n && fds[skip] < 0)
		skip++;
	session_close_all_but(fds + skip, n - skip);
	r = identity_enter_helper(uid, uid);
	if (r == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		r = -errno;
	if (r == 0)
		r = fs_enter_nothing();
	return r < 0 ? r : seccomp_filter_enter(filter);
}

static _Noreturn void be_worker(struct session *s)
{
	int keep[2 * DNS_PORTS + 3] = { s->dns.tcp4, s->dns.tcp6, s->dns.channel };

	memcpy(keep + 3, s->dns.udp4, sizeof(s->dns.udp4));
	memcpy(keep + 3 + DNS_PORTS, s->dns.udp6, sizeof(s->dns.udp6));
	prctl(PR_SET_NAME, "pinfold-dns");
	if (session_confine_helper(&s->worker_filter, WORKER_UID, keep, ARRAY_SIZE(keep)) < 0)
		_exit(1);
	s->dns.supervisor = -1; /* closed above */
	_exit(dns_worker_run(&s->dns) < 0);
}

_Static_assert(NET_RESOLVER_PORTS == DNS_PORTS, "the fence steers to what the worker has");

void session_helper_ports(const struct session *s, struct net_resolver *ret)
{
	memcpy(ret->port, s->dns.port, sizeof(ret->port));
	ret->relay_port = s->relay.port;
}

int session_start_worker(struct session *s, struct pinfold_error *e)
{
	int r;

	if (s->worker_pidfd >= 0)
		close(take_fd(s->worker_pidfd));
	if (s->worker > 0)
		waitpid(s->worker, NULL, 0);
	s->worker = 0;
	if (s->worker_starts++ >= WORKER_STARTS_MAX)
		return err_set(e, -ELOOP, "the DNS worker ended %d times", WORKER_STARTS_MAX);
	/* The first one finds the channel that dns_worker_prepare made. */
	r = s->worker_starts > 1 ? dns_worker_renew(&s->dns, e) : 0;
	if (r < 0)
		return r;
	s->worker = fork();
	if (s->worker == 0)
		be_worker(s);
	dns_worker_started(&s->dns);
	if (s->worker < 0)
		return err_set(e, -errno, "cannot start the DNS worker: %s", strerror(errno));
	s->worker_pidfd = (int)syscall(SYS_pidfd_open, s->worker, 0);
	if (s->worker_pidfd < 0)
		return err_set(e, -errno, "cannot watch the DNS worker: %s", strerror(errno));
	return 0;
}
