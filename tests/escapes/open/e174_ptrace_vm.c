/* SPDX-License-Identifier: MIT */
// E174/E175: ptrace, process_vm_readv, /proc/PID/mem on an outside process.
#include "esc.h"
#include <sys/ptrace.h>
int main(void)
{
	int p = atoi(need("OUTSIDE_PID")), e;
	if (ptrace(PTRACE_SEIZE, p, 0, 0) == 0) {
		ptrace(PTRACE_DETACH, p, 0, 0);
		escaped("ptrace attached");
	}
	e = errno;
	char b[8];
	struct iovec l = { b, 8 }, r = { (void *)main, 8 };
	if (process_vm_readv(p, &l, 1, &r, 1, 0) == 8)
		escaped("process_vm_readv worked");
	char n[64];
	snprintf(n, 64, "/proc/%d/mem", p);
	if (open(n, O_RDWR) >= 0)
		escaped("opened %s", n);
	errno = e;
	blocked("ptrace/vm/mem");
}
