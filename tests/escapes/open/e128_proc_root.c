/* SPDX-License-Identifier: MIT */
// E128: /proc/PID/root and cwd of an outside process as a second view of the file system.
#include "esc.h"
int main(void)
{
	char b[4200];
	snprintf(b, sizeof b, "/proc/%s/root%s", need("OUTSIDE_PID"), SECRET_FILE);
	int f = open(b, O_RDONLY);
	if (f < 0)
		blocked("open(/proc/PID/root/...)");
	escaped("opened %s", b);
}
