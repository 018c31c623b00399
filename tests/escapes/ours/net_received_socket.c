/* SPDX-License-Identifier: MIT */
// A socket that a process outside made and hands over: no hook of the session ever sees it.
#include "esc.h"
int main(void)
{
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	struct sockaddr_in a = in4(TARGET_IP, TARGET_PORT);
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} c;
	char b[8];
	struct iovec v = { b, sizeof b };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c
	};
	int f, s = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(u.sun_path, sizeof u.sun_path, "%s", need("OUTSIDE_SCM"));
	if (connect(s, (void *)&u, sizeof u) < 0)
		blocked("connect to the giver");
	if (recvmsg(s, &m, 0) < 0 || m.msg_controllen < sizeof(struct cmsghdr))
		blocked("recvmsg");
	memcpy(&f, CMSG_DATA(&c.head), sizeof f);
	tcp_try(f, &a, sizeof a, "a received socket");
}
