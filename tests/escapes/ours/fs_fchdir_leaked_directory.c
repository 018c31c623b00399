/* SPDX-License-Identifier: MIT */
// fchdir to a leaked directory, then relative names and dot-dot.
#include "esc.h"
int main(void)
{
	int f;
	if (fchdir(envi("LEAK_DIR_FD", 52)) < 0)
		blocked("fchdir");
	f = open("../out/secret.txt", O_RDONLY);
	if (f < 0)
		blocked("open");
	escaped("the current directory led out");
}
