/* SPDX-License-Identifier: MIT */
// E172: pidfd_send_signal, rt_sigqueueinfo and tgkill instead of kill(2).
#include "esc.h"
int main(void)
{
	int p = atoi(need("OUTSIDE_PID")), e = 0;
	int f = syscall(SYS_pidfd_open, p, 0);
	if (f >= 0) {
		if (syscall(SYS_pidfd_send_signal, f, 0, 0, 0) == 0)
			escaped("pidfd_send_signal accepted");
		e = errno;
	} else
		e = errno;
	if (syscall(SYS_tgkill, p, p, 0) == 0)
		escaped("tgkill accepted");
	siginfo_t s = { .si_signo = SIGURG, .si_code = SI_QUEUE };
	if (syscall(SYS_rt_sigqueueinfo, p, SIGURG, &s) == 0)
		escaped("rt_sigqueueinfo accepted");
	errno = e;
	blocked("all three");
}
