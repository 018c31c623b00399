/* SPDX-License-Identifier: MIT */
// E110: hard-link the secret into the workspace.
#include "esc.h"
int main(void)
{
	const char *l = path2(WORKSPACE, "e110");
	unlink(l);
	if (link(SECRET_FILE, l) < 0)
		blocked("link");
	int f = open(l, O_RDONLY), e = errno;
	unlink(l);
	errno = e;
	if (f < 0)
		blocked("open of the link");
	escaped("hard link works");
}
