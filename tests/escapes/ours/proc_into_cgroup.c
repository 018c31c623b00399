/* SPDX-License-Identifier: MIT */
// clone3 with CLONE_INTO_CGROUP: the child is born in another group.
// RUN: root
#include "esc.h"
#include <linux/sched.h>
int main(void)
{
	struct clone_args a = { .flags = 0x200000000ULL, .exit_signal = SIGCHLD };
	int st, f = open(env("CGROUP2_ROOT", "/sys/fs/cgroup/unified"), O_RDONLY | O_DIRECTORY);
	if (f < 0)
		blocked("open");
	a.cgroup = f;
	pid_t p = syscall(SYS_clone3, &a, sizeof a);
	if (p < 0)
		blocked("clone3");
	if (p == 0)
		_exit(0);
	waitpid(p, &st, 0);
	escaped("a child lives in another group");
}
