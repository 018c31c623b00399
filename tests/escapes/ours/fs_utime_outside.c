/* SPDX-License-Identifier: MIT */
// utimensat on a file that the uid owns.
#include "esc.h"
int main(void)
{
	const char *p = path2(OUTSIDE_DIR, "victim");
	struct timespec t[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = 1 } };
	if (utimensat(AT_FDCWD, p, t, 0) < 0)
		blocked("utimensat");
	escaped("set the times of %s", p);
}
