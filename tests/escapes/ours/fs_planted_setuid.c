/* SPDX-License-Identifier: MIT */
// A set-uid program left in the workspace gives whoever runs it later the session's uid, outside of any pen.
#include "esc.h"
int main(void)
{
	struct stat st;
	const char *p = path2(WORKSPACE, "planted-suid");
	unlink(p);
	int f = open(p, O_CREAT | O_WRONLY, 0755);
	if (f < 0)
		skip("open");
	if (fchmod(f, 04755) < 0 && chmod(p, 04755) < 0 &&
	    syscall(452 /* fchmodat2 */, AT_FDCWD, p, 04755, 0) < 0) {
		unlink(p);
		blocked("chmod");
	}
	fstat(f, &st);
	unlink(p);
	if (st.st_mode & S_ISUID)
		escaped("a set-uid program lies in the workspace");
	blocked_s("the bit did not stay");
}
