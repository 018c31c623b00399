/* SPDX-License-Identifier: MIT */
// E119: create device nodes (a raw disk) in the workspace.
// RUN: root
#include "esc.h"
#include <sys/sysmacros.h>
int main(void)
{
	const char *p = path2(WORKSPACE, "e119");
	unlink(p);
	if (mknod(p, S_IFBLK | 0600, makedev(254, 0)) == 0) {
		unlink(p);
		escaped("made a block device");
	}
	int e = errno;
	if (mknod(p, S_IFCHR | 0600, makedev(1, 1)) == 0) {
		unlink(p);
		escaped("made /dev/mem");
	}
	errno = e;
	blocked("mknod");
}
