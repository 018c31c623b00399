/* SPDX-License-Identifier: MIT */
// Memory of a memfd belongs to no process, yet has to count.
#include "esc.h"
int main(void)
{
	size_t mb = envi("MEM_MB", 1024);
	static char b[1 << 20];
	int f = memfd_create("x", 0);
	if (f < 0)
		skip("memfd_create");
	memset(b, 1, sizeof b);
	for (size_t i = 0; i < mb; i++)
		if (write(f, b, sizeof b) != sizeof b)
			blocked("write");
	escaped("%zu MiB of memory", mb);
}
