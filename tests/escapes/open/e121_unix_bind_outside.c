/* SPDX-License-Identifier: MIT */
// E121: bind a UNIX socket into a directory outside the fence (squat a service path).
#include "esc.h"
int main(void)
{
	int f = socket(AF_UNIX, SOCK_STREAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	snprintf(a.sun_path, sizeof a.sun_path, "%s/e121", OUTSIDE_DIR);
	unlink(a.sun_path);
	if (bind(f, (void *)&a, sizeof a) < 0)
		blocked("bind");
	unlink(a.sun_path);
	escaped("bound %s", a.sun_path);
}
