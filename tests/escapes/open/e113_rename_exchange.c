/* SPDX-License-Identifier: MIT */
// E113: renameat2(RENAME_EXCHANGE) swaps a workspace file with the outside secret.
#include "esc.h"
int main(void)
{
	const char *m = path2(WORKSPACE, "e113"), *o = path2(OUTSIDE_DIR, "movable");
	unlink(m);
	int f = open(m, O_CREAT | O_WRONLY, 0600);
	if (f < 0)
		blocked("create in the workspace");
	close(f);
	if (access(o, F_OK) && errno == ENOENT)
		skip("no OUTSIDE_DIR/movable");
	if (syscall(SYS_renameat2, AT_FDCWD, m, AT_FDCWD, o, 2) < 0) {
		int e = errno;
		unlink(m);
		errno = e;
		blocked("renameat2(EXCHANGE)");
	}
	syscall(SYS_renameat2, AT_FDCWD, m, AT_FDCWD, o, 2);
	unlink(m);
	escaped("swapped across the fence");
}
