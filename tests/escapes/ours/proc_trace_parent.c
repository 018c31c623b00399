/* SPDX-License-Identifier: MIT */
// The parent is not part of the attack: who traces it, runs code in it.
// RUN: root
#include "esc.h"
#include <sys/ptrace.h>
int main(void)
{
	pid_t p = getppid();
	if (p <= 0) {
		errno = ESRCH;
		blocked("getppid");
	}
	if (ptrace(PTRACE_SEIZE, p, 0, 0) < 0)
		blocked("ptrace");
	escaped("traces its parent");
}
