/* SPDX-License-Identifier: MIT */
/*
 * DOC: what a session may not call, and why the rest may stay.
 *
 * Everything is allowed but what is listed: a list of all that compilers, browsers, debuggers and
 * package managers call would be wrong every month.  Numbers newer than this text are ENOSYS
 * (program.h), so new kernels add nothing by themselves.
 *
 * ptrace, process_vm_readv and process_vm_writev stay, as debuggers need them: they reach only
 * what has a pid in the session's pid namespace and lies in its Landlock domain, and the kernel
 * runs this filter after the tracer's stop (since Linux 4.8), so a tracer can't put a forbidden
 * call into its tracee.  pidfd_getfd and kcmp are refused: nothing common needs them.
 *
 * System V IPC stays, since the session has an IPC namespace of its own.  Scheduling calls with a
 * foreign pid stay, since no pid of an outsider can be named; PRIO_USER and IOPRIO_WHO_USER skip
 * processes without a pid in the caller's namespace.  "My own process group" does not: on a
 * terminal it is the launcher's, so PRIO_PGRP and IOPRIO_WHO_PGRP with 0 are refused.
 */
#include "seccomp/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clean.h"

/* Newer than the oldest headers that this builds with; the same number everywhere. */
#define NR_OPEN_TREE_ATTR 467 /* since Linux 6.15 */

#define NR_FCHMODAT2 452 /* since Linux 6.6 */

#define CLONE_NEWTIME_FLAG 0x80u /* since Linux 5.6; not of clone, where it is part of a signal */

#define V6_2292_PKTOPTIONS 6
#define V6_2292_RTHDR 5

#define DENY(name)                                                                                 \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM                                               \
	}
#define DENY_UNLESS_NESTED(name)                                                                   \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM, .nested = true                               \
	}
#define DENY_ARG(name, a, m, v)                                                                    \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM, .match = {                                   \
			{ .arg = (a), .mask = (m), .value = (v) }                                  \
		}                                                                                  \
	}
#define DENY_FLAG(name, a, flag)                                                                   \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM, .nested = true, .match = {                   \
			{ .arg = (a), .mask = (flag), .value = (flag) }                            \
		}                                                                                  \
	}
#define DENY_OWN_GROUP(name, which)                                                                \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM, .match = {                                   \
			{ .arg = 0, .mask = UINT32_MAX, .value = (which) },                        \
			{ .arg = 1, .mask = UINT32_MAX, .value = 0 }                               \
		}                                                                                  \
	}
#define DENY_CREATION(name, a, flag)                                                               \
	{                                                                                          \
		.nr = SCMP_SYS(name), .error = EPERM, .match = {                                   \
			{ .arg = (a), .mask = (flag), .value = (flag) },                           \
			{ .arg = (a) + 1, .mask = S_ISUID, .value = S_ISUID }                      \
		}                                                                                  \
	}
#define DENY_OPTION(level, name)                                                                   \
	{                                                                                          \
		.nr = SCMP_SYS(setsockopt), .error = EPERM, .match = {                             \
			{ .arg = 1, .mask = UINT32_MAX, .value = (level) },                        \
			{ .arg = 2, .mask = UINT32_MAX, .value = (name) }                          \
		}                                                                                  \
	}

#if defined(__s390x__)
#define CLONE_FLAGS_ARG 1
#else
#define CLONE_FLAGS_ARG 0
#endif

const struct call_rule seccomp_session_rules[] = {
	/* namespaces; clone3 is in program.c */
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWNS),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWCGROUP),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWUTS),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWIPC),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWUSER),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWPID),
	DENY_FLAG(clone, CLONE_FLAGS_ARG, CLONE_NEWNET),
	DENY_FLAG(unshare, 0, CLONE_NEWNS),
	DENY_FLAG(unshare, 0, CLONE_NEWCGROUP),
	DENY_FLAG(unshare, 0, CLONE_NEWUTS),
	DENY_FLAG(unshare, 0, CLONE_NEWIPC),
	DENY_FLAG(unshare, 0, CLONE_NEWUSER),
	DENY_FLAG(unshare, 0, CLONE_NEWPID),
	DENY_FLAG(unshare, 0, CLONE_NEWNET),
	DENY_FLAG(unshare, 0, CLONE_NEWTIME_FLAG),
	DENY_UNLESS_NESTED(setns),

	/* mounts */
	DENY_UNLESS_NESTED(mount),
	DENY_UNLESS_NESTED(umount2),
	DENY_UNLESS_NESTED(pivot_root),
	DENY_UNLESS_NESTED(chroot),
	DENY_UNLESS_NESTED(open_tree),
	DENY_UNLESS_NESTED(move_mount),
	DENY_UNLESS_NESTED(fsopen),
	DENY_UNLESS_NESTED(fsconfig),
	DENY_UNLESS_NESTED(fsmount),
	DENY_UNLESS_NESTED(fspick),
	DENY_UNLESS_NESTED(mount_setattr),
	{ .nr = NR_OPEN_TREE_ATTR, .error = EPERM, .nested = true },
	DENY(umount),

	/* sockets and files without the calls that are judged */
	DENY(io_uring_setup),
	DENY(io_uring_enter),
	DENY(io_uring_register),
	DENY(open_by_handle_at),
	DENY(fanotify_init),
	DENY(fanotify_mark),
	DENY(lookup_dcookie),
	DENY(nfsservctl),

	/* set-uid files: whoever runs one later would be the session, outside of its pen.  The
	 * mode that openat2 creates with lies in memory, and its callers know ENOSYS. */
	DENY_ARG(chmod, 1, S_ISUID, S_ISUID),
	DENY_ARG(fchmod, 1, S_ISUID, S_ISUID),
	DENY_ARG(fchmodat, 2, S_ISUID, S_ISUID),
	{ .nr = NR_FCHMODAT2,
	  .error = EPERM,
	  .match = { { .arg = 2, .mask = S_ISUID, .value = S_ISUID } } },
	DENY_ARG(creat, 1, S_ISUID, S_ISUID),
	DENY_ARG(mknod, 1, S_ISUID, S_ISUID),
	DENY_ARG(mknodat, 2, S_ISUID, S_ISUID),
	DENY_CREATION(open, 1, O_CREAT),
	DENY_CREATION(open, 1, __O_TMPFILE),
	DENY_CREATION(openat, 2, O_CREAT),
	DENY_CREATION(openat, 2, __O_TMPFILE),
	{ .nr = SCMP_SYS(openat2), .error = ENOSYS },

	/* other processes */
	DENY(pidfd_getfd),
	DENY(kcmp),
	DENY(process_madvise),

	DENY_OWN_GROUP(setpriority, PRIO_PGRP),
	DENY_OWN_GROUP(ioprio_set, IOPRIO_WHO_PGRP),

	/* attack surface */
	DENY(bpf),
	DENY(perf_event_open),
	DENY(userfaultfd),
	DENY(keyctl),
	DENY(add_key),
	DENY(request_key),
	DENY(modify_ldt),
	DENY(vm86),
	DENY(vm86old),
	DENY(uselib),
	DENY(sysfs),
	DENY(_sysctl),

	/* the machine */
	DENY(iopl),
	DENY(ioperm),
	DENY(kexec_load),
	DENY(kexec_file_load),
	DENY(init_module),
	DENY(finit_module),
	DENY(delete_module),
	DENY(create_module),
	DENY(query_module),
	DENY(get_kernel_syms),
	DENY(reboot),
	DENY(swapon),
	DENY(swapoff),
	DENY(acct),
	DENY(quotactl),
	DENY(quotactl_fd),
	DENY(syslog),
	DENY(vhangup),
	DENY(sethostname),
	DENY(setdomainname),
	DENY(settimeofday),
	DENY(stime),
	DENY(clock_settime),
	DENY(clock_adjtime),
	DENY(adjtimex),

	/* the terminal outside: typing into it, line disciplines of odd drivers, closing it to
	 * whoever opens it after the session */
	DENY_ARG(ioctl, 1, UINT32_MAX, TIOCSTI),
	DENY_ARG(ioctl, 1, UINT32_MAX, TIOCLINUX),
	DENY_ARG(ioctl, 1, UINT32_MAX, TIOCSETD),
	DENY_ARG(ioctl, 1, UINT32_MAX, TIOCEXCL),

	/* source routes: the packet would go elsewhere than the judged address.  The same as
	 * control messages is the egress program's part. */
	DENY_OPTION(IPPROTO_IP, IP_OPTIONS),
	DENY_OPTION(IPPROTO_IPV6, IPV6_RTHDR),
	DENY_OPTION(IPPROTO_IPV6, V6_2292_RTHDR),
	DENY_OPTION(IPPROTO_IPV6, V6_2292_PKTOPTIONS),
};

const size_t seccomp_n_session_rules = ARRAY_SIZE(seccomp_session_rules);

/* It serves a session: it builds nothing more, and starts no program.  bpf stays for maps. */
const struct call_rule seccomp_supervisor_rules[] = {
	DENY(execve),
	DENY(execveat),
	DENY_ARG(mmap, 2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC),
	DENY_ARG(mprotect, 2, PROT_EXEC, PROT_EXEC),
	DENY_ARG(pkey_mprotect, 2, PROT_EXEC, PROT_EXEC),
	DENY(ptrace),
	DENY(process_vm_writev),
	DENY(unshare),
	DENY(mount),
	DENY(umount2),
	DENY(pivot_root),
	DENY(chroot),
	DENY(open_tree),
	DENY(move_mount),
	DENY(fsopen),
	DENY(fsmount),
	DENY(mount_setattr),
	DENY_ARG(bpf, 0, UINT32_MAX, BPF_PROG_LOAD),
	DENY_ARG(bpf, 0, UINT32_MAX, BPF_PROG_DETACH),
	DENY(perf_event_open),
	DENY(userfaultfd),
	DENY(io_uring_setup),
	DENY(add_key),
	DENY(request_key),
	DENY(iopl),
	DENY(ioperm),
	DENY(kexec_load),
	DENY(kexec_file_load),
	DENY(init_module),
	DENY(finit_module),
	DENY(delete_module),
	DENY(reboot),
	DENY(swapon),
	DENY(swapoff),
	DENY(acct),
	DENY(syslog),
	DENY(sethostname),
	DENY(setdomainname),
	DENY(settimeofday),
	DENY(clock_settime),
	DENY(clock_adjtime),
	DENY(adjtimex),
};

const size_t seccomp_n_supervisor_rules = ARRAY_SIZE(seccomp_supervisor_rules);

#define MAY(name)                                                                                  \
	{                                                                                          \
		.nr = SCMP_SYS(name)                                                               \
	}

const struct call_rule seccomp_worker_rules[] = {
	/* sockets, of two families */
	{ .nr = SCMP_SYS(socket), .match = { { .arg = 0, .mask = UINT32_MAX, .value = AF_INET } } },
	{ .nr = SCMP_SYS(socket),
	  .match = { { .arg = 0, .mask = UINT32_MAX, .value = AF_INET6 } } },
	MAY(bind),
	MAY(connect),
	MAY(accept4),
	MAY(shutdown),
	MAY(getsockname),
	MAY(getpeername),
	MAY(getsockopt),
	MAY(setsockopt),
	MAY(sendto),
	MAY(sendmsg),
	MAY(sendmmsg),
	MAY(recvfrom),
	MAY(recvmsg),
	MAY(recvmmsg),
	MAY(read),
	MAY(readv),
	MAY(write),
	MAY(writev),
	MAY(close),
	MAY(fcntl),

	/* waiting and time */
	MAY(epoll_create1),
	MAY(epoll_ctl),
	MAY(epoll_wait),
	MAY(epoll_pwait),
	MAY(epoll_pwait2),
	MAY(poll),
	MAY(ppoll),
	MAY(timerfd_create),
	MAY(timerfd_settime),
	MAY(timerfd_gettime),
	MAY(clock_gettime),
	MAY(clock_nanosleep),
	MAY(nanosleep),
	MAY(restart_syscall),
	MAY(gettimeofday),

	/* memory and the process itself */
	MAY(brk),
	{ .nr = SCMP_SYS(mmap), .match = { { .arg = 2, .mask = PROT_EXEC, .value = 0 } } },
	MAY(mremap),
	MAY(munmap),
	MAY(madvise),
	MAY(futex),
	MAY(getpid),
	MAY(gettid),
	MAY(getrandom),
	MAY(sysinfo), /* qsort of glibc asks for the size of memory */
	MAY(rt_sigaction),
	MAY(rt_sigreturn),
	MAY(rt_sigprocmask),
	MAY(exit),
	MAY(exit_group),
};

const size_t seccomp_n_worker_rules = ARRAY_SIZE(seccomp_worker_rules);

const struct call_rule seccomp_relay_rules[] = {
	MAY(accept4),
	MAY(shutdown),
	MAY(getpeername),
	{ .nr = SCMP_SYS(setsockopt),
	  .match = { { .arg = 1, .mask = UINT32_MAX, .value = SOL_SOCKET },
		     { .arg = 2, .mask = UINT32_MAX, .value = SO_LINGER } } },
	MAY(sendto),
	MAY(recvfrom),
	MAY(recvmsg),
	MAY(close),

	MAY(epoll_create1),
	MAY(epoll_ctl),
	MAY(epoll_wait),
	MAY(epoll_pwait),
	MAY(clock_gettime),
	MAY(restart_syscall),

	MAY(brk),
	{ .nr = SCMP_SYS(mmap), .match = { { .arg = 2, .mask = PROT_EXEC, .value = 0 } } },
	MAY(mremap),
	MAY(munmap),
	MAY(madvise),
	MAY(rt_sigreturn),
	MAY(exit),
	MAY(exit_group),
};

const size_t seccomp_n_relay_rules = ARRAY_SIZE(seccomp_relay_rules);
