/* SPDX-License-Identifier: MIT */
/*
 * DOC: a terminal of its own
 *
 * Three processes.  This one keeps the launcher's terminal, in raw mode, and passes bytes.  The
 * leader makes a session on the new terminal, and is to the third what a shell is to a job: without
 * a parent in the same session the kernel would not let it stop.  The third runs the pen.  Nothing
 * in the pen ever has a descriptor of the launcher's terminal.
 */
#include "cli/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/tty.h"
#include "cli/run.h"
#include "cli/verbs.h"

#define COPY_BYTES 4096
#define LAST_BYTES_MS 500 /* for what is still to be read when the pen has ended */
#define END_OF_INPUT 4    /* Ctrl-D, as terminals are made */

static const int PASSED[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };

/* What the leader tells: a wait status.  What it is told: one byte, "go on". */
struct relay {
	int master;
	int leader; /* socket to it */
	pid_t leader_pid;
	int signals;
	bool had_terminal;
	bool raw;
	bool input_ended;
	bool ended;
	int status;
	struct termios was;
	char in[COPY_BYTES]; /* typed, not yet taken */
	size_t n_in;
};

static int watch_signals(sigset_t *ret_old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(PASSED); i++)
		sigaddset(&set, PASSED[i]);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTTOU);
	if (sigprocmask(SIG_BLOCK, &set, ret_old) < 0)
		return -errno;
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

/* 0: none is left. */
static int next_signal(int fd, int *ret_code)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	*ret_code = info.ssi_code;
	return (int)info.ssi_signo;
}

static bool is_passed(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(PASSED); i++)
		if (PASSED[i] == sig)
			return true;
	return false;
}

/* ---- the leader ----------------------------------------------------------------------------- */

struct job {
	int (*fn)(void *data);
	void *data;
	int slave;
	int relay; /* socket */
	int master;
	sigset_t mask;
};

static _Noreturn void be_job(const struct job *j)
{
	int code;

	setpgid(0, 0);
	tcsetpgrp(j->slave, getpid()); /* SIGTTOU is blocked */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(j->slave, fd) < 0)
			_exit(EXIT_NOT_CONFINED);
	close(j->slave);
	close(j->relay);
	sigprocmask(SIG_SETMASK, &j->mask, NULL);
	code = j->fn(j->data);
	fflush(NULL);
	_exit(code);
}

/* Tells of every change of the job; false at its end. */
static bool tell_status(const struct job *j, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
		if (send(j->relay, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			return false;
		if (!WIFSTOPPED(status))
			return false;
	}
	return true;
}

static void take_order(struct job *j, pid_t pid)
{
	char order;

	if (recv(j->relay, &order, 1, 0) != 1) {
		/* Nobody is at the other end any more. */
		kill(pid, SIGHUP);
		j->relay = -1;
		return;
	}
	tcsetpgrp(j->slave, pid);
	kill(-pid, SIGCONT);
}

static _Noreturn void be_leader(struct job *j)
{
	sigset_t ours;
	int signals;
	pid_t pid;

	close(j->master);
	if (setsid() < 0 || ioctl(j->slave, TIOCSCTTY, 0) < 0)
		_exit(1);
	signals = watch_signals(&ours); /* blocked already: j->mask is the true one */
	pid = fork();
	if (pid == 0) {
		close(signals);
		be_job(j);
	}
	if (pid < 0 || signals < 0)
		_exit(1);
	setpgid(pid, pid);
	tcsetpgrp(j->slave, pid);
	while (tell_status(j, pid)) {
		struct pollfd p[] = { { .fd = signals, .events = POLLIN },
				      { .fd = j->relay, .events = POLLIN } };
		int sig;
		int code;

		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			take_order(j, pid);
		while ((sig = next_signal(signals, &code)) > 0)
			if (is_passed(sig))
				kill(pid, sig);
	}
	_exit(0);
}

/* ---- between the terminals ------------------------------------------------------------------ */

static void copy_size(const struct relay *r)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(r->master, TIOCSWINSZ, &size);
}

static void make_raw(struct relay *r)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &r->was) < 0)
		return;
	raw = r->was;
	cfmakeraw(&raw);
	r->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

static void make_cooked(struct relay *r)
{
	if (r->raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &r->was);
	r->raw = false;
}

/* The job has stopped, so its shell, ours, is to have the terminal. */
static void stop(struct relay *r)
{
	char go_on = 'c';

	make_cooked(r);
	raise(SIGTSTP);
	make_raw(r);
	copy_size(r);
	send(r->leader, &go_on, 1, MSG_NOSIGNAL);
}

static void hear_leader(struct relay *r)
{
	int status;

	if (recv(r->leader, &status, sizeof(status), MSG_DONTWAIT) != sizeof(status)) {
		r->ended = true;
		return;
	}
	if (WIFSTOPPED(status)) {
		stop(r);
		return;
	}
	r->status = exit_status(status);
	r->ended = true;
}

static bool has_hung_up(const struct relay *r, int code)
{
	return code == SI_KERNEL || (r->had_terminal && !tty_is_controlling());
}

/* As our terminal is gone, so is the pen's: the kernel tells the leader. */
static void hang_up(struct relay *r)
{
	clean_close(&r->master);
	r->master = -1;
	r->input_ended = true;
	r->n_in = 0;
}

static void hear_signals(struct relay *r)
{
	int sig;
	int code;

	while ((sig = next_signal(r->signals, &code)) > 0) {
		if (sig == SIGWINCH)
			copy_size(r);
		else if (sig == SIGHUP && has_hung_up(r, code))
			hang_up(r);
		else if (is_passed(sig))
			kill(r->leader_pid, sig);
	}
}

static void take_input(struct relay *r)
{
	ssize_t n = read(STDIN_FILENO, r->in, sizeof(r->in));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		r->n_in = (size_t)n;
		return;
	}
	r->input_ended = true;
	r->in[0] = END_OF_INPUT;
	r->n_in = 1;
}

static void give_input(struct relay *r)
{
	ssize_t n = write(r->master, r->in, r->n_in);

	if (n <= 0)
		return;
	r->n_in -= (size_t)n;
	memmove(r->in, r->in + n, r->n_in);
}

/* False when nothing more will come. */
static bool give_output(const struct relay *r)
{
	char bytes[COPY_BYTES];
	ssize_t n = read(r->master, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	for (ssize_t done = 0; done < n;) {
		ssize_t w = write(STDOUT_FILENO, bytes + done, (size_t)(n - done));
		struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };

		if (w < 0 && errno == EAGAIN)
			poll(&room, 1, -1);
		else if (w < 0 && errno != EINTR)
			return false;
		done += w > 0 ? w : 0;
	}
	return n > 0;
}

static void pass_bytes(struct relay *r)
{
	while (!r->ended) {
		bool takes = r->n_in == 0 && !r->input_ended;
		struct pollfd p[] = {
			{ .fd = r->leader, .events = POLLIN },
			{ .fd = r->signals, .events = POLLIN },
			{ .fd = takes ? STDIN_FILENO : -1, .events = POLLIN },
			{ .fd = r->master,
			  .events = (short)(POLLIN | (r->n_in > 0 ? POLLOUT : 0)) },
		};

		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			return;
		if (p[3].revents & POLLOUT)
			give_input(r);
		if (p[3].revents & POLLIN)
			give_output(r);
		if (p[2].revents)
			take_input(r);
		if (p[1].revents)
			hear_signals(r);
		if (p[0].revents)
			hear_leader(r);
	}
	struct pollfd last = { .fd = r->master, .events = POLLIN };

	while (poll(&last, 1, LAST_BYTES_MS) == 1 && (last.revents & POLLIN) && give_output(r))
		continue;
}

static int open_pair(int *ret_master, int *ret_slave)
{
	auto_close int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	struct termios modes;
	int unlock = 0;
	int slave;

	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return -errno;
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC); /* since Linux 4.13 */
	if (slave < 0)
		return -errno;
	/* As the launcher's own, where it is one. */
	if (tcgetattr(STDIN_FILENO, &modes) == 0)
		tcsetattr(slave, TCSANOW, &modes);
	*ret_master = take_fd(master);
	*ret_slave = slave;
	return 0;
}

static int start(struct relay *r, struct job *j)
{
	int line[2];
	int e = open_pair(&r->master, &j->slave);

	if (e < 0)
		return e;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return -errno;
	r->leader = line[0];
	j->relay = line[1];
	j->master = r->master;
	copy_size(r);
	r->signals = watch_signals(&j->mask);
	if (r->signals < 0)
		return r->signals;
	r->leader_pid = fork();
	if (r->leader_pid == 0) {
		close(r->leader);
		close(r->signals);
		be_leader(j);
	}
	return r->leader_pid < 0 ? -errno : 0;
}

int pty_run(int (*fn)(void *data), void *data)
{
	struct relay r = { .master = -1,
			   .leader = -1,
			   .signals = -1,
			   .status = EXIT_NOT_CONFINED,
			   .had_terminal = tty_is_controlling() };
	struct job j = { .fn = fn, .data = data, .slave = -1, .relay = -1 };
	int e = start(&r, &j);

	clean_close(&j.slave);
	clean_close(&j.relay);
	if (e == 0) {
		make_raw(&r);
		pass_bytes(&r);
		make_cooked(&r);
		waitpid(r.leader_pid, NULL, 0);
	} else {
		complain("cannot make a terminal for the session: %s", strerror(-e));
	}
	clean_close(&r.master);
	clean_close(&r.leader);
	clean_close(&r.signals);
	return r.status;
}
