/* SPDX-License-Identifier: MIT */
// Leaves a process behind that is hard to end, in one of several ways; it makes MARK later.
#include "esc.h"
#include <sched.h>
#include <sys/ptrace.h>
static void later(void)
{
	close(0);
	close(1);
	close(2);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	sleep(envi("OUTLIVE_S", 3));
	close(open(need("MARK"), O_CREAT | O_WRONLY, 0644));
	_exit(0);
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pid_t p;

	if (!strcmp(how, "stopped")) { /* stopped, and woken by its child */
		p = fork();
		if (p == 0) {
			pid_t me = getpid();
			setsid();
			if (fork() == 0) {
				sleep(envi("OUTLIVE_S", 3));
				kill(me, SIGCONT);
				_exit(0);
			}
			raise(SIGSTOP);
			later();
		}
	} else if (!strcmp(how, "vfork")) { /* the parent waits in the kernel for its child */
		if (fork() == 0) {
			setsid();
			if (vfork() == 0)
				later();
			_exit(0);
		}
	} else if (!strcmp(how, "traced")) { /* each stop goes to the tracer */
		p = fork();
		if (p == 0) {
			setsid();
			pid_t child = fork();
			if (child == 0) {
				ptrace(PTRACE_TRACEME, 0, 0, 0);
				later();
			}
			later();
		}
	} else if (!strcmp(how, "parent")) { /* its parent is the caller's parent */
		if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) {
			setsid();
			later();
		}
	} else if (!strcmp(how, "forking")) { /* forks while everything ends */
		if (fork() == 0) {
			setsid();
			for (time_t end = time(NULL) + envi("OUTLIVE_S", 3) + 1;
			     time(NULL) < end;) {
				p = fork();
				if (p > 0)
					_exit(0);
				if (p < 0)
					usleep(1000);
			}
			later();
		}
	}
	usleep(200000);
	_exit(0);
}
