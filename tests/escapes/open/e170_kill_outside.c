/* SPDX-License-Identifier: MIT */
// E170: signal an outside process (the supervisor) of the same uid.
#include "esc.h"
int main(void)
{
	int p = atoi(need("OUTSIDE_PID"));
	if (kill(p, envi("SIG", 0)) < 0) {
		if (errno == ESRCH)
			blocked_s("ESRCH at kill (other pid namespace)");
		blocked("kill");
	}
	escaped("signal to pid %d accepted", p);
}
