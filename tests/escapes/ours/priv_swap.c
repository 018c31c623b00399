/* SPDX-License-Identifier: MIT */
// swapoff takes memory from everybody; a file that does not exist shows who may ask.
// RUN: root
#include "esc.h"
int main(void)
{
	if (syscall(SYS_swapoff, "/pinfold-no-such-file") < 0 && errno != ENOENT && errno != EINVAL)
		blocked("swapoff");
	escaped("may ask for it");
}
