/* SPDX-License-Identifier: MIT */
// E185: a double-forked daemon tries to outlive the session.  The runner looks for MARK after the
// session ended.
#include "esc.h"
int main(void)
{
	const char *m = need("MARK");
	if (fork()) {
		sleep(1);
		printf("ESCAPED? check that %s does not appear after the session ended\n", m);
		fflush(stdout);
		_exit(1);
	}
	setsid();
	if (fork())
		_exit(0);
	for (int i = 3; i < 1024; i++)
		close(i);
	int n = open("/dev/null", O_RDWR);
	dup2(n, 0);
	dup2(n, 1);
	dup2(n, 2);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	sleep(envi("OUTLIVE_S", 3));
	int f = open(m, O_CREAT | O_WRONLY, 0644);
	close(f);
	_exit(0);
}
