/* SPDX-License-Identifier: MIT */
// E064: connect to the allowed peer, dissolve with AF_UNSPEC, reconnect the same TCP socket
// elsewhere.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = in4(ALLOWED_IP, TARGET_PORT), d = in4(TARGET_IP, TARGET_PORT);
	if (conn_t(f, &a, sizeof a, 3000) < 0)
		skip("connect to ALLOWED_IP: %s", strerror(errno));
	struct sockaddr u = { .sa_family = AF_UNSPEC };
	if (connect(f, &u, sizeof u) < 0)
		blocked("connect(AF_UNSPEC)");
	tcp_try(f, &d, sizeof d, "reconnected");
}
