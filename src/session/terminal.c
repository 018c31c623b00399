/* SPDX-License-Identifier: MIT */
#include "session/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tty.h"

/* Between a SIGHUP that somebody passes on and the end of the terminal that it tells of: sudo,
 * whose own terminal hung up, sends the one before it closes the other. */
#define HANGUP_ECHO_US 5000000

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

void hangup_note(struct hangup *ret)
{
	struct sigaction now;

	*ret = (struct hangup){ .had_terminal = tty_is_controlling() };
	ret->is_ignored = sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static bool lost_terminal(const struct hangup *h)
{
	return h->had_terminal && !tty_is_controlling();
}

bool hangup_is_real(struct hangup *h, int code)
{
	h->heard_us = clock_us();
	/* The kernel's own, or what a shell passes on when its terminal is gone. */
	return !h->is_ignored && (code == SI_KERNEL || lost_terminal(h));
}

bool hangup_followed(const struct hangup *h)
{
	return h->heard_us && clock_us() - h->heard_us < HANGUP_ECHO_US && !h->is_ignored &&
	       lost_terminal(h);
}
