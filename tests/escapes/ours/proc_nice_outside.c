/* SPDX-License-Identifier: MIT */
// setpriority slows a process outside with the same uid.
#include "esc.h"
#include <sys/resource.h>
int main(void)
{
	if (setpriority(PRIO_PROCESS, atoi(need("OUTSIDE_PID")), 1) < 0)
		blocked("setpriority");
	escaped("a process outside is slower now");
}
