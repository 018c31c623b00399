/* SPDX-License-Identifier: MIT */
// perf_event_open looks into the kernel and at everybody.
// RUN: root
#include "esc.h"
#include <linux/perf_event.h>
int main(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_CONTEXT_SWITCHES };
	if (syscall(SYS_perf_event_open, &a, -1, 0, -1, 0) < 0)
		blocked("perf_event_open");
	escaped("counts what everybody does");
}
