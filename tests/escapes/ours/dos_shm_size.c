/* SPDX-License-Identifier: MIT */
// A tmpfs without a size of its own may take half of the machine's memory.
#include "esc.h"
#include <sys/statvfs.h>
int main(void)
{
	struct statvfs s;
	double ram = (double)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (statvfs("/dev/shm", &s) < 0)
		blocked("statvfs");
	if ((double)s.f_blocks * s.f_frsize > ram / 4)
		escaped("/dev/shm may take %.0f %% of the memory",
			(double)s.f_blocks * s.f_frsize / ram * 100);
	blocked_s("/dev/shm is bounded");
}
