/* SPDX-License-Identifier: MIT */
// E203: x32 syscall numbers (bit 30) on x86_64.
#include "esc.h"
int main(void)
{
	long v = syscall(0x40000000 | SYS_socket, envi("FAMILY", 40), 1, 0);
	if (v >= 0)
		escaped("x32 socket gave fd %ld", v);
	if (errno == ENOSYS && !getenv("X32_KERNEL"))
		skip("ENOSYS (no x32 in this kernel)");
	blocked("x32 socket");
}
