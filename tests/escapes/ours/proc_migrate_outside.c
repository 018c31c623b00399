/* SPDX-License-Identifier: MIT */
// migrate_pages moves the memory of a process outside.
#include "esc.h"
int main(void)
{
	unsigned long node = 1;
	if (syscall(SYS_migrate_pages, atoi(need("OUTSIDE_PID")), 8 * sizeof node, &node, &node) < 0) {
		if (errno == ENOSYS)
			skip("no migrate_pages");
		blocked("migrate_pages");
	}
	escaped("moved the memory of a process outside");
}
