/* SPDX-License-Identifier: MIT */
// access, readlink, statfs and chdir tell of paths outside without opening them.
#include "esc.h"
#include <sys/vfs.h>
int main(void)
{
	struct statfs s;
	if (access(SECRET_FILE, F_OK) == 0)
		escaped("access tells that it exists");
	if (statfs(OUTSIDE_DIR, &s) == 0)
		escaped("statfs tells of the file system");
	if (chdir(OUTSIDE_DIR) == 0)
		escaped("the current directory is outside");
	if (open(OUTSIDE_DIR, O_PATH | O_DIRECTORY) >= 0)
		escaped("a path descriptor of it is open");
	blocked("all of them");
}
