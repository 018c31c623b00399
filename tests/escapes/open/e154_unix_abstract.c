/* SPDX-License-Identifier: MIT */
// E154: connect to an abstract UNIX socket made outside.
#include "esc.h"
int main(void)
{
	int f = socket(AF_UNIX, SOCK_STREAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *n = need("OUTSIDE_ABSTRACT");
	memcpy(a.sun_path + 1, n, strlen(n));
	if (connect(f, (void *)&a, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(n)) < 0)
		blocked("connect");
	send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL);
	if (got_echo(f, 2000))
		escaped("abstract server answered");
	errno = ETIMEDOUT;
	blocked("echo");
}
