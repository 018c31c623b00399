/* SPDX-License-Identifier: MIT */
// E131: kernel knobs: core_pattern, sysrq, modprobe path.
// RUN: root
#include "esc.h"
int main(void)
{
	const char *p[] = { "/proc/sys/kernel/core_pattern",
			    "/proc/sysrq-trigger",
			    "/proc/sys/kernel/modprobe",
			    "/proc/sys/vm/drop_caches",
			    "/sys/kernel/uevent_helper",
			    "/dev/mem",
			    "/dev/kmsg",
			    "/dev/vda",
			    "/sys/fs/cgroup/unified/cgroup.procs",
			    "/sys/fs/cgroup/cgroup.procs" };
	int e = ENOENT;
	for (int i = 0; i < 10; i++) {
		int f = open(p[i], O_WRONLY);
		if (f >= 0)
			escaped("opened %s for writing", p[i]);
		if (errno != ENOENT)
			e = errno;
	}
	errno = e;
	blocked("open (all)");
}
