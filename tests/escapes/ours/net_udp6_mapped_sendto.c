/* SPDX-License-Identifier: MIT */
// A v6 datagram socket with a v4-mapped destination: the kernel asks the hook for v4.
#include "esc.h"
int main(void)
{
	char ip[64];
	int f = socket(AF_INET6, SOCK_DGRAM, 0);
	snprintf(ip, sizeof ip, "::ffff:%s", TARGET_IP);
	struct sockaddr_in6 a = in6(ip, TARGET_PORT);
	if (f < 0)
		blocked("socket");
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&a, sizeof a), "v4-mapped sendto");
}
