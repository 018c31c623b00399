/* SPDX-License-Identifier: MIT */
// An inside descriptor handed to an accomplice outside by SCM_RIGHTS.
#include "esc.h"
int main(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
			  .cmsg_level = SOL_SOCKET,
			  .cmsg_type = SCM_RIGHTS } };
	struct iovec v = { "x", 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof u
	};
	int s = socket(AF_UNIX, SOCK_STREAM, 0), d = open("/dev/null", O_RDONLY);
	memcpy(CMSG_DATA(&u.head), &d, sizeof d);
	snprintf(a.sun_path, sizeof a.sun_path, "%s", need("OUTSIDE_SOCK"));
	if (connect(s, (void *)&a, sizeof a) < 0)
		blocked("connect");
	if (sendmsg(s, &m, MSG_NOSIGNAL) < 0)
		blocked("sendmsg");
	escaped("a descriptor went out");
}
