/* SPDX-License-Identifier: MIT */
// The same as a mode of creation: open, openat2, mknod.
#include "esc.h"
int main(void)
{
	struct stat st;
	const char *p = path2(WORKSPACE, "created-suid");
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_CREAT | O_WRONLY, 04755, 0 };
	umask(0);
	for (int i = 0; i < 3; i++) {
		unlink(p);
		if (i == 0)
			open(p, O_CREAT | O_WRONLY, 04755);
		else if (i == 1)
			syscall(437 /* openat2 */, AT_FDCWD, p, &how, sizeof how);
		else
			mknod(p, S_IFREG | 04755, 0);
		if (stat(p, &st) == 0 && (st.st_mode & S_ISUID)) {
			unlink(p);
			escaped("made a set-uid file (way %d)", i);
		}
		unlink(p);
	}
	blocked_s("no way makes one");
}
