/* SPDX-License-Identifier: MIT */
// A source route given with one message (IP_RETOPTS): no option of the socket is ever set.
// RUN: root
#include "esc.h"
int main(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8)];
	} c = { .head = { CMSG_LEN(8), IPPROTO_IP, IP_RETOPTS } };
	unsigned char o[8] = { 131, 7, 4 };
	struct sockaddr_in a = in4(ALLOWED_IP, TARGET_PORT);
	struct iovec v = { nonce(), strlen(nonce()) };
	struct msghdr m = { &a, sizeof a, &v, 1, &c, sizeof c, 0 };
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	inet_pton(AF_INET, TARGET_IP, o + 3);
	memcpy(CMSG_DATA(&c.head), o, sizeof o);
	udp_result(f, sendmsg(f, &m, 0), "source route by message");
}
