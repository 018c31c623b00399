/* SPDX-License-Identifier: MIT */
// sched_setaffinity moves a process outside with the same uid.
#include "esc.h"
#include <sched.h>
int main(void)
{
	cpu_set_t set;
	int pid = atoi(need("OUTSIDE_PID"));
	if (sched_getaffinity(pid, sizeof set, &set) < 0)
		blocked("sched_getaffinity");
	if (sched_setaffinity(pid, sizeof set, &set) < 0)
		blocked("sched_setaffinity");
	escaped("chose the processors of a process outside");
}
