/* SPDX-License-Identifier: MIT */
// A write to /proc/PID/oom_score_adj makes a process outside the first to be killed.
#include "esc.h"
int main(void)
{
	char p[64];
	snprintf(p, sizeof p, "/proc/%s/oom_score_adj", need("OUTSIDE_PID"));
	int f = open(p, O_WRONLY);
	if (f < 0)
		blocked("open");
	if (write(f, "1", 1) != 1)
		blocked("write");
	escaped("wrote %s", p);
}
