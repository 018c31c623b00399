/* SPDX-License-Identifier: MIT */
// TIOCSTI with garbage in the high half of the request, which the kernel drops.
// RUN: pty
#include "esc.h"
int main(void)
{
	char c = '#';
	if (syscall(SYS_ioctl, 0, 0x7700000000L | TIOCSTI, &c) < 0)
		blocked("ioctl");
	escaped("typed into the terminal");
}
