/* SPDX-License-Identifier: MIT */
// Back to uid 0: a saved id, or a capability that was left.
// RUN: root
#include "esc.h"
int main(void)
{
	if (syscall(SYS_setresuid, 0, 0, 0) < 0)
		blocked("setresuid");
	if (geteuid() != 0)
		blocked_s("still uid %d", geteuid());
	escaped("uid 0");
}
