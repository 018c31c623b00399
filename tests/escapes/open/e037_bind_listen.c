/* SPDX-License-Identifier: MIT */
// E037: bind + listen on all addresses: an inbound channel (reverse shell, C2) needs no connect().
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_STREAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_in d = in4("0.0.0.0", envi("BIND_PORT", 47999));
	int one = 1;
	setsockopt(f, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	if (bind(f, (void *)&d, sizeof d) < 0)
		blocked("bind");
	if (listen(f, 1) < 0)
		blocked("listen");
	/* A sandbox may have turned the wildcard into loopback. */
	socklen_t l = sizeof d;
	getsockname(f, (void *)&d, &l);
	if ((ntohl(d.sin_addr.s_addr) >> 24) == 127)
		blocked_s("loopback at bind");
	escaped("listening on 0.0.0.0:%d", ntohs(d.sin_port));
}
