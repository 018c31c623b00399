/* SPDX-License-Identifier: MIT */
// get_robust_list tells an address in a process outside.
#include "esc.h"
int main(void)
{
	void *head = NULL;
	size_t len = 0;
	if (syscall(SYS_get_robust_list, atoi(need("OUTSIDE_PID")), &head, &len) < 0)
		blocked("get_robust_list");
	escaped("knows an address in it: %p", head);
}
