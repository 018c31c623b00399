/* SPDX-License-Identifier: MIT */
#include "session/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clean.h"

bool terminal_is_controlling(void)
{
	auto_close int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 || errno != ENXIO;
}

void terminal_note(struct terminal *ret)
{
	pid_t group = getpgrp();

	*ret = (struct terminal){ .group = -1 };
	if (tcgetpgrp(STDIN_FILENO) != group)
		return;
	ret->group = group;
	ret->has_modes = tcgetattr(STDIN_FILENO, &ret->modes) == 0;
}

bool terminal_has_shell(const struct terminal *t)
{
	pid_t parent = getppid();

	return t->group >= 0 && getsid(parent) == getsid(0) && getpgid(parent) != getpgrp();
}

void terminal_restore(const struct terminal *t)
{
	sigset_t stop;
	sigset_t old;

	if (t->group < 0)
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stop, &old);
	if (tcgetpgrp(STDIN_FILENO) != t->group)
		tcsetpgrp(STDIN_FILENO, t->group);
	/* Output that was stopped inside would hold whoever writes next. */
	tcflow(STDIN_FILENO, TCOON);
	ioctl(STDIN_FILENO, TIOCNXCL);
	if (t->has_modes)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->modes);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void terminal_stop(int sig)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, sig);
	raise(sig);
	/* Here it stops; an orphaned process group goes on at once. */
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
}
