/* SPDX-License-Identifier: MIT */
/* The socket of the kernel's audit stream.  What the records mean is in stream.c. */
#include "audit/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/netlink.h>

#include "audit/stream.h"
#include "base/clean.h"
#include "base/err.h"

/* Landlock's audit records came with ABI 7, Linux 6.15. */
#define LANDLOCK_ABI_AUDIT 7
/* LANDLOCK_CREATE_RULESET_VERSION: the header belongs to another module. */
#define LANDLOCK_ASK_ABI 1U
/* MAX_AUDIT_MESSAGE_LENGTH is 8970 since Linux 2.6. */
#define RECORD_MAX 16384
#define ANSWER_WAIT_MS 2000
#define RECEIVE_BUFFER (4 << 20)
/* Records handled by one read, so that a flood does not keep the caller from its other work. */
#define READ_MAX 2048
/* Exists in the first network namespace only, as a setting of the whole machine. */
#define FIRST_NETNS_SETTING "/proc/sys/net/core/netdev_budget"

struct landlock_audit {
	int fd;
	struct stream stream;
	void (*on_call)(void *data, const struct call_denial *d);
	void *call_data;
};

/* ---- is auditing on? ------------------------------------------------------------------------- */

static int ask_kernel(int fd)
{
	struct nlmsghdr ask = { .nlmsg_len = NLMSG_HDRLEN,
				.nlmsg_type = AUDIT_GET,
				.nlmsg_flags = NLM_F_REQUEST };
	ssize_t n;

	do
		n = send(fd, &ask, sizeof(ask), 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* The `enabled` of AUDIT_GET: 0 off, 1 on, 2 on and locked. */
static int audit_enabled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct {
		struct nlmsghdr head;
		union {
			struct audit_status status;
			struct nlmsgerr error;
		};
	} answer;
	int r = ask_kernel(fd);

	if (r < 0)
		return r;
	for (;;) {
		ssize_t n;

		if (poll(&p, 1, ANSWER_WAIT_MS) == 0)
			return -ETIMEDOUT;
		memset(&answer, 0, sizeof(answer));
		n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n < (ssize_t)sizeof(answer.head))
			continue;
		if (answer.head.nlmsg_type == NLMSG_ERROR && answer.error.error != 0)
			return answer.error.error;
		if (answer.head.nlmsg_type == AUDIT_GET)
			return (int)answer.status.enabled;
	}
}

static int check_enabled(struct pinfold_error *e)
{
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	int on;

	if (fd < 0)
		return err_set(e, -EOPNOTSUPP, "the kernel has no audit socket: %s",
			       strerror(errno));
	on = audit_enabled(fd);
	if (on == -EPERM || on == -ECONNREFUSED)
		return err_set(e, -EPERM,
			       "may not ask for the state of auditing: that needs "
			       "CAP_AUDIT_CONTROL and the first pid namespace");
	if (on < 0)
		return err_set(e, on, "cannot ask for the state of auditing: %s", strerror(-on));
	if (on == 0)
		return err_set(e, -EOPNOTSUPP,
			       "auditing is off: `auditctl -e 1` or the boot parameter audit=1 "
			       "turns it on");
	return 0;
}

static int check_abi(struct pinfold_error *e)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_ABI);

	if (abi < 0)
		return err_set(e, -EOPNOTSUPP, "the kernel has no Landlock: %s", strerror(errno));
	if (abi < LANDLOCK_ABI_AUDIT)
		return err_set(
		    e, -EOPNOTSUPP,
		    "Landlock tells its denials since ABI 7 (Linux 6.15); this is ABI %ld", abi);
	return 0;
}

/* ---- the socket, in the first network namespace ------------------------------------------------
 */

static int join_group(int *ret_fd, struct pinfold_error *e)
{
	static const int size = RECEIVE_BUFFER;
	auto_close int fd =
	    socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_AUDIT);
	struct sockaddr_nl me = { .nl_family = AF_NETLINK,
				  .nl_groups = 1U << (AUDIT_NLGRP_READLOG - 1) };

	if (fd < 0)
		return err_set(e, -EOPNOTSUPP, "the kernel has no audit socket: %s",
			       strerror(errno));
	if (bind(fd, (const struct sockaddr *)&me, sizeof(me)) != 0)
		return err_set(e, -errno, "cannot join the audit stream (CAP_AUDIT_READ): %s",
			       strerror(errno));
	/* Without CAP_NET_ADMIN as much as is allowed: a full buffer is told, not hidden. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	*ret_fd = take_fd(fd);
	return 0;
}

static bool in_first_netns(void)
{
	return access(FIRST_NETNS_SETTING, F_OK) == 0;
}

/* Enters the namespace, makes the socket if it is the first one, and comes back.  -ESRCH: it was
 * not the first, or can't be entered. */
static int join_from(const char *netns, int own_netns, int *ret_fd, struct pinfold_error *e)
{
	auto_close int there = open(netns, O_RDONLY | O_CLOEXEC);
	auto_close int fd = -1;
	int r = -ESRCH;

	if (there < 0 || setns(there, CLONE_NEWNET) != 0)
		return -ESRCH;
	if (in_first_netns())
		r = join_group(&fd, e);
	if (setns(own_netns, CLONE_NEWNET) != 0)
		return err_set(e, -EIO, "cannot return to the own network namespace: %s",
			       strerror(errno));
	if (r == 0)
		*ret_fd = take_fd(fd);
	return r;
}

/* The kernel sends audit records to the first network namespace only.  Pid 1 lives there unless it
 * is a container's; pid 2, the kernel's thread maker, always does. */
static int join_first(int *ret_fd, struct pinfold_error *e)
{
	static const char *const candidates[] = { "/proc/1/ns/net", "/proc/2/ns/net" };
	auto_close int own = -1;
	int r = -ESRCH;

	if (in_first_netns())
		return join_group(ret_fd, e);
	own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (own < 0)
		return err_set(e, -errno, "cannot open the own network namespace: %s",
			       strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(candidates) && r == -ESRCH; i++)
		r = join_from(candidates[i], own, ret_fd, e);
	if (r == -ESRCH)
		return err_set(e, -EOPNOTSUPP,
			       "audit records reach the first network namespace only, and this "
			       "process, in another one, may not enter that");
	return r;
}

int landlock_audit_new_for_calls(struct landlock_audit **ret, struct pinfold_error *e)
{
	auto_close int fd = -1;
	struct landlock_audit *a;
	int r = join_first(&fd, e);

	if (r < 0)
		return r;
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_set(e, -ENOMEM, "out of memory");
	a->fd = take_fd(fd);
	*ret = a;
	return 0;
}

int landlock_audit_new(struct landlock_audit **ret, struct pinfold_error *e)
{
	int r = check_abi(e);

	if (r == 0)
		r = check_enabled(e);
	return r < 0 ? r : landlock_audit_new_for_calls(ret, e);
}

int landlock_audit_fd(const struct landlock_audit *a)
{
	return a->fd;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* One message into buf, NUL-terminated.  Its length, 0 when none waits, or a negative errno.  Only
 * the kernel (port 0) is believed. */
static ssize_t receive(int fd, char *buf, size_t size)
{
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	ssize_t n;

	do
		n = recvfrom(fd, buf, size - 1, MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
	while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid != 0));
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	buf[n] = '\0';
	return n;
}

int landlock_audit_read(struct landlock_audit *a, int (*is_ours)(void *data, pid_t pid),
			void (*fn)(void *data, const struct landlock_denial *d), void *data)
{
	const struct stream_to to = {
		.is_ours = is_ours,
		.fn = fn,
		.data = data,
		.on_call = a->on_call,
		.call_data = a->call_data,
	};
	union {
		struct nlmsghdr head;
		char bytes[RECORD_MAX];
	} m;
	int handed = 0;
	size_t got = 0;
	ssize_t n = 0;

	for (; got < READ_MAX; got++) {
		n = receive(a->fd, m.bytes, sizeof(m));
		if (n <= 0)
			break;
		/* nlmsg_len is not to be trusted: some kernels leave the header out of it. */
		if (n > NLMSG_HDRLEN)
			handed +=
			    stream_feed(&a->stream, m.head.nlmsg_type, m.bytes + NLMSG_HDRLEN, &to);
	}
	if (n < 0)
		return (int)n;
	if (got == 0)
		handed += stream_flush(&a->stream, &to);
	return handed;
}

void landlock_audit_on_call(struct landlock_audit *a,
			    void (*fn)(void *data, const struct call_denial *d), void *data)
{
	a->on_call = fn;
	a->call_data = data;
}

void landlock_audit_free(struct landlock_audit *a)
{
	if (!a)
		return;
	close(a->fd);
	free(a);
}
