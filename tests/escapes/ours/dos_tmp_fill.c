/* SPDX-License-Identifier: MIT */
// The pen's own /tmp and /dev/shm are memory.
#include "esc.h"
int main(void)
{
	static char b[1 << 20];
	int f = open("/dev/shm/fill", O_CREAT | O_RDWR, 0600);
	if (f < 0)
		blocked("open");
	unlink("/dev/shm/fill");
	memset(b, 1, sizeof b);
	for (int i = 0; i < envi("SHM_MB", 600); i++)
		if (write(f, b, sizeof b) != sizeof b)
			blocked("write");
	escaped("filled 600 MiB");
}
