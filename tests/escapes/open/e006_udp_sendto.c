/* SPDX-License-Identifier: MIT */
// E006: unconnected UDP sendto (connect4 never runs).
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&d, sizeof d), "udp sendto");
}
