/* SPDX-License-Identifier: MIT */
// E021: IP_HDRINCL raw packet with a forged source address (looks like another session).  RUN: root
#include "esc.h"
#include <netinet/ip.h>
int main(void)
{
	int f = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (f < 0)
		blocked("socket(IPPROTO_RAW)");
	struct {
		struct iphdr h;
		char d[16];
	} p = { .h = { .version = 4, .ihl = 5, .ttl = 64, .protocol = 253 } };
	struct sockaddr_in d = in4(TARGET_IP, 0);
	p.h.daddr = d.sin_addr.s_addr;
	p.h.saddr = inet_addr("203.0.113.99");
	if (sendto(f, &p, sizeof p, 0, (void *)&d, sizeof d) < 0) {
		unreach("sendto");
		blocked("sendto");
	}
	escaped("spoofed raw packet sent");
}
