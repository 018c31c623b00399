/* SPDX-License-Identifier: MIT */
// fsopen and fsmount make a file system without mount(2).
// RUN: root
#include "esc.h"
int main(void)
{
	int f = syscall(430 /* fsopen */, "tmpfs", 1);
	if (f < 0)
		blocked("fsopen");
	if (syscall(431 /* fsconfig */, f, 6 /* CREATE */, NULL, NULL, 0) < 0)
		blocked("fsconfig");
	if (syscall(432 /* fsmount */, f, 1, 0) < 0)
		blocked("fsmount");
	escaped("a file system of its own");
}
