/* SPDX-License-Identifier: MIT */
// /proc/PID/fd of a process outside with the same uid opens what that process has open.
#include "esc.h"
int main(void)
{
	char p[64];
	snprintf(p, sizeof p, "/proc/%s/fd/0", need("OUTSIDE_PID"));
	int f = open(p, O_RDONLY);
	if (f < 0)
		blocked("open");
	escaped("opened a descriptor of a process outside");
}
