/* SPDX-License-Identifier: MIT */
// E022: unprivileged ICMP socket carries a payload; sendto on it is seen by no connect/sendmsg
// hook.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
	if (f < 0) {
		if (errno == EACCES && getenv("PING_OFF"))
			skip("ping_group_range");
		blocked("socket");
	}
	struct sockaddr_in d = in4(TARGET_IP, 0);
	char b[128] = { 8, 0 };
	strcpy(b + 8, nonce());
	udp_result(f, sendto(f, b, 8 + strlen(nonce()), 0, (void *)&d, sizeof d),
		   "icmp echo with payload");
}
