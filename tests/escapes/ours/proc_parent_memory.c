/* SPDX-License-Identifier: MIT */
// /proc/PID/mem and process_vm_readv of the parent.
// RUN: root
#include "esc.h"
int main(void)
{
	char p[64], b[8];
	struct iovec l = { b, 8 }, r = { (void *)0x400000, 8 };
	snprintf(p, sizeof p, "/proc/%d/mem", getppid());
	if (open(p, O_RDWR) >= 0)
		escaped("opened %s", p);
	if (process_vm_readv(getppid(), &l, 1, &r, 1, 0) >= 0 || errno == EFAULT)
		escaped("may read its parent's memory");
	blocked("both");
}
