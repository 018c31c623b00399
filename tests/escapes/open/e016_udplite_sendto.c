/* SPDX-License-Identifier: MIT */
// E016: UDP-Lite, unconnected sendto.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 136);
	if (f < 0) {
		if (is_absent(errno))
			skip("no UDP-Lite");
		blocked("socket");
	}
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	udp_result(f, sendto(f, nonce(), strlen(nonce()), 0, (void *)&d, sizeof d),
		   "udplite sendto");
}
