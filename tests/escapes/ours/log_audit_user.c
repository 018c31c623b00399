/* SPDX-License-Identifier: MIT */
// A record in the kernel's audit trail by AUDIT_USER.
// RUN: root
#include "esc.h"
#include <linux/netlink.h>
int main(void)
{
	struct {
		struct nlmsghdr h;
		char text[32];
	} m = { { sizeof m, 1005 /* AUDIT_USER */, NLM_F_REQUEST | NLM_F_ACK, 1, 0 }, "op=escape-test" };
	struct {
		struct nlmsghdr h;
		struct nlmsgerr e;
		char rest[256];
	} r;
	int f = socket(AF_NETLINK, SOCK_RAW, 9 /* AUDIT */);
	if (f < 0) {
		if (errno == EPROTONOSUPPORT)
			skip("no audit");
		blocked("socket");
	}
	if (send(f, &m, sizeof m, 0) < 0)
		blocked("send");
	if (recv(f, &r, sizeof r, 0) < 0)
		blocked("recv");
	errno = -r.e.error;
	if (r.e.error)
		blocked("AUDIT_USER");
	escaped("wrote into the audit trail");
}
