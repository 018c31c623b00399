/* SPDX-License-Identifier: MIT */
// A higher priority than everybody else's.
// RUN: root
#include "esc.h"
#include <sys/resource.h>
int main(void)
{
	if (setpriority(PRIO_PROCESS, 0, -5) < 0)
		blocked("setpriority");
	escaped("runs before the others");
}
