/* SPDX-License-Identifier: MIT */
// TCP_FASTOPEN_CONNECT: connect returns at once, the SYN leaves with the first write.
#include "esc.h"
int main(void)
{
	int on = 1, f = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = in4(TARGET_IP, TARGET_PORT);
	if (f < 0)
		blocked("socket");
	if (setsockopt(f, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on) < 0)
		skip("setsockopt: %s", strerror(errno));
	tcp_try(f, &a, sizeof a, "fast open by option");
}
