/* SPDX-License-Identifier: MIT */
// /dev/console and /dev/tty0 are the machine's.
// RUN: root
#include "esc.h"
int main(void)
{
	if (open("/dev/console", O_WRONLY | O_NOCTTY) < 0)
		blocked("open");
	escaped("opened the console");
}
