/* SPDX-License-Identifier: MIT */
// A shared mapping of a leaked descriptor reads and writes without read or write calls.
#include "esc.h"
int main(void)
{
	char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, envi("LEAK_SECRET_FD", 51), 0);
	if (p == MAP_FAILED)
		blocked("mmap");
	escaped("mapped the secret: %c...", p[0]);
}
