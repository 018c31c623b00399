/* SPDX-License-Identifier: MIT */
// The list of processes: who runs what on this host.
#include "esc.h"
int main(void)
{
	char p[64];
	snprintf(p, sizeof p, "/proc/%s/stat", need("OUTSIDE_PID"));
	int f = open(p, O_RDONLY);
	if (f < 0)
		blocked("open");
	if (read(f, p, 8) <= 0)
		blocked("read");
	escaped("sees a process outside");
}
