/* SPDX-License-Identifier: MIT */
// chroot moves where "/" leads.
// RUN: root
#include "esc.h"
int main(void)
{
	if (chroot(WORKSPACE) < 0)
		blocked("chroot");
	escaped("the root is another directory");
}
