/* SPDX-License-Identifier: MIT */
// E010: UDP socket connected to an allowed peer, then sendto() to another one.
// A second socket on the same port takes the echo, because the connected one only hears its peer.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0), g = socket(AF_INET, SOCK_DGRAM, 0), one = 1;
	if (f < 0 || g < 0)
		blocked("socket");
	setsockopt(f, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	setsockopt(g, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	struct sockaddr_in l = in4("0.0.0.0", 40000 + getpid() % 20000),
			   a = in4(ALLOWED_IP, TARGET_PORT), d = in4(TARGET_IP, TARGET_PORT);
	int b = bind(f, (void *)&l, sizeof l) || bind(g, (void *)&l, sizeof l);
	if (connect(f, (void *)&a, sizeof a) < 0)
		skip("connect to ALLOWED_IP: %s", strerror(errno));
	ssize_t r = sendto(f, nonce(), strlen(nonce()), 0, (void *)&d, sizeof d);
	if (r >= 0 && b)
		escaped("datagram to another peer accepted (no bind, so no echo check)");
	udp_result(g, r, "connected udp, other peer");
}
