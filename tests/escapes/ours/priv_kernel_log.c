/* SPDX-License-Identifier: MIT */
// The kernel's log names devices, processes and addresses of the host.
// RUN: root
#include "esc.h"
int main(void)
{
	char b[4096];
	if (syscall(SYS_syslog, 3, b, sizeof b) < 0)
		blocked("syslog");
	escaped("read the kernel's log");
}
