/* SPDX-License-Identifier: MIT */
// A readable tree that may not execute: a program in it is started.
#include "esc.h"
int main(void)
{
	char *argv[] = { (char *)path2(need("ESC_SRC"), "fixtures/naive_wrap.py"), "/bin/true", NULL };
	pid_t p = fork();
	int st;
	if (p == 0) {
		close(1);
		close(2);
		setenv("AUDIT_LOG", "/dev/null", 1);
		execv(argv[0], argv);
		_exit(errno == EACCES ? 113 : 114);
	}
	waitpid(p, &st, 0);
	errno = WIFEXITED(st) && WEXITSTATUS(st) == 113 ? EACCES : EIO;
	if (WIFEXITED(st) && WEXITSTATUS(st) < 113)
		escaped("it ran");
	blocked("execve");
}
