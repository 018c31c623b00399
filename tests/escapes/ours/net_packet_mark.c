/* SPDX-License-Identifier: MIT */
// SO_MARK chooses other routes and firewall rules.
// RUN: root
#include "esc.h"
int main(void)
{
	int mark = 7, f = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0)
		blocked("socket");
	if (setsockopt(f, SOL_SOCKET, SO_MARK, &mark, sizeof mark) < 0)
		blocked("setsockopt(SO_MARK)");
	escaped("packets carry a mark");
}
