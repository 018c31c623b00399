/* SPDX-License-Identifier: MIT */
// A leaked descriptor gets a name in the workspace by linkat(/proc/self/fd/N).
#include "esc.h"
int main(void)
{
	char from[64];
	const char *to = path2(WORKSPACE, "linked-secret");
	snprintf(from, sizeof from, "/proc/self/fd/%d", envi("LEAK_SECRET_FD", 51));
	unlink(to);
	if (linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) < 0)
		blocked("linkat");
	unlink(to);
	escaped("the file outside has a name inside");
}
