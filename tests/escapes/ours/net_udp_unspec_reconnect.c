/* SPDX-License-Identifier: MIT */
// A datagram socket connected to an allowed peer, disconnected, then sent elsewhere.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in ok = in4(ALLOWED_IP, TARGET_PORT), a = in4(TARGET_IP, TARGET_PORT);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	if (f < 0)
		blocked("socket");
	connect(f, (void *)&ok, sizeof ok);
	if (connect(f, &none, sizeof none) < 0)
		blocked("disconnect");
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&a, sizeof a), "sendto");
}
