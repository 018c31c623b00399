/* SPDX-License-Identifier: MIT */
// The I/O class that is always served first.
// RUN: root
#include "esc.h"
int main(void)
{
	if (syscall(SYS_ioprio_set, 1, 0, 1 << 13) < 0)
		blocked("ioprio_set");
	escaped("its I/O is served first");
}
