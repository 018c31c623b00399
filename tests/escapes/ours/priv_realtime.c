/* SPDX-License-Identifier: MIT */
// A real-time thread starves everybody on its processor.
// RUN: root
#include "esc.h"
#include <sched.h>
int main(void)
{
	struct sched_param p = { .sched_priority = 1 };
	if (sched_setscheduler(0, SCHED_FIFO, &p) < 0)
		blocked("sched_setscheduler");
	escaped("runs as SCHED_FIFO");
}
