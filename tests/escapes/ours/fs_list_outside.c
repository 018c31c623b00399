/* SPDX-License-Identifier: MIT */
// Listing a directory that was not granted.
#include "esc.h"
int main(void)
{
	char b[4096];
	int f = open(OUTSIDE_DIR, O_RDONLY | O_DIRECTORY);
	if (f < 0)
		blocked("open");
	if (syscall(SYS_getdents64, f, b, sizeof b) <= 0)
		blocked("getdents64");
	escaped("listed %s", OUTSIDE_DIR);
}
