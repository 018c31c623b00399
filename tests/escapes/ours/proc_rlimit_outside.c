/* SPDX-License-Identifier: MIT */
// prlimit64 reads (and sets) the limits of a process outside with the same uid.
#include "esc.h"
#include <sys/resource.h>
int main(void)
{
	struct rlimit r;
	if (prlimit(atoi(need("OUTSIDE_PID")), RLIMIT_CORE, NULL, &r) < 0)
		blocked("prlimit");
	escaped("reached the limits of a process outside");
}
