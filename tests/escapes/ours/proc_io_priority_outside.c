/* SPDX-License-Identifier: MIT */
// ioprio_set of a process outside with the same uid.
#include "esc.h"
int main(void)
{
	if (syscall(SYS_ioprio_set, 1, atoi(need("OUTSIDE_PID")), 2 << 13 | 7) < 0)
		blocked("ioprio_set");
	escaped("changed the I/O priority of a process outside");
}
