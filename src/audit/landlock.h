/* SPDX-License-Identifier: MIT */
/* Reads Landlock's denials (ABI 7, Linux 6.15), and those of seccomp filters that ask for it, from
 * the kernel's audit stream, without auditd. */
#ifndef PINFOLD_AUDIT_LANDLOCK_H
#define PINFOLD_AUDIT_LANDLOCK_H

#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

#define LANDLOCK_PATH_MAX 4096

/* What is not known is empty or 0. */
struct landlock_denial {
	uint64_t domain;
	pid_t domain_pid;   /* the process that made the domain: for a session, its init */
	pid_t pid;          /* the process that was refused, else domain_pid */
	char blockers[128]; /* "fs.read_file,fs.write_file", "scope.signal", "net.connect_tcp" */
	char path[LANDLOCK_PATH_MAX]; /* an abstract socket's begins with '@' */
	char comm[32];                /* comm and exe are those of pid */
	char exe[256];
	pid_t target_pid; /* whom a signal or ptrace was meant for */
	char target_comm[32];
	uint16_t port;
};

/* A system call that a seccomp filter refused or killed for. */
struct call_denial {
	pid_t pid; /* of the first pid namespace */
	uid_t uid;
	uint32_t audit_session; /* as /proc/PID/sessionid; (uint32_t)-1: none */
	uint32_t arch;          /* AUDIT_ARCH_ */
	int nr;
	int signal; /* that it was killed with; 0: it got an error */
	char comm[32];
	char exe[256];
};

struct landlock_audit; /* heap object */

/* Joins the kernel's read-only audit group, in the first network namespace: when this process is in
 * another one it enters that for a moment.  -EOPNOTSUPP: the kernel makes no such records, auditing
 * is off, or that namespace can't be entered.  -EPERM: CAP_AUDIT_READ or CAP_AUDIT_CONTROL is
 * missing, or this is not the first pid namespace. */
int landlock_audit_new(struct landlock_audit **ret, struct pinfold_error *e);

/* The same for system calls only: their records need neither Landlock nor that auditing is on. */
int landlock_audit_new_for_calls(struct landlock_audit **ret, struct pinfold_error *e);

/* For poll(2). */
int landlock_audit_fd(const struct landlock_audit *a);

/* Hands on the denials that wait.  To be called when the fd is readable and about once a second: a
 * denial whose details may still come waits for them until a call that finds nothing new.
 *
 * Only denials of domains made by a process that is_ours() accepts are handed on; pids are those
 * of the first pid namespace.  is_ours() is asked once, when the domain is announced; when that
 * was missed, it is asked for the process that was refused, if the kernel named it.  Returns the
 * number handed on, or -ENOBUFS once when the kernel dropped some, or another negative errno when
 * the socket is broken. */
int landlock_audit_read(struct landlock_audit *a, int (*is_ours)(void *data, pid_t pid),
			void (*fn)(void *data, const struct landlock_denial *d), void *data);

/* From now on landlock_audit_read() hands refused system calls to fn as well: those of the whole
 * host.  Filters say for themselves whether the kernel tells (SECCOMP_FILTER_FLAG_LOG). */
void landlock_audit_on_call(struct landlock_audit *a,
			    void (*fn)(void *data, const struct call_denial *d), void *data);

/* Accepts NULL. */
void landlock_audit_free(struct landlock_audit *a);

#endif
