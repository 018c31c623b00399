/* SPDX-License-Identifier: MIT */
// E214: bounded fork bomb (FORKS, default 600): a process limit must stop it.
#include "esc.h"
int main(void)
{
	int n = envi("FORKS", 600), i, e = 0;
	static pid_t c[8192];
	if (n > 8192)
		n = 8192;
	for (i = 0; i < n; i++) {
		c[i] = fork();
		if (c[i] == 0) {
			alarm(20);
			pause();
			_exit(0);
		}
		if (c[i] < 0) {
			e = errno;
			break;
		}
	}
	int made = i;
	for (i = 0; i < made; i++)
		kill(c[i], SIGKILL);
	for (i = 0; i < made; i++)
		waitpid(c[i], 0, 0);
	if (made == n)
		escaped("%d processes made", n);
	errno = e;
	blocked("fork");
}
