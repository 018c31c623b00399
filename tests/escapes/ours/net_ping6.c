/* SPDX-License-Identifier: MIT */
// An ICMPv6 ping socket carries data and is seen by no connect or sendmsg hook.
#include "esc.h"
int main(void)
{
	char b[128] = { (char)128 };
	int f = socket(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6);
	struct sockaddr_in6 a = in6(TARGET_IP6, 0);
	if (f < 0)
		blocked("socket");
	snprintf(b + 8, sizeof b - 8, "%s", nonce());
	udp_result(f, sendto(f, b, 8 + strlen(nonce()), 0, (void *)&a, sizeof a), "ping6");
}
