/* SPDX-License-Identifier: MIT */
// Signals that the launcher ignores or blocks stay so in what it starts.
#include "esc.h"
int main(void)
{
	struct sigaction a;
	sigset_t s;
	sigprocmask(SIG_SETMASK, NULL, &s);
	for (int i = 1; i < 32; i++) {
		if (i == SIGHUP || i == SIGINT || i == SIGQUIT) /* nohup, and shells for background jobs */
			continue;
		if (sigaction(i, NULL, &a) == 0 && a.sa_handler == SIG_IGN)
			escaped("signal %d is ignored", i);
		if (sigismember(&s, i) == 1)
			escaped("signal %d is blocked", i);
	}
	blocked_s("all as they should be");
}
