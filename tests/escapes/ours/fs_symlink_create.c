/* SPDX-License-Identifier: MIT */
// A dangling symlink in the workspace: opening it for creation makes a file outside.
#include "esc.h"
int main(void)
{
	const char *l = path2(WORKSPACE, "dangling"), *to = path2(OUTSIDE_DIR, "made-by-link");
	unlink(l);
	if (symlink(to, l) < 0)
		skip("symlink");
	int f = open(l, O_CREAT | O_WRONLY, 0644);
	unlink(l);
	if (f < 0)
		blocked("open");
	unlink(to);
	escaped("made %s", to);
}
