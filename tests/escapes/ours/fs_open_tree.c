/* SPDX-License-Identifier: MIT */
// open_tree(CLONE) makes a mount that has no name yet.
// RUN: root
#include "esc.h"
int main(void)
{
	int f = syscall(428 /* open_tree */, AT_FDCWD, OUTSIDE_DIR, 1 /* CLONE */ | O_CLOEXEC);
	if (f < 0)
		blocked("open_tree");
	if (openat(f, "secret.txt", O_RDONLY) < 0)
		blocked("openat");
	escaped("a detached copy of the mount is open");
}
