/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/policy_options.h"
#include "cli/pty.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "pinfold.h"

#define KEEP_FDS_MAX 32
#define STATE_DIRS_MAX 32
#define NOTICE_MAX 1024

struct run_options {
	struct policy_options policy; /* first: shared setters */
	const char *log;
	const char *log_to;
	const char *agent;
	int keep[KEEP_FDS_MAX];
	size_t n_keep;
	const char *state[STATE_DIRS_MAX];
	size_t n_state;
	bool quiet;
	bool observe;
	bool pty;
	char **command;
};

static int set_log(void *data, const char *value)
{
	struct run_options *o = data;

	o->log = value;
	return 0;
}

static int set_log_to(void *data, const char *value)
{
	struct run_options *o = data;

	o->log_to = value;
	return 0;
}

static int set_agent(void *data, const char *value)
{
	struct run_options *o = data;

	o->agent = value;
	return 0;
}

static int set_keep_fd(void *data, const char *value)
{
	struct run_options *o = data;
	uint64_t fd;

	if (number_parse(value, 1023, &fd) < 0 || fd < 3 || o->n_keep == KEEP_FDS_MAX) {
		complain("--keep-fd takes a descriptor from 3 to 1023, %d at most", KEEP_FDS_MAX);
		return -EINVAL;
	}
	o->keep[o->n_keep++] = (int)fd;
	return 0;
}

static int set_state_dir(void *data, const char *value)
{
	struct run_options *o = data;

	if (o->n_state == STATE_DIRS_MAX) {
		complain("more than %d state directories", STATE_DIRS_MAX);
		return -E2BIG;
	}
	o->state[o->n_state++] = value;
	return 0;
}

static int set_quiet(void *data, const char *value)
{
	struct run_options *o = data;

	(void)value;
	o->quiet = true;
	return 0;
}

static int set_observe(void *data, const char *value)
{
	struct run_options *o = data;

	(void)value;
	o->observe = true;
	return 0;
}

static int set_pty(void *data, const char *value)
{
	struct run_options *o = data;

	(void)value;
	o->pty = true;
	return 0;
}

const struct option_row RUN_OPTIONS[] = {
	POLICY_OPTION_ROWS,
	{ "log", 0, "FILE", "append the record to FILE; - is standard error", set_log },
	{ "log-to", 0, "WHERE", "send the record to journal or syslog as well", set_log_to },
	{ "agent", 0, "NAME", "the agent's name, for the record", set_agent },
	{ "keep-fd", 0, "N", "pass descriptor N on (never an inet socket)", set_keep_fd },
	{ "observe", 0, NULL, "refuse nothing but secrets and metadata; the record says would_deny",
	  set_observe },
	{ "state-dir", 0, "DIR", "close DIR to others and prove it out of reach (repeatable)",
	  set_state_dir },
	{ "pty", 0, NULL, "a terminal of its own for the command", set_pty },
	{ "quiet", 'q', NULL, "no hints on standard error", set_quiet },
	{ 0 },
};

/* Never waits for a reader: the session shares the terminal or pipe, and could hold its guardian
 * by stopping the output or filling it. */
void print_notice(void *data, const char *text)
{
	char line[NOTICE_MAX];
	int n = snprintf(line, sizeof(line), "pinfold: %s\n", text);
	size_t len = n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1;
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct stat st;
	int fd = -1;

	(void)data;
	if (n < 0 || send(STDERR_FILENO, line, len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
	    errno != ENOTSOCK)
		return;
	/* O_NONBLOCK on the descriptor itself would be everybody's.  A file nobody waits for, but
	 * its offset is shared: what others write next would lie over the line. */
	if (fstat(STDERR_FILENO, &st) < 0 || !S_ISREG(st.st_mode))
		fd = open("/proc/self/fd/2",
			  O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* What somebody else made can't be opened anew; a pipe that has room takes a line at once.
	 */
	if (fd < 0 && poll(&out, 1, 0) != 1)
		return;
	ssize_t done = write(fd < 0 ? STDERR_FILENO : fd, line, len);

	(void)done; /* a hint that nobody can read now is no error */
	if (fd >= 0)
		close(fd);
}

int exit_status(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}

static int run_with(void *data)
{
	const struct run_options *o = data;
	struct pinfold_error e = { 0 };
	struct pinfold_policy *policy;
	int status = -1;
	int r = policy_options_load(&o->policy, &policy);

	if (r != 0)
		return r;

	struct pinfold_run args = {
		.policy = policy,
		.argv = o->command,
		.keep_fds = o->keep,
		.n_keep_fds = o->n_keep,
		.agent = o->agent,
		.log_path = o->log,
		.log_to = o->log_to,
		.state_dirs = o->state,
		.n_state_dirs = o->n_state,
		.observe = o->observe,
		.notice = o->quiet ? NULL : print_notice,
		.no_denial_notice = !isatty(STDERR_FILENO),
		.confine_caller = true,
	};

	r = pinfold_run(&args, &status, &e);
	pinfold_policy_free(policy);
	if (r == 0)
		return exit_status(status);
	complain("%s", e.text);
	if (status != -1)
		return exit_status(status);
	return r == -EINVAL ? EXIT_POLICY : EXIT_NOT_CONFINED;
}

int verb_run(int argc, char **argv)
{
	struct run_options o = { 0 };
	int first = opt_parse(find_verb("run"), argc, argv, &o);

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	if (first >= argc) {
		complain("run: no command; usage: pinfold run [options] -- COMMAND [ARGUMENT]...");
		return EXIT_USAGE;
	}
	o.command = argv + first;
	return o.pty ? pty_run(run_with, &o) : run_with(&o);
}
