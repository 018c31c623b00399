/* SPDX-License-Identifier: MIT */
// mount_setattr changes what a mount forbids.
// RUN: root
#include "esc.h"
int main(void)
{
	struct {
		uint64_t set, clear, propagation, userns;
	} a = { .clear = 4 /* NODEV */ };
	if (syscall(442 /* mount_setattr */, AT_FDCWD, "/tmp", 0, &a, sizeof a) < 0) {
		if (errno != EINVAL)
			blocked("mount_setattr");
		if (syscall(442, AT_FDCWD, "/", 0, &a, sizeof a) < 0)
			blocked("mount_setattr");
	}
	escaped("the attributes of a mount are changed");
}
