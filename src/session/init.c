/* SPDX-License-Identifier: MIT */
/*
 * DOC: the pen's init
 *
 * Init is the session's uid, in the session's namespaces, under the session's Landlock domain and
 * seccomp filter: it can do nothing that the command could not.  It is undumpable, so the command
 * can neither read its memory nor reach its descriptors; and as pid 1 it takes no signal from
 * inside.  It makes system calls only and allocates nothing.
 */
#include "session/init.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/link.h"
#include "session/session.h"

#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND 127

static void on_child(int sig)
{
	(void)sig; /* only there to interrupt ppoll */
}

/* What nohup and shells ignore for their background jobs stays ignored; anything else that a
 * careless launcher ignores is as a new process expects it.  Handlers end with execve. */
static void reset_signals(void)
{
	struct sigaction now;
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
			continue;
		if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
			sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Joins dir (len bytes) and name into ret; false when it does not fit. */
static bool join_path(const char *dir, size_t len, const char *name, char ret[static PATH_MAX])
{
	size_t name_len = strlen(name);

	if (len == 0) {
		dir = ".";
		len = 1;
	}
	if (len + 1 + name_len + 1 > PATH_MAX)
		return false;
	memcpy(ret, dir, len);
	ret[len] = '/';
	memcpy(ret + len + 1, name, name_len + 1);
	return true;
}

/* execvpe without its fallback to a shell; of several errors the one that says most is kept. */
static int execute(char *const *argv, char *const *env, const char *path)
{
	char file[PATH_MAX];
	int worst = ENOENT;

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, env);
		return -errno;
	}
	for (const char *dir = path; dir;) {
		const char *end = strchrnul(dir, ':');

		if (join_path(dir, (size_t)(end - dir), argv[0], file)) {
			execve(file, argv, env);
			if (errno != ENOENT && errno != ENOTDIR)
				worst = errno;
		}
		dir = *end ? end + 1 : NULL;
	}
	return -worst;
}

static _Noreturn void become_command(const struct init_work *w)
{
	struct link_message failed = { .word = LINK_EXEC_FAILED };

	reset_signals();
	if (chdir(w->start_dir) < 0 && !w->command->probe) {
		failed.word = LINK_DIR_FAILED;
		failed.error = -errno;
		link_send(w->link, &failed);
		_exit(EXIT_CANNOT_EXECUTE);
	}
	for (size_t i = 0; i < w->command->n_keep_fds; i++)
		fcntl(w->command->keep_fds[i], F_SETFD, 0);
	if (w->command->probe) {
		close(w->link);
		_exit(w->command->probe(w->command->probe_data));
	}
	failed.error = execute(w->command->argv, w->env, w->path);
	link_send(w->link, &failed);
	_exit(failed.error == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

/* Reaps all that has ended; true when the command was among it.  A stop of it is told. */
static bool reap(int link, pid_t command, int *ret_status)
{
	struct link_message stopped = { .word = LINK_STOPPED };
	bool found = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != command)
			continue;
		if (WIFSTOPPED(status)) {
			stopped.value = WSTOPSIG(status);
			link_send(link, &stopped);
			continue;
		}
		*ret_status = status;
		found = true;
	}
	return found;
}

/* False when the supervisor is gone: then nobody may go on. */
static bool serve_link(int link, pid_t command)
{
	struct link_message m;

	if (link_receive(link, &m) < 0)
		return false;
	if (m.word == LINK_SIGNAL && m.value > 0 && m.value < NSIG)
		kill(command, m.value);
	return true;
}

static int serve(int link, pid_t command, const sigset_t *while_waiting)
{
	struct pollfd poll_link = { .fd = link, .events = POLLIN };
	struct link_message ended = { .word = LINK_ENDED };
	int status = 0;

	for (;;) {
		int n = ppoll(&poll_link, 1, NULL, while_waiting);

		if (n > 0 && !serve_link(link, command))
			return 1;
		if (reap(link, command, &status))
			break;
	}
	ended.value = status;
	return link_send(link, &ended) < 0;
}

int init_run(const struct init_work *w)
{
	struct sigaction wake = { .sa_handler = on_child };
	struct link_message failed = { .word = LINK_FAILED, .stage = STAGE_FORK };
	sigset_t blocked;
	sigset_t while_waiting;
	pid_t command;

	/* SIGCHLD is let in only while ppoll waits, so none is missed between look and sleep. */
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	while_waiting = blocked;
	sigdelset(&while_waiting, SIGCHLD);
	sigaction(SIGCHLD, &wake, NULL);
	command = fork();
	if (command == 0)
		become_command(w);
	if (command < 0) {
		failed.error = -errno;
		link_send(w->link, &failed);
		return 1;
	}
	for (size_t i = 0; i < w->command->n_keep_fds; i++)
		close(w->command->keep_fds[i]);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	return serve(w->link, command, &while_waiting);
}
