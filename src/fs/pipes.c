/* SPDX-License-Identifier: MIT */
#include "fs/pipes.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clean.h"

/* A pipe belongs to whoever launches, so /dev/stdout could not be opened by another uid.  Its mode
 * is widened by what the descriptor can do anyway, and no more; a pipe that resists stays as it is.
 */
void fs_widen_inherited_pipes(void)
{
	static const mode_t by_access[] = { [O_RDONLY] = 0004, [O_WRONLY] = 0002, [O_RDWR] = 0006 };

	for (int fd = 0; fd < INHERITED_FDS; fd++) {
		struct statfs fs;
		struct stat st;
		int flags = fcntl(fd, F_GETFL);

		if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) > O_RDWR ||
		    fstatfs(fd, &fs) < 0 || fs.f_type != PIPEFS_MAGIC || fstat(fd, &st) < 0)
			continue;
		(void)fchmod(fd, (st.st_mode & 07777) | by_access[flags & O_ACCMODE]);
	}
}
