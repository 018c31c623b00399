/* SPDX-License-Identifier: MIT */
// A datagram to an address of family AF_UNSPEC is taken as IPv4.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = in4(TARGET_IP, TARGET_PORT);
	if (f < 0)
		blocked("socket");
	a.sin_family = AF_UNSPEC;
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&a, sizeof a), "AF_UNSPEC sendto");
}
