/* SPDX-License-Identifier: MIT */
// openat below a leaked directory descriptor: no path from the root is walked.
#include "esc.h"
int main(void)
{
	int f = openat(envi("LEAK_DIR_FD", 52), "secret.txt", O_RDONLY);
	if (f < 0)
		blocked("openat");
	escaped("read below the leaked directory");
}
