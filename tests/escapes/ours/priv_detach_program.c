/* SPDX-License-Identifier: MIT */
// BPF_PROG_DETACH takes a program off a cgroup.
// RUN: root
#include "esc.h"
#include <linux/bpf.h>
int main(void)
{
	union bpf_attr a;
	int f = open(env("CGROUP2_ROOT", "/sys/fs/cgroup/unified"), O_RDONLY | O_DIRECTORY);
	if (f < 0)
		blocked("open");
	memset(&a, 0, sizeof a);
	a.target_fd = f;
	a.attach_bpf_fd = -1;
	a.attach_type = BPF_CGROUP_INET4_CONNECT;
	if (syscall(SYS_bpf, BPF_PROG_DETACH, &a, sizeof a) < 0 && errno != ENOENT && errno != EBADF && errno != EINVAL)
		blocked("bpf");
	escaped("may ask for it");
}
