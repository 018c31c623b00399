/* SPDX-License-Identifier: MIT */
// E007: connected UDP (sendmsg4 never runs).
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	if (connect(f, (void *)&d, sizeof d) < 0) {
		unreach("connect");
		blocked("connect");
	}
	udp_result(f, send(f, nonce(), strlen(nonce()), 0), "connected udp");
}
