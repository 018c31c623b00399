/* SPDX-License-Identifier: MIT */
// E040: link-local multicast (mDNS group) and limited broadcast: name and data leak to the whole
// link.
#include "esc.h"
int main(void)
{
	int f = socket(AF_INET, SOCK_DGRAM, 0), one = 1;
	if (f < 0)
		blocked("socket");
	setsockopt(f, SOL_SOCKET, SO_BROADCAST, &one, 4);
	int n = 0;
	const char *a[] = { "224.0.0.251", "255.255.255.255", "239.255.255.250" };
	int e = 0;
	for (int i = 0; i < 3; i++) {
		struct sockaddr_in d = in4(a[i], 5353);
		if (sendto(f, nonce(), strlen(nonce()), 0, (void *)&d, sizeof d) >= 0)
			n++;
		else
			e = errno;
	}
	if (n)
		escaped("%d of 3 group datagrams accepted by the kernel", n);
	errno = e;
	unreach("sendto");
	blocked("sendto");
}
