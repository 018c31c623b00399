/* SPDX-License-Identifier: MIT */
#include "fs/guard_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/clean.h"

/* Newer than the C library's list. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_removexattrat 466
#endif

/* Everything that changes an existing file or its name by a path.  A new name alone is no harm: it
 * is reported.  Both numbers of a call that every architecture has are in any case there. */
static const unsigned CHANGES[] = {
#ifdef SYS_rename
	SYS_rename,      SYS_link,         SYS_unlink,     SYS_rmdir,         SYS_chmod,
	SYS_chown,       SYS_lchown,       SYS_utime,      SYS_utimes,        SYS_futimesat,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
	SYS_renameat2,   SYS_linkat,       SYS_unlinkat,   SYS_truncate,      SYS_fchmodat,
	SYS_fchmodat2,   SYS_fchownat,     SYS_utimensat,  SYS_setxattr,      SYS_lsetxattr,
	SYS_removexattr, SYS_lremovexattr, SYS_setxattrat, SYS_removexattrat,
};

#define CODE_MAX (2 + 2 * ARRAY_SIZE(CHANGES))

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int guard_wire_send(int sock, void *message, size_t size, int fd)
{
	union control c = { 0 };
	struct iovec v = { .iov_base = message, .iov_len = size };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)
	};

	c.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
				     .cmsg_level = SOL_SOCKET,
				     .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&c.header), &fd, sizeof(fd));
	return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int guard_wire_receive(int sock, void *message, size_t size, struct guard_mail *ret)
{
	char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))]
	    __attribute__((aligned(__alignof__(struct cmsghdr))));
	struct iovec v = { .iov_base = message, .iov_len = size };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	ssize_t n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);

	if (n <= 0)
		return n == 0 || errno == ECONNRESET ? -EPIPE : -errno;
	*ret = (struct guard_mail){ .fd = -1 };
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		struct ucred who;

		if (c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&ret->fd, CMSG_DATA(c), sizeof(ret->fd));
		if (c->cmsg_type != SCM_CREDENTIALS || c->cmsg_len != CMSG_LEN(sizeof(who)))
			continue;
		memcpy(&who, CMSG_DATA(c), sizeof(who));
		ret->pid = who.pid;
	}
	return (size_t)n == size ? 0 : -EPROTO;
}

int guard_wire_install(void)
{
	struct sock_filter code[CODE_MAX];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;
	long fd;

	/* Numbers of another architecture mean other calls, which the session's filter kills. */
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(CHANGES); i++) {
		code[n++] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CHANGES[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		     &program);
	return fd < 0 ? -errno : (int)fd;
}
