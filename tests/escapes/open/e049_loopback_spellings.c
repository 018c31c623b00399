/* SPDX-License-Identifier: MIT */
// E049/E050/E053: other spellings of this host: 0.0.0.0, ::, 127.x.y.z, ::ffff:127.0.0.1, and names
// getaddrinfo() accepts.
#include "esc.h"
int main(void)
{
	const char *h[] = { "0.0.0.0",          "0",          "127.1",
			    "127.8.9.10",       "2130706433", "0x7f.1",
			    "017700000001",     "::",         "::1",
			    "::ffff:127.0.0.1", "localhost" };
	char got[512] = "", pt[16];
	int n = 0, e = 0;
	snprintf(pt, sizeof pt, "%d", envi("LOCAL_PORT", TARGET_PORT));
	for (unsigned i = 0; i < sizeof h / sizeof *h; i++) {
		struct addrinfo hi = { .ai_socktype = SOCK_STREAM }, *a;
		if (getaddrinfo(h[i], pt, &hi, &a))
			continue;
		int f = socket(a->ai_family, SOCK_STREAM, 0);
		if (f < 0) {
			e = errno;
			continue;
		}
		if (conn_t(f, a->ai_addr, a->ai_addrlen, 1500) < 0)
			e = errno;
		else {
			send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL);
			if (got_echo(f, 1500)) {
				n++;
				snprintf(got + strlen(got), 64, " %s", h[i]);
			}
		}
		close(f);
	}
	if (n)
		escaped("host loopback service reached as:%s", got);
	errno = e;
	unreach("connect");
	blocked("connect (all)");
}
