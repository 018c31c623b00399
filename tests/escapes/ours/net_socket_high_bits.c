/* SPDX-License-Identifier: MIT */
// The kernel looks at the low half of an argument, a filter may look at all of it.
// RUN: root
#include "esc.h"
int main(void)
{
	long f = syscall(SYS_socket, 0x100000000L | AF_PACKET, SOCK_RAW, 0);
	if (f < 0)
		blocked("socket");
	escaped("a packet socket behind garbage in the high half");
}
