/* SPDX-License-Identifier: MIT */
// The name of the host is everybody's (its own name is set again).
// RUN: root
#include "esc.h"
int main(void)
{
	char b[256];
	gethostname(b, sizeof b);
	if (sethostname(b, strlen(b)) < 0)
		blocked("sethostname");
	escaped("set the host's name");
}
