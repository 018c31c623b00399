/* SPDX-License-Identifier: MIT */
// E005: AF_INET sockaddr given to an AF_INET6 UDP socket; sendmsg4 fires although the socket is
// IPv6.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET6, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&d, sizeof d),
		   "udp6 socket, in4 sockaddr");
}
