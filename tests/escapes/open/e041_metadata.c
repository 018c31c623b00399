/* SPDX-License-Identifier: MIT */
// E041..E050: cloud metadata and private ranges, every embedding, over TCP.  METADATA_LIST
// overrides (space separated).
#include "esc.h"
static const char *def =
    "169.254.169.254 169.254.170.2 169.254.169.123 100.100.100.200 168.63.129.16 192.0.0.192 "
    "10.9.9.9 172.20.0.1 192.168.7.7 100.64.1.1 198.18.0.1 "
    "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 2002:a9fe:a9fe::1 "
    "2001:0:a9fe:a9fe:0:0:5601:5601 fe80:5efe::a9fe:a9fe fd00:ec2::254 fd20:ce::254 "
    "fd00:c1::a9fe:a9fe ::169.254.169.254";
int main(void)
{
	char l[2048], got[1024] = "", *s, *t;
	int n = 0, tried = 0, e = 0;
	snprintf(l, sizeof l, "%s", env("METADATA_LIST", def));
	for (t = strtok_r(l, " ", &s); t; t = strtok_r(0, " ", &s)) {
		int v6 = !!strchr(t, ':');
		int f = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
		if (f < 0)
			blocked("socket");
		struct sockaddr_in a4;
		struct sockaddr_in6 a6;
		int r;
		if (v6) {
			a6 = in6(t, 80);
			r = conn_t(f, &a6, sizeof a6, 1500);
		} else {
			a4 = in4(t, 80);
			r = conn_t(f, &a4, sizeof a4, 1500);
		}
		if (r < 0) {
			if (errno == ENETUNREACH || errno == EADDRNOTAVAIL ||
			    errno == EHOSTUNREACH || errno == EINVAL) {
				close(f);
				continue;
			}
			tried++;
			e = errno;
			close(f);
			continue;
		}
		tried++;
		send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL);
		if (got_echo(f, 1500)) {
			n++;
			snprintf(got + strlen(got), sizeof got - strlen(got), " %s", t);
		}
		close(f);
	}
	if (n)
		escaped("%d answered:%s", n, got);
	if (!tried) {
		if (getenv("FIXTURE"))
			blocked_s("EHOSTUNREACH for all");
		skip("no routes; run inside the fixture");
	}
	errno = e ? e : ETIMEDOUT;
	blocked("connect (all)");
}
