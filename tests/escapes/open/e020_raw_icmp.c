/* SPDX-License-Identifier: MIT */
// E020: raw ICMP socket.  RUN: root
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	if (f < 0)
		blocked("socket(SOCK_RAW)");
	struct sockaddr_in d = in4(TARGET_IP, 0);
	char b[128] = { 8, 0 };
	unsigned s = 0;
	strcpy(b + 8, nonce());
	int n = 8 + strlen(nonce());
	for (int i = 0; i < n; i += 2)
		s += ((unsigned char)b[i] << 8) | (unsigned char)b[i + 1];
	s = (s >> 16) + (s & 0xffff);
	s += s >> 16;
	b[2] = ~s >> 8;
	b[3] = ~s;
	udp_result(f, sendto(f, b, n, 0, (void *)&d, sizeof d), "raw icmp");
}
