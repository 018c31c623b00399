/* SPDX-License-Identifier: MIT */
// A symlink in the workspace names a socket outside.
#include "esc.h"
int main(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *l = path2(WORKSPACE, "sock-link");
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	unlink(l);
	if (symlink(need("OUTSIDE_SOCK"), l) < 0)
		blocked("symlink");
	snprintf(a.sun_path, sizeof a.sun_path, "%s", l);
	int r = connect(s, (void *)&a, sizeof a), e = errno;
	unlink(l);
	errno = e;
	if (r < 0)
		blocked("connect");
	escaped("connected through the symlink");
}
