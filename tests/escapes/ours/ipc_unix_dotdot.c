/* SPDX-License-Identifier: MIT */
// A socket outside by a relative path with dot-dot, and through /proc/1/root.
#include "esc.h"
int main(void)
{
	const char *prefix[] = { "../../../../../../..", "/proc/self/root", "/proc/1/root" };
	for (int i = 0; i < 3; i++) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		int f = socket(AF_UNIX, SOCK_STREAM, 0);
		snprintf(a.sun_path, sizeof a.sun_path, "%s%s", prefix[i], need("OUTSIDE_SOCK"));
		if (connect(f, (void *)&a, sizeof a) == 0)
			escaped("connected by %s", a.sun_path);
	}
	blocked("connect");
}
