/* SPDX-License-Identifier: MIT */
// The environment of the parent, which is not part of the attack.
// RUN: root
#include "esc.h"
int main(void)
{
	char b[64];
	snprintf(b, sizeof b, "/proc/%d/environ", getppid());
	int f = open(b, O_RDONLY);
	if (f < 0)
		blocked("open");
	if (read(f, b, sizeof b) <= 0)
		blocked("read");
	escaped("read it");
}
