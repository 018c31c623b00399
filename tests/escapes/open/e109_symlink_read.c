/* SPDX-License-Identifier: MIT */
// E109: symlink inside the workspace that points at the secret.
#include "esc.h"
int main(void)
{
	const char *l = path2(WORKSPACE, "e109");
	unlink(l);
	if (symlink(SECRET_FILE, l) < 0)
		blocked("symlink");
	int f = open(l, O_RDONLY), e = errno;
	unlink(l);
	errno = e;
	if (f < 0)
		blocked("open through symlink");
	escaped("read through a symlink");
}
