/* SPDX-License-Identifier: MIT */
// /proc/PID/root and /proc/PID/cwd of the parent lead through its view of the files.
// RUN: root
#include "esc.h"
int main(void)
{
	char p[4096];
	snprintf(p, sizeof p, "/proc/%d/root%s", getppid(), SECRET_FILE);
	int f = open(p, O_RDONLY);
	if (f < 0)
		blocked("open");
	escaped("opened the secret through the parent");
}
