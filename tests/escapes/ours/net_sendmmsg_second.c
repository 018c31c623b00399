/* SPDX-License-Identifier: MIT */
// sendmmsg: the first message goes to an allowed peer, the second does not.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a[2] = { in4(ALLOWED_IP, TARGET_PORT), in4(TARGET_IP, TARGET_PORT) };
	struct iovec v[2] = { { "x", 1 }, { nonce(), strlen(nonce()) } };
	struct mmsghdr m[2] = { { .msg_hdr = { &a[0], sizeof a[0], &v[0], 1 } },
				{ .msg_hdr = { &a[1], sizeof a[1], &v[1], 1 } } };
	if (f < 0)
		blocked("socket");
	int n = sendmmsg(f, m, 2, 0);
	if (n < 2) {
		errno = EPERM;
		blocked("the second message");
	}
	udp_result(f, n, "sendmmsg");
}
