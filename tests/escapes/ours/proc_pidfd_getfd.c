/* SPDX-License-Identifier: MIT */
// pidfd_getfd takes a descriptor out of a process outside with the same uid.
#include "esc.h"
int main(void)
{
	int p = syscall(SYS_pidfd_open, atoi(need("OUTSIDE_PID")), 0);
	if (p < 0)
		blocked("pidfd_open");
	int f = syscall(438 /* pidfd_getfd */, p, 1, 0);
	if (f < 0)
		blocked("pidfd_getfd");
	escaped("took a descriptor of a process outside");
}
