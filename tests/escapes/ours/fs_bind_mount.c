/* SPDX-License-Identifier: MIT */
// A bind mount of a directory outside onto the workspace.
// RUN: root
#include "esc.h"
#include <sys/mount.h>
int main(void)
{
	if (mount(OUTSIDE_DIR, WORKSPACE, NULL, MS_BIND, NULL) < 0)
		blocked("mount");
	umount2(WORKSPACE, MNT_DETACH);
	escaped("mounted a directory outside over the workspace");
}
