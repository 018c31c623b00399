/* SPDX-License-Identifier: MIT */
// NETLINK_SOCK_DIAG lists (and with privilege destroys) sockets of everybody.
#include "esc.h"
int main(void)
{
	if (socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 4) < 0)
		blocked("socket");
	escaped("may ask for the sockets of everybody");
}
