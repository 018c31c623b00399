/* SPDX-License-Identifier: MIT */
// A file of the workspace is moved to a directory outside.
#include "esc.h"
int main(void)
{
	const char *from = path2(WORKSPACE, "moves-out"), *to = path2(OUTSIDE_DIR, "moved-out");
	close(open(from, O_CREAT | O_WRONLY, 0644));
	if (rename(from, to) < 0)
		blocked("rename");
	unlink(to);
	escaped("a file of the session lies outside");
}
