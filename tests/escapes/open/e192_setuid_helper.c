/* SPDX-License-Identifier: MIT */
// E192: a set-user-ID root program (SUID_HELPER prints its euid) must not gain privilege under
// no_new_privs.
#include "esc.h"
int main(void)
{
	const char *h = need("SUID_HELPER");
	int p[2];
	if (pipe(p))
		skip("pipe");
	pid_t c = fork();
	if (!c) {
		dup2(p[1], 1);
		execl(h, h, (char *)0);
		_exit(127);
	}
	close(p[1]);
	char b[32] = "";
	ssize_t n = read(p[0], b, 31);
	int s;
	waitpid(c, &s, 0);
	if (n <= 0) {
		errno = EACCES;
		blocked("exec of the setuid helper");
	}
	if (atoi(b) == 0 && getuid() != 0)
		escaped("setuid helper ran as root");
	if (getuid() == 0)
		escaped("already root");
	errno = EPERM;
	blocked("privilege gain (helper ran unprivileged)");
}
