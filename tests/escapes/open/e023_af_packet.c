/* SPDX-License-Identifier: MIT */
// E023: AF_PACKET writes frames below every cgroup hook.  RUN: root
#include "esc.h"
#include <linux/if_packet.h>
#include <net/if.h>
int main(void)
{
	int f = socket(AF_PACKET, SOCK_DGRAM, 0);
	if (f < 0) {
		if (is_absent(errno) && !getenv("FIXTURE"))
			skip("no AF_PACKET");
		blocked("socket(AF_PACKET)");
	}
	struct sockaddr_ll a = { .sll_family = AF_PACKET,
				 .sll_protocol = htons(0x0800),
				 .sll_ifindex = if_nametoindex(env("IFACE", "veth0")),
				 .sll_halen = 6,
				 .sll_addr = { 255, 255, 255, 255, 255, 255 } };
	if (!a.sll_ifindex)
		skip("no IFACE");
	char p[28] = { 0x45, 0, 0, 28, 0, 0, 0, 0, 64, (char)253 };
	if (sendto(f, p, 28, 0, (void *)&a, sizeof a) < 0)
		blocked("sendto");
	escaped("frame sent below the IP stack");
}
