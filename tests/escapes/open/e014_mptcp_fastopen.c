/* SPDX-License-Identifier: MIT */
// E014: MPTCP socket with MSG_FASTOPEN: two blind spots at once.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_STREAM, 262);
	if (f < 0) {
		if (is_absent(errno))
			skip("no mptcp");
		blocked("socket");
	}
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	if (sendto(f, nonce(), strlen(nonce()), MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&d, sizeof d) <
	    0) {
		if (errno == EOPNOTSUPP)
			skip("no TFO");
		unreach("sendto");
		blocked("sendto(MSG_FASTOPEN)");
	}
	if (got_echo(f, 3000))
		escaped("mptcp TFO: echo came back");
	errno = ETIMEDOUT;
	blocked("echo");
}
