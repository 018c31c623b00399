/* SPDX-License-Identifier: MIT */
// A group below the session's own, or beside it, with programs and limits of its own.
// RUN: root
#include "esc.h"
int main(void)
{
	char p[4096];
	snprintf(p, sizeof p, "%s/pf-escape-group", env("CGROUP2_ROOT", "/sys/fs/cgroup/unified"));
	if (mkdir(p, 0755) < 0)
		blocked("mkdir");
	rmdir(p);
	escaped("made a group");
}
