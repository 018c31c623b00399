/* SPDX-License-Identifier: MIT */
// Locked memory can't be taken back.
// RUN: root
#include "esc.h"
int main(void)
{
	size_t n = (size_t)256 << 20;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	if (p == MAP_FAILED)
		skip("mmap");
	if (mlock(p, n) < 0)
		blocked("mlock");
	escaped("locked 256 MiB");
}
