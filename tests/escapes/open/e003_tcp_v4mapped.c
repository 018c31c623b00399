/* SPDX-License-Identifier: MIT */
// E003: TCP to ::ffff:a.b.c.d; only the connect6 hook sees it, with a v4-mapped address.
#include "esc.h"
int main(void)
{
	char b[80];
	snprintf(b, sizeof b, "::ffff:%s", TARGET_IP);
	struct sockaddr_in6 d = in6(b, TARGET_PORT);
	tcp_try(socket(AF_INET6, SOCK_STREAM, 0), &d, sizeof d, "tcp v4-mapped");
}
