/* SPDX-License-Identifier: MIT */
// E163: POSIX shared memory of another session (/dev/shm/NAME, OUTSIDE_SHM).
#include "esc.h"
int main(void)
{
	const char *n = need("OUTSIDE_SHM");
	int f = shm_open(n, O_RDWR, 0);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("absent");
		blocked("shm_open");
	}
	escaped("opened /dev/shm%s read-write", n);
}
