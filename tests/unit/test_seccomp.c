/* SPDX-License-Identifier: MIT */
/* The filters, judged by an interpreter of their code: every call, and arguments with garbage in
 * the half that the kernel ignores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/policy.h"
#include "seccomp/filter.h"
#include "seccomp_run.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "say the audit number of this architecture"
#endif

#define ALLOW 0
#define KILL (-1)
#define GARBAGE 0xdeadbeef00000000u
#define ANY_FAMILY 0x100000000u

/* 0: allowed; KILL; else the errno.  Of two programs the stricter answer holds. */
static int judge_data(const struct seccomp_filter *f, const struct seccomp_data *d)
{
	uint32_t quiet = run_program(&f->quiet, d);
	uint32_t told = run_program(&f->told, d);
	uint32_t r =
	    (int32_t)(quiet & SECCOMP_RET_ACTION_FULL) < (int32_t)(told & SECCOMP_RET_ACTION_FULL)
		? quiet
		: told;

	switch (r & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
		return ALLOW;
	case SECCOMP_RET_KILL_PROCESS:
		return KILL;
	case SECCOMP_RET_ERRNO:
		return (int)(r & SECCOMP_RET_DATA);
	default:
		fail_msg("unexpected action %#x", r);
		return KILL;
	}
}

static int judge(const struct seccomp_filter *f, long nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = ARCH, .args = { a0, a1, a2 } };

	return judge_data(f, &d);
}

static struct seccomp_filter session_filter(const struct policy *p)
{
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };
	struct pinfold_error e = { "" };

	if (seccomp_filter_prepare(&f, p, &e) < 0)
		fail_msg("%s", e.text);
	return f;
}

static void refuses_each_listed_call_and_allows_its_neighbours(void **state)
{
	static const struct {
		const char *name;
		long nr;
		uint64_t a0, a1, a2;
		int want;
	} cases[] = {
		{ "read", SYS_read, 0, 0, 0, ALLOW },
		{ "openat", SYS_openat, 0, 0, 0, ALLOW },
		{ "execve", SYS_execve, 0, 0, 0, ALLOW },
		{ "listen", SYS_listen, 3, 1, 0, ALLOW },
		{ "shmget", SYS_shmget, 0, 0, 0, ALLOW },
		{ "ptrace", SYS_ptrace, 0, 0, 0, ALLOW },
		{ "process_vm_readv", SYS_process_vm_readv, 0, 0, 0, ALLOW },
		{ "name_to_handle_at", SYS_name_to_handle_at, 0, 0, 0, ALLOW },
		{ "seccomp", SYS_seccomp, 0, 0, 0, ALLOW },
		{ "inotify_init1", SYS_inotify_init1, 0, 0, 0, ALLOW },
		{ "clock_gettime", SYS_clock_gettime, 0, 0, 0, ALLOW },
		{ "clone3", SYS_clone3, 0, 0, 0, ENOSYS },
		{ "clone of a thread", SYS_clone, CLONE_VM | CLONE_FS | CLONE_THREAD, 0, 0, ALLOW },
		{ "clone of a process", SYS_clone, SIGCHLD, 0, 0, ALLOW },
		{ "clone NEWUSER", SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, EPERM },
		{ "clone NEWNET and garbage", SYS_clone, GARBAGE | CLONE_NEWNET, 0, 0, EPERM },
		{ "unshare files", SYS_unshare, CLONE_FILES | CLONE_FS, 0, 0, ALLOW },
		{ "unshare NEWTIME", SYS_unshare, 0x80, 0, 0, EPERM },
		{ "setns", SYS_setns, 0, 0, 0, EPERM },
		{ "mount", SYS_mount, 0, 0, 0, EPERM },
		{ "umount2", SYS_umount2, 0, 0, 0, EPERM },
		{ "pivot_root", SYS_pivot_root, 0, 0, 0, EPERM },
		{ "chroot", SYS_chroot, 0, 0, 0, EPERM },
		{ "open_tree", 428, 0, 0, 0, EPERM },
		{ "move_mount", 429, 0, 0, 0, EPERM },
		{ "fsopen", 430, 0, 0, 0, EPERM },
		{ "fsconfig", 431, 0, 0, 0, EPERM },
		{ "fsmount", 432, 0, 0, 0, EPERM },
		{ "fspick", 433, 0, 0, 0, EPERM },
		{ "mount_setattr", 442, 0, 0, 0, EPERM },
		{ "open_tree_attr", 467, 0, 0, 0, EPERM },
		{ "io_uring_setup", 425, 0, 0, 0, EPERM },
		{ "io_uring_enter", 426, 0, 0, 0, EPERM },
		{ "io_uring_register", 427, 0, 0, 0, EPERM },
		{ "bpf", SYS_bpf, 0, 0, 0, EPERM },
		{ "perf_event_open", SYS_perf_event_open, 0, 0, 0, EPERM },
		{ "userfaultfd", SYS_userfaultfd, 0, 0, 0, EPERM },
		{ "keyctl", SYS_keyctl, 0, 0, 0, EPERM },
		{ "add_key", SYS_add_key, 0, 0, 0, EPERM },
		{ "request_key", SYS_request_key, 0, 0, 0, EPERM },
		{ "pidfd_getfd", 438, 0, 0, 0, EPERM },
		{ "kcmp", SYS_kcmp, 0, 0, 0, EPERM },
		{ "process_madvise", 440, 0, 0, 0, EPERM },
		{ "open_by_handle_at", SYS_open_by_handle_at, 0, 0, 0, EPERM },
		{ "fanotify_init", SYS_fanotify_init, 0, 0, 0, EPERM },
		{ "kexec_load", SYS_kexec_load, 0, 0, 0, EPERM },
		{ "finit_module", SYS_finit_module, 0, 0, 0, EPERM },
		{ "reboot", SYS_reboot, 0, 0, 0, EPERM },
		{ "swapon", SYS_swapon, 0, 0, 0, EPERM },
		{ "acct", SYS_acct, 0, 0, 0, EPERM },
		{ "quotactl", SYS_quotactl, 0, 0, 0, EPERM },
		{ "syslog", SYS_syslog, 0, 0, 0, EPERM },
		{ "settimeofday", SYS_settimeofday, 0, 0, 0, EPERM },
		{ "clock_settime", SYS_clock_settime, 0, 0, 0, EPERM },
		{ "ioctl TCGETS", SYS_ioctl, 0, 0x5401, 0, ALLOW },
		{ "ioctl TIOCSTI", SYS_ioctl, 0, TIOCSTI, 0, EPERM },
		{ "ioctl TIOCSTI and garbage", SYS_ioctl, 0, GARBAGE | TIOCSTI, 0, EPERM },
		{ "ioctl TIOCEXCL", SYS_ioctl, 0, GARBAGE | TIOCEXCL, 0, EPERM },
		{ "ioctl TIOCLINUX", SYS_ioctl, 0, TIOCLINUX, 0, EPERM },
		{ "setsockopt IP_TOS", SYS_setsockopt, 3, IPPROTO_IP, IP_TOS, ALLOW },
		{ "setsockopt IP_OPTIONS", SYS_setsockopt, 3, IPPROTO_IP, IP_OPTIONS, EPERM },
		{ "setsockopt IP_OPTIONS and garbage", SYS_setsockopt, 3, GARBAGE | IPPROTO_IP,
		  GARBAGE | IP_OPTIONS, EPERM },
		{ "setsockopt SO_REUSEADDR's level", SYS_setsockopt, 3, SOL_SOCKET, IP_OPTIONS,
		  ALLOW },
		{ "setsockopt IPV6_RTHDR", SYS_setsockopt, 3, IPPROTO_IPV6, IPV6_RTHDR, EPERM },
		{ "setsockopt 2292RTHDR", SYS_setsockopt, 3, IPPROTO_IPV6, 5, EPERM },
		{ "setsockopt 2292PKTOPTIONS", SYS_setsockopt, 3, IPPROTO_IPV6, 6, EPERM },
		{ "setsockopt IPV6_V6ONLY", SYS_setsockopt, 3, IPPROTO_IPV6, IPV6_V6ONLY, ALLOW },
		{ "prlimit64 of oneself", SYS_prlimit64, 0, 7, 0, ALLOW },
		{ "prlimit64 of another", SYS_prlimit64, 1, 7, 0, EPERM },
		{ "prlimit64 of oneself and garbage", SYS_prlimit64, GARBAGE, 7, 0, ALLOW },
		{ "personality query", SYS_personality, 0xffffffff, 0, 0, ALLOW },
		{ "personality of gdb", SYS_personality, ADDR_NO_RANDOMIZE, 0, 0, ALLOW },
		{ "personality READ_IMPLIES_EXEC", SYS_personality, READ_IMPLIES_EXEC, 0, 0,
		  EPERM },
		{ "the newest call", 469, 0, 0, 0, ALLOW },
		{ "the one after", 470, 0, 0, 0, ENOSYS },
		{ "a far number", 0x3fffffff, 0, 0, 0, ENOSYS },
		{ "a call that a tracer skips", -1, 0, 0, 0, ALLOW },
	};
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int got = judge(&f, cases[i].nr, cases[i].a0, cases[i].a1, cases[i].a2);

		if (got == cases[i].want)
			continue;
		print_error("%s: %d, not %d\n", cases[i].name, got, cases[i].want);
		wrong++;
	}
	assert_int_equal(wrong, 0);
	seccomp_filter_done(&f);
}

static void no_call_makes_a_set_uid_file(void **state)
{
	static const struct {
		long nr;
		unsigned mode; /* which argument */
		uint64_t flags;
	} cases[] = {
		{ SYS_chmod, 1, 0 },
		{ SYS_fchmod, 1, 0 },
		{ SYS_fchmodat, 2, 0 },
		{ 452, 2, 0 }, /* fchmodat2 */
		{ SYS_creat, 1, 0 },
		{ SYS_mknod, 1, 0 },
		{ SYS_mknodat, 2, 0 },
		{ SYS_open, 2, O_CREAT | O_WRONLY },
		{ SYS_open, 2, O_TMPFILE | O_RDWR },
		{ SYS_openat, 3, O_CREAT | O_RDWR | O_CLOEXEC },
		{ SYS_openat, 3, O_TMPFILE | O_WRONLY },
	};
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seccomp_data d = { .nr = (int)cases[i].nr, .arch = ARCH };

		if (cases[i].flags)
			d.args[cases[i].mode - 1] = GARBAGE | cases[i].flags;
		d.args[cases[i].mode] = 02755;
		assert_int_equal(judge_data(&f, &d), ALLOW);
		d.args[cases[i].mode] = GARBAGE | 04755;
		assert_int_equal(judge_data(&f, &d), EPERM);
		if (!cases[i].flags)
			continue;
		d.args[cases[i].mode - 1] = O_RDONLY; /* the mode means nothing then */
		assert_int_equal(judge_data(&f, &d), ALLOW);
	}
	assert_int_equal(judge(&f, 437, 0, 0, 0), ENOSYS); /* openat2 */
	seccomp_filter_done(&f);
}

static void each_namespace_flag_alone_is_enough(void **state)
{
	static const uint32_t flags[] = { CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
					  CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
					  CLONE_NEWNET };
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	for (unsigned set = 0; set < 1u << ARRAY_SIZE(flags); set++) {
		uint64_t arg = GARBAGE | CLONE_FILES | SIGCHLD;

		for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
			arg |= set & 1u << i ? flags[i] : 0;
		assert_int_equal(judge(&f, SYS_clone, arg, 0, 0), set ? EPERM : ALLOW);
		assert_int_equal(judge(&f, SYS_unshare, arg, 0, 0), set ? EPERM : ALLOW);
	}
	seccomp_filter_done(&f);
}

static bool is_inside(uint32_t family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

static void opens_only_four_socket_families_whatever_the_high_bits(void **state)
{
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	for (uint32_t family = 0; family < 70000; family++) {
		int want = is_inside(family) ? ALLOW : EAFNOSUPPORT;

		assert_int_equal(judge(&f, SYS_socket, family, SOCK_STREAM, 0), want);
		assert_int_equal(judge(&f, SYS_socket, GARBAGE | family, SOCK_STREAM, 0), want);
		want = family == AF_UNIX ? ALLOW : EAFNOSUPPORT;
		assert_int_equal(judge(&f, SYS_socketpair, family, SOCK_STREAM, 0), want);
	}
	assert_int_equal(judge(&f, SYS_socket, ANY_FAMILY | AF_VSOCK, SOCK_STREAM, 0),
			 EAFNOSUPPORT);
	assert_int_equal(judge(&f, SYS_socket, 0x80000000u | AF_INET, SOCK_STREAM, 0),
			 EAFNOSUPPORT);
	seccomp_filter_done(&f);
}

static void opens_netlink_for_routes_only(void **state)
{
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	assert_int_equal(judge(&f, SYS_socket, AF_NETLINK, SOCK_RAW, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_NETLINK, SOCK_RAW, GARBAGE), ALLOW);
	for (unsigned protocol = 1; protocol < 64; protocol++)
		assert_int_equal(judge(&f, SYS_socket, AF_NETLINK, SOCK_RAW, protocol),
				 EPROTONOSUPPORT);
	seccomp_filter_done(&f);
}

static void opens_raw_sockets_with_icmp_only(void **state)
{
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);
	uint64_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;

	(void)state;
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_DGRAM | flags, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_RAW, 1), EPERM);
	assert_int_equal(judge(&f, SYS_socket, AF_INET6, GARBAGE | SOCK_RAW | flags, 58), EPERM);
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_PACKET, 0), EPERM);
	assert_int_equal(judge(&f, SYS_socket, AF_UNIX, SOCK_SEQPACKET, 0), ALLOW);
	seccomp_filter_done(&f);
	p.net.icmp = true;
	f = session_filter(&p);
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_RAW, 1), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_PACKET, 0), EPERM);
	seccomp_filter_done(&f);
}

static void kills_calls_of_foreign_architectures(void **state)
{
	struct seccomp_data i386 = { .nr = 20, .arch = AUDIT_ARCH_I386 };
	struct seccomp_data arm = { .nr = 20, .arch = AUDIT_ARCH_ARM };
	struct policy p = { 0 };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	assert_int_equal(judge_data(&f, &i386), KILL);
	assert_int_equal(judge_data(&f, &arm), KILL);
#if defined(__x86_64__)
	assert_int_equal(judge(&f, 0x40000000 | SYS_getpid, 0, 0, 0), KILL);
	assert_int_equal(judge(&f, 0x40000000 | 520, 0, 0, 0), KILL);
#endif
	assert_int_equal(judge(&f, SYS_getpid, 0, 0, 0), ALLOW);
	seccomp_filter_done(&f);
}

static void lets_named_families_in_and_no_others(void **state)
{
	char vsock[] = "vsock";
	char packet[] = "packet";
	char *names[] = { vsock, vsock };
	char *bad[] = { packet };
	struct policy p = { .seccomp.families = { names, 1 } };
	struct seccomp_filter f = session_filter(&p);
	struct seccomp_filter untouched = { { NULL, 7 }, { NULL, 7 } };
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(judge(&f, SYS_socket, AF_VSOCK, SOCK_STREAM, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_ALG, SOCK_STREAM, 0), EAFNOSUPPORT);
	seccomp_filter_done(&f);
	p.seccomp.families = (struct string_list){ bad, 1 };
	assert_int_equal(seccomp_filter_prepare(&untouched, &p, &e), -EINVAL);
	assert_non_null(strstr(e.text, "'packet'"));
	assert_int_equal(untouched.told.n, 7);
}

static void allows_namespaces_only_when_nesting_is_allowed(void **state)
{
	struct policy p = { .seccomp.allow_nested = true };
	struct seccomp_filter f = session_filter(&p);

	(void)state;
	assert_int_equal(judge(&f, SYS_clone3, 0, 0, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_unshare, CLONE_NEWUSER, 0, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_mount, 0, 0, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_bpf, 0, 0, 0), EPERM);
	assert_int_equal(judge(&f, SYS_socket, AF_PACKET, SOCK_RAW, 0), EAFNOSUPPORT);
	seccomp_filter_done(&f);
}

static void gives_the_worker_its_list_and_nothing_else(void **state)
{
	static const long allowed[] = { SYS_read,        SYS_write,          SYS_recvmsg,
					SYS_sendmsg,     SYS_recvmmsg,       SYS_accept4,
					SYS_epoll_pwait, SYS_getrandom,      SYS_close,
					SYS_bind,        SYS_timerfd_create, SYS_exit_group };
	static const long denied[] = { SYS_openat, SYS_execve, SYS_clone,  SYS_kill,
				       SYS_ptrace, SYS_listen, SYS_ioctl,  SYS_mprotect,
				       SYS_prctl,  SYS_bpf,    SYS_unshare };
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(seccomp_filter_prepare_worker(&f, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		assert_int_equal(judge(&f, allowed[i], 0, 0, 0), ALLOW);
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++)
		assert_int_equal(judge(&f, denied[i], 0, 0, 0), EPERM);
	assert_int_equal(judge(&f, SYS_socket, AF_INET, SOCK_DGRAM, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_INET6, SOCK_STREAM, 0), ALLOW);
	assert_int_equal(judge(&f, SYS_socket, AF_UNIX, SOCK_STREAM, 0), EPERM);
	assert_int_equal(judge(&f, SYS_socket, ANY_FAMILY | AF_VSOCK, SOCK_STREAM, 0), EPERM);
	assert_int_equal(judge(&f, SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE), ALLOW);
	assert_int_equal(judge(&f, SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC), EPERM);
	assert_int_equal(judge(&f, SYS_clone3, 0, 0, 0), EPERM);
	seccomp_filter_done(&f);
	seccomp_filter_done(&f);
}

static void gives_the_relay_no_way_to_open_a_connection(void **state)
{
	static const long allowed[] = { SYS_accept4, SYS_recvfrom,    SYS_sendto,  SYS_recvmsg,
					SYS_close,   SYS_epoll_pwait, SYS_shutdown };
	static const long denied[] = {
		SYS_socket, SYS_connect, SYS_bind,  SYS_listen,        SYS_sendmsg, SYS_socketpair,
		SYS_openat, SYS_execve,  SYS_clone, SYS_kill,          SYS_ptrace,  SYS_prctl,
		SYS_write,  SYS_ioctl,   SYS_bpf,   SYS_io_uring_setup
	};
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(seccomp_filter_prepare_relay(&f, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		assert_int_equal(judge(&f, allowed[i], 0, 0, 0), ALLOW);
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++)
		assert_int_equal(judge(&f, denied[i], 0, 0, 0), EPERM);
	assert_int_equal(judge(&f, SYS_setsockopt, 0, SOL_SOCKET, SO_LINGER), ALLOW);
	assert_int_equal(judge(&f, SYS_setsockopt, 0, SOL_SOCKET, SO_MARK), EPERM);
	seccomp_filter_done(&f);
}

static void an_empty_filter_is_not_entered(void **state)
{
	struct seccomp_filter f = { { NULL, 0 }, { NULL, 0 } };

	(void)state;
	assert_int_equal(seccomp_filter_enter(&f), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_each_listed_call_and_allows_its_neighbours),
		cmocka_unit_test(no_call_makes_a_set_uid_file),
		cmocka_unit_test(each_namespace_flag_alone_is_enough),
		cmocka_unit_test(opens_only_four_socket_families_whatever_the_high_bits),
		cmocka_unit_test(opens_netlink_for_routes_only),
		cmocka_unit_test(opens_raw_sockets_with_icmp_only),
		cmocka_unit_test(kills_calls_of_foreign_architectures),
		cmocka_unit_test(lets_named_families_in_and_no_others),
		cmocka_unit_test(allows_namespaces_only_when_nesting_is_allowed),
		cmocka_unit_test(gives_the_worker_its_list_and_nothing_else),
		cmocka_unit_test(gives_the_relay_no_way_to_open_a_connection),
		cmocka_unit_test(an_empty_filter_is_not_entered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
