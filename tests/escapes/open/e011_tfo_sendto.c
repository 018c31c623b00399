/* SPDX-License-Identifier: MIT */
// E011: TCP Fast Open: sendto(MSG_FASTOPEN) connects without connect(2) (Landlock < 7.2/6.18.54
// misses it).
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_STREAM, 0);
	if (f < 0)
		blocked("socket");
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	struct timeval tv = { 3, 0 };
	setsockopt(f, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
	if (sendto(f, nonce(), strlen(nonce()), MSG_FASTOPEN | MSG_NOSIGNAL, (void *)&d, sizeof d) <
	    0) {
		if (errno == EOPNOTSUPP)
			skip("TFO client is off");
		unreach("sendto");
		blocked("sendto(MSG_FASTOPEN)");
	}
	if (got_echo(f, 3000))
		escaped("TFO: echo came back");
	errno = ETIMEDOUT;
	blocked("echo");
}
