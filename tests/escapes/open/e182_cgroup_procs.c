/* SPDX-License-Identifier: MIT */
// E182: leave the session's cgroup: write our pid to every parent cgroup.procs, or make a sibling
// cgroup. RUN: root
#include "esc.h"
int main(void)
{
	const char *r = env("CGROUP2_ROOT", "/sys/fs/cgroup/unified"),
		   *t = env("CGROUP_TARGET", "");
	char p[4200];
	snprintf(p, sizeof p, "%s%s/cgroup.procs", r, t);
	int f = open(p, O_WRONLY);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("%s missing", p);
		blocked("open(cgroup.procs)");
	}
	if (write(f, "0", 1) < 0)
		blocked("write(cgroup.procs)");
	escaped("moved to %s", p);
}
