/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <signal.h>

void child_kill(pid_t pid)
{
	int saved = errno;

	if (pid > 1)
		kill(pid, SIGKILL);
	errno = saved;
}
