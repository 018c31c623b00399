/* SPDX-License-Identifier: MIT */
// sched_setscheduler makes a process outside run only when nobody else does.
#include "esc.h"
#include <sched.h>
int main(void)
{
	struct sched_param s = { 0 };
	if (sched_setscheduler(atoi(need("OUTSIDE_PID")), SCHED_BATCH, &s) < 0)
		blocked("sched_setscheduler");
	escaped("changed the class of a process outside");
}
