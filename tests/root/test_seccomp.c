/* SPDX-License-Identifier: MIT */
/* The filters on real calls.  Each try is made in a child of its own: filters never come off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/policy.h"
#include "seccomp/filter.h"

#define GARBAGE 0xdeadbeef00000000ul
#define COULD_NOT_ENTER 111

typedef long (*attempt)(void);

static struct seccomp_filter session_filter(void)
{
	static const struct policy p = { 0 };
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };

	assert_int_equal(seccomp_filter_prepare(&f, &p, NULL), 0);
	return f;
}

/* The child's wait status (no filter: f is NULL); its exit code is what try returned. */
static int in_child(const struct seccomp_filter *f, attempt try)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the tests here */
		if (f &&
		    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_filter_enter(f) < 0))
			_exit(COULD_NOT_ENTER);
		_exit((int)try());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The errno of a call made in a child under the session's filter; 0 when it succeeded. */
static int errno_of(const struct seccomp_filter *f, const long call[4])
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_filter_enter(f) < 0)
			_exit(COULD_NOT_ENTER);
		_exit(syscall(call[0], call[1], call[2], call[3], 0, 0, 0) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_kernel_refuses_what_the_table_says(void **state)
{
	static const struct {
		const char *name;
		long call[4];
		int want;
	} cases[] = {
		{ "unix socket", { SYS_socket, AF_UNIX, SOCK_STREAM, 0 }, 0 },
		{ "tcp socket", { SYS_socket, AF_INET, SOCK_STREAM, 0 }, 0 },
		{ "tcp socket, garbage above",
		  { SYS_socket, (long)(GARBAGE | AF_INET), SOCK_STREAM, 0 },
		  0 },
		{ "vsock", { SYS_socket, AF_VSOCK, SOCK_STREAM, 0 }, EAFNOSUPPORT },
		{ "vsock, garbage above",
		  { SYS_socket, 0x100000000l | AF_VSOCK, SOCK_STREAM, 0 },
		  EAFNOSUPPORT },
		{ "packet", { SYS_socket, AF_PACKET, SOCK_RAW, 0 }, EAFNOSUPPORT },
		{ "xdp", { SYS_socket, 44, SOCK_RAW, 0 }, EAFNOSUPPORT },
		{ "route netlink", { SYS_socket, AF_NETLINK, SOCK_RAW, 0 }, 0 },
		{ "audit netlink", { SYS_socket, AF_NETLINK, SOCK_RAW, 9 }, EPROTONOSUPPORT },
		{ "raw", { SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP }, EPERM },
		{ "unshare nothing", { SYS_unshare, 0, 0, 0 }, 0 },
		{ "unshare user", { SYS_unshare, CLONE_NEWUSER, 0, 0 }, EPERM },
		{ "unshare net", { SYS_unshare, (long)(GARBAGE | CLONE_NEWNET), 0, 0 }, EPERM },
		{ "clone3", { SYS_clone3, 0, 0, 0 }, ENOSYS },
		{ "io_uring_setup", { 425, 1, 0, 0 }, EPERM },
		{ "bpf", { SYS_bpf, 0, 0, 0 }, EPERM },
		{ "keyctl", { SYS_keyctl, 0, -3, 0 }, EPERM },
		{ "open_tree", { 428, AT_FDCWD, (long)"/", 0 }, EPERM },
		{ "chroot", { SYS_chroot, (long)"/", 0, 0 }, EPERM },
		{ "own limit", { SYS_prlimit64, 0, 7, 0 }, 0 },
		{ "init's limit", { SYS_prlimit64, 1, 7, 0 }, EPERM },
		{ "own priority", { SYS_setpriority, 0, 0, 1 }, 0 },
		{ "the group's priority", { SYS_setpriority, 1, 0, 1 }, EPERM },
		{ "the group's priority, garbage above",
		  { SYS_setpriority, (long)(GARBAGE | 1), (long)GARBAGE, 1 },
		  EPERM },
		{ "own io priority", { SYS_ioprio_set, 1, 0, 3 << 13 }, 0 },
		{ "the group's io priority", { SYS_ioprio_set, 2, 0, 3 << 13 }, EPERM },
		{ "personality query", { SYS_personality, 0xffffffff, 0, 0 }, 0 },
		{ "READ_IMPLIES_EXEC", { SYS_personality, 0x0400000, 0, 0 }, EPERM },
		{ "a call of the future", { 470, 0, 0, 0 }, ENOSYS },
		{ "a number of x32 without its bit", { 520, 0, 0, 0 }, ENOSYS },
	};
	struct seccomp_filter f = session_filter();
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int got = errno_of(&f, cases[i].call);

		if (got == cases[i].want)
			continue;
		print_error("%s: %s, not %s\n", cases[i].name, strerrorname_np(got),
			    strerrorname_np(cases[i].want));
		wrong++;
	}
	assert_int_equal(wrong, 0);
	seccomp_filter_done(&f);
}

static long push_a_key(void)
{
	char key = 'x';
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);

	if (terminal < 0)
		return 1;
	if (ioctl(terminal, TIOCSTI, &key) == 0 || errno != EPERM)
		return 2;
	if (syscall(SYS_ioctl, terminal, GARBAGE | TIOCSTI, &key) == 0 || errno != EPERM)
		return 3;
	return ioctl(terminal, TIOCGPTN, &(int){ 0 }) == 0 ? 0 : 4;
}

static void nothing_types_into_a_terminal(void **state)
{
	struct seccomp_filter f = session_filter();

	(void)state;
	assert_int_equal(in_child(&f, push_a_key), 0);
	seccomp_filter_done(&f);
}

#if defined(__x86_64__)
static long call_as_i386(void)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return r > 0 ? 1 : 2;
}

static long call_as_x32(void)
{
	return syscall(0x40000000 | SYS_getpid) > 0 ? 1 : 2;
}
#endif

static void foreign_calls_kill(void **state)
{
	(void)state;
#if defined(__x86_64__)
	struct seccomp_filter f = session_filter();
	int bare = in_child(NULL, call_as_i386);
	int status = in_child(&f, call_as_i386);

	/* Some virtual machines have no int $0x80 although the kernel has: a fault either way. */
	assert_true(WIFSIGNALED(status));
	if (WIFEXITED(bare))
		assert_int_equal(WTERMSIG(status), SIGSYS);
	status = in_child(&f, call_as_x32);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	seccomp_filter_done(&f);
#else
	skip();
#endif
}

static void *add_one(void *n)
{
	++*(int *)n;
	return NULL;
}

/* Threads, processes, pipes and socket pairs, as event loops use them. */
static long live_an_ordinary_life(void)
{
	pthread_t thread;
	int n = 0;
	int pair[2];
	char byte = 'x';
	int ep = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	FILE *p;

	if (pthread_create(&thread, NULL, add_one, &n) != 0 || pthread_join(thread, NULL) != 0 ||
	    n != 1)
		return 1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return 2;
	if (epoll_ctl(ep, EPOLL_CTL_ADD, pair[0], &event) < 0 || send(pair[1], &byte, 1, 0) != 1)
		return 3;
	if (epoll_wait(ep, &event, 1, 1000) != 1 || recv(pair[0], &byte, 1, 0) != 1)
		return 4;
	p = popen("exec /bin/true", "r"); /* posix_spawn, vfork, execve */
	return p && pclose(p) == 0 ? 0 : 5;
}

static void ordinary_programs_work(void **state)
{
	struct seccomp_filter f = session_filter();

	(void)state;
	assert_int_equal(in_child(&f, live_an_ordinary_life), 0);
	seccomp_filter_done(&f);
}

static long trace_a_child(void)
{
	volatile long secret = 42;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		secret = 0;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 1;
	if (ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)&secret, NULL) != 42)
		return 2;
	if (ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) != pid)
		return 3;
	return status == 0 ? 0 : 4;
}

static void a_debugger_may_trace_its_child(void **state)
{
	struct seccomp_filter f = session_filter();

	(void)state;
	assert_int_equal(in_child(&f, trace_a_child), 0);
	seccomp_filter_done(&f);
}

static long serve_like_the_worker(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };
	struct timespec now;
	void *big = malloc(1 << 20);
	void *small = malloc(100);

	if (udp < 0 || ep < 0 || !big || !small)
		return 1;
	if (bind(udp, (struct sockaddr *)&any, sizeof(any)) < 0 ||
	    epoll_ctl(ep, EPOLL_CTL_ADD, udp, &event) < 0)
		return 2;
	if (epoll_wait(ep, &event, 1, 0) != 0 || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return 3;
	free(big);
	free(small);
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM)
		return 4;
	if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || fork() >= 0)
		return 5;
	return 0;
}

static void the_worker_can_serve_and_nothing_else(void **state)
{
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };

	(void)state;
	assert_int_equal(seccomp_filter_prepare_worker(&f, NULL), 0);
	assert_int_equal(in_child(&f, serve_like_the_worker), 0);
	seccomp_filter_done(&f);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The best of several, since other work shares the processors. */
static void is_compiled_within_a_millisecond(void **state)
{
	double best = 1e9;

	(void)state;
	for (int i = 0; i < 20; i++) {
		double start = now_us();
		struct seccomp_filter f = session_filter();
		double took = now_us() - start;

		best = took < best ? took : best;
		seccomp_filter_done(&f);
	}
	print_message("# compiled in %.0f us\n", best);
	assert_true(best < (getenv("SLOW_MACHINE") ? 20000 : 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_refuses_what_the_table_says),
		cmocka_unit_test(nothing_types_into_a_terminal),
		cmocka_unit_test(foreign_calls_kill),
		cmocka_unit_test(ordinary_programs_work),
		cmocka_unit_test(a_debugger_may_trace_its_child),
		cmocka_unit_test(the_worker_can_serve_and_nothing_else),
		cmocka_unit_test(is_compiled_within_a_millisecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
