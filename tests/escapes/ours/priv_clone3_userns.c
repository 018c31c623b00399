/* SPDX-License-Identifier: MIT */
// clone3 takes its flags from memory, where no filter looks.
#include "esc.h"
#include <linux/sched.h>
int main(void)
{
	struct clone_args a = { .flags = 0x10000000ULL /* NEWUSER */, .exit_signal = SIGCHLD };
	int st;
	pid_t p = syscall(SYS_clone3, &a, sizeof a);
	if (p < 0)
		blocked("clone3");
	if (p == 0)
		_exit(0);
	waitpid(p, &st, 0);
	escaped("a user namespace");
}
