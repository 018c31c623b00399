/* SPDX-License-Identifier: MIT */
// E150: connect to a pathname UNIX socket outside the fence (docker.sock, dbus, agent sockets all
// look like this).
#include "esc.h"
int main(void)
{
	int f = socket(AF_UNIX, SOCK_STREAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	snprintf(a.sun_path, sizeof a.sun_path, "%s", need("OUTSIDE_SOCK"));
	if (connect(f, (void *)&a, sizeof a) < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("no socket");
		blocked("connect");
	}
	send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL);
	if (got_echo(f, 2000))
		escaped("outside UNIX server answered");
	errno = ETIMEDOUT;
	blocked("echo");
}
