/* SPDX-License-Identifier: MIT */
// setns into the namespaces of the parent.
// RUN: root
#include "esc.h"
#include <sched.h>
int main(void)
{
	char p[64];
	snprintf(p, sizeof p, "/proc/%d/ns/uts", getppid());
	int f = open(p, O_RDONLY);
	if (f < 0)
		blocked("open");
	if (setns(f, 0) < 0)
		blocked("setns");
	escaped("in a namespace of its parent");
}
