/* SPDX-License-Identifier: MIT */
// setxattr on a file that the uid owns.
#include "esc.h"
#include <sys/xattr.h>
int main(void)
{
	const char *p = path2(OUTSIDE_DIR, "victim");
	if (setxattr(p, "user.pinfold", "x", 1, 0) < 0) {
		if (errno == EOPNOTSUPP)
			skip("no user attributes on this file system");
		blocked("setxattr");
	}
	removexattr(p, "user.pinfold");
	escaped("wrote an attribute of %s", p);
}
