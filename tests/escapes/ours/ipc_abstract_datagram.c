/* SPDX-License-Identifier: MIT */
// An abstract datagram socket of a process outside: sendto needs no connect.
#include "esc.h"
int main(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int f = socket(AF_UNIX, SOCK_DGRAM, 0);
	const char *name = env("OUTSIDE_ABSTRACT_DGRAM", "pf-abstract-dgram");
	memcpy(a.sun_path + 1, name, strlen(name));
	if (sendto(f, "x", 1, 0, (void *)&a, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)) < 0)
		blocked("sendto");
	escaped("a datagram went out");
}
