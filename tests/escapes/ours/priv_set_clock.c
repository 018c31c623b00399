/* SPDX-License-Identifier: MIT */
// clock_settime sets the time of the machine (here: to what it is).
// RUN: root
#include "esc.h"
int main(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (clock_settime(CLOCK_REALTIME, &t) < 0)
		blocked("clock_settime");
	escaped("set the clock");
}
