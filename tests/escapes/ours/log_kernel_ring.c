/* SPDX-License-Identifier: MIT */
// A line in the kernel's log that looks as if the kernel had said it.
// RUN: root
#include "esc.h"
int main(void)
{
	int f = open("/dev/kmsg", O_WRONLY);
	if (f < 0)
		blocked("open");
	if (write(f, "<7>escape: a test wrote this\n", 29) < 0)
		blocked("write");
	escaped("wrote into the kernel's log");
}
