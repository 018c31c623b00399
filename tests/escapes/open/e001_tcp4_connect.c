/* SPDX-License-Identifier: MIT */
// E001: plain TCP connect to an address that is not on the allowlist.
#include "esc.h"
int main(void)
{
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	tcp_try(socket(AF_INET, SOCK_STREAM, 0), &d, sizeof d, "tcp4");
}
