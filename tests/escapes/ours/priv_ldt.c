/* SPDX-License-Identifier: MIT */
// modify_ldt installs segments of old kinds.
#include "esc.h"
int main(void)
{
#ifdef SYS_modify_ldt
	struct {
		unsigned entry, base, limit, flags;
	} d = { 0, 0, 0xfffff, 0x51 };
	if (syscall(SYS_modify_ldt, 1, &d, sizeof d) < 0)
		blocked("modify_ldt");
	escaped("a segment of its own");
#else
	skip("not this machine");
#endif
}
