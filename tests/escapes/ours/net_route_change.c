/* SPDX-License-Identifier: MIT */
// A route is added by rtnetlink: what an address leads to is the host's business.
// RUN: root
#include "esc.h"
#include <linux/rtnetlink.h>
int main(void)
{
	struct {
		struct nlmsghdr h;
		struct rtmsg r;
		struct rtattr dst;
		unsigned char addr[4];
		struct rtattr oif;
		int ifindex;
	} m = { { sizeof m, RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1, 0 },
		{ AF_INET, 32, 0, 0, RT_TABLE_MAIN, RTPROT_STATIC, RT_SCOPE_LINK, RTN_UNICAST, 0 },
		{ 8, RTA_DST },
		{ 192, 0, 2, 77 },
		{ 8, RTA_OIF },
		1 };
	struct {
		struct nlmsghdr h;
		struct nlmsgerr e;
		char rest[512];
	} r;
	int f = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (f < 0)
		blocked("socket");
	if (send(f, &m, sizeof m, 0) < 0)
		blocked("send");
	if (recv(f, &r, sizeof r, 0) < 0)
		blocked("recv");
	errno = -r.e.error;
	if (r.e.error)
		blocked("RTM_NEWROUTE");
	m.h.nlmsg_type = RTM_DELROUTE;
	send(f, &m, sizeof m, 0);
	escaped("a route was added");
}
