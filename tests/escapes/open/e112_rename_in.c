/* SPDX-License-Identifier: MIT */
// E112: move an outside file into the workspace.
#include "esc.h"
int main(void)
{
	const char *s = path2(OUTSIDE_DIR, "movable"), *d = path2(WORKSPACE, "e112");
	if (rename(s, d) < 0) {
		if (errno == ENOENT)
			skip("no OUTSIDE_DIR/movable");
		blocked("rename");
	}
	rename(d, s);
	escaped("moved an outside file in");
}
