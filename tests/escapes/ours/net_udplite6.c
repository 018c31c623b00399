/* SPDX-License-Identifier: MIT */
// UDP-Lite over IPv6, connected: no connect hook runs for it.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET6, SOCK_DGRAM, 136);
	struct sockaddr_in6 a = in6(TARGET_IP6, TARGET_PORT);
	if (f < 0) {
		if (errno == EPROTONOSUPPORT)
			skip("no UDP-Lite");
		blocked("socket");
	}
	if (connect(f, (void *)&a, sizeof a) < 0)
		blocked("connect");
	udp_result(f, send(f, nonce(), strlen(nonce()), 0), "UDP-Lite");
}
