/* SPDX-License-Identifier: MIT */
// E028: every address family but UNIX/INET/INET6/NETLINK: any socket() that works is attack
// surface.
#include "esc.h"
int main(void)
{
	char got[512] = "";
	int n = 0, e = 0;
	for (int fam = 0; fam < 47; fam++) {
		if (fam == AF_UNIX || fam == AF_INET || fam == AF_INET6 || fam == AF_NETLINK)
			continue;
		for (int t = 1; t <= 5; t++) {
			int f = socket(fam, t, 0);
			if (f >= 0) {
				snprintf(got + strlen(got), 16, " %d/%d", fam, t);
				n++;
				close(f);
			} else if (errno == EPERM || errno == EACCES)
				e = errno;
		}
	}
	if (n)
		escaped("families open (family/type):%s", got);
	errno = e ? e : EAFNOSUPPORT;
	blocked("socket");
}
