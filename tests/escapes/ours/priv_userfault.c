/* SPDX-License-Identifier: MIT */
// userfaultfd holds the kernel at a chosen moment and widens every race.
// RUN: root
#include "esc.h"
int main(void)
{
	int f = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (f < 0)
		blocked("userfaultfd");
	escaped("may hold the kernel in a fault");
}
