/* SPDX-License-Identifier: MIT */
// socketpair of a family other than AF_UNIX, with garbage in the high half.
#include "esc.h"
#include <linux/netlink.h>
int main(void)
{
	int p[2];
	if (syscall(SYS_socketpair, 0x7700000000L | AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK, p) < 0 &&
	    errno != EOPNOTSUPP && errno != EPROTONOSUPPORT)
		blocked("socketpair");
	escaped("the kernel itself looked at the family");
}
