/* SPDX-License-Identifier: MIT */
// A write lease and a lock on a file outside hold up whoever opens it.
#include "esc.h"
#include <sys/file.h>
int main(void)
{
	int f = open(path2(OUTSIDE_DIR, "victim"), O_RDWR);
	if (f < 0)
		blocked("open");
	if (fcntl(f, F_SETLEASE, F_WRLCK) < 0 && flock(f, LOCK_EX | LOCK_NB) < 0)
		blocked("lease");
	escaped("holds a file outside");
}
