/* SPDX-License-Identifier: MIT */
// A socket named through a leaked directory: /proc/self/fd/N/srv.sock.
#include "esc.h"
int main(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/srv.sock",
		 envi("LEAK_DIR_FD", 52));
	if (connect(s, (void *)&a, sizeof a) < 0)
		blocked("connect");
	escaped("connected through /proc/self/fd");
}
