/* SPDX-License-Identifier: MIT */
// IP_TRANSPARENT: a socket with an address that is not the host's.
// RUN: root
#include "esc.h"
int main(void)
{
	int on = 1, f = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = in4("192.0.2.99", 47123);
	if (f < 0)
		blocked("socket");
	if (setsockopt(f, IPPROTO_IP, IP_TRANSPARENT, &on, sizeof on) < 0)
		blocked("setsockopt(IP_TRANSPARENT)");
	if (bind(f, (void *)&a, sizeof a) < 0)
		blocked("bind");
	escaped("bound to a foreign address");
}
