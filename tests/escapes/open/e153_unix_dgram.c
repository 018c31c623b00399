/* SPDX-License-Identifier: MIT */
// E153: sendto() an outside UNIX datagram socket (/dev/log, journald).
#include "esc.h"
int main(void)
{
	int f = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	snprintf(a.sun_path, sizeof a.sun_path, "%s", need("OUTSIDE_DGRAM"));
	if (sendto(f, nonce(), strlen(nonce()), 0, (void *)&a, sizeof a) < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("no socket");
		blocked("sendto");
	}
	escaped("datagram delivered to %s", a.sun_path);
}
