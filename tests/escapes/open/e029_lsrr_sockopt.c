/* SPDX-License-Identifier: MIT */
// E029: IP_OPTIONS loose source route set before a send to an ALLOWED peer; first hop is TARGET_IP.
// Unprivileged on older kernels; newer ones ask for CAP_NET_RAW, so the baseline runs it as root.
// RUN: root
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	unsigned char o[8] = { 131, 7, 4 };
	inet_pton(AF_INET, TARGET_IP, o + 3);
	if (setsockopt(f, IPPROTO_IP, IP_OPTIONS, o, 8) < 0)
		blocked("setsockopt(IP_OPTIONS)");
	struct sockaddr_in a = in4(ALLOWED_IP, TARGET_PORT);
	ssize_t r = sendto(f, nonce(), strlen(nonce()), 0, (void *)&a, sizeof a);
	if (r < 0) {
		unreach("sendto");
		blocked("sendto");
	}
	if (got_echo(f, 2000))
		escaped("source-routed datagram was answered");
	if (getenv("ONE_WAY"))
		escaped("source-routed datagram left");
	errno = ETIMEDOUT;
	blocked("echo");
}
