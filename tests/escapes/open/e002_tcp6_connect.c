/* SPDX-License-Identifier: MIT */
// E002: plain TCP connect over IPv6.
#include "esc.h"
int main(void)
{
	struct sockaddr_in6 d = in6(TARGET_IP6, TARGET_PORT);
	tcp_try(socket(AF_INET6, SOCK_STREAM, 0), &d, sizeof d, "tcp6");
}
