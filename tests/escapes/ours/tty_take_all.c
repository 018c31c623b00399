/* SPDX-License-Identifier: MIT */
// Pseudo terminals are counted for the whole machine: who takes all shuts the others out.
#include "esc.h"
#include <sys/resource.h>
int main(void)
{
	enum { WANT = 1100 };
	struct rlimit r = { WANT + 64, WANT + 64 };
	int n = 0;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		skip("the limit on descriptors is lower");
	while (n < WANT && open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0)
		n++;
	if (n == WANT)
		escaped("%d pseudo terminals", n);
	blocked("open");
}
