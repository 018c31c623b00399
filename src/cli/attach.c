/* SPDX-License-Identifier: MIT */
/*
 * attach stays in the foreground and serves the fence.  With --keep it is a process in the
 * background that does, and the one that was started ends as soon as the fence holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "cli/policy_options.h"
#include "cli/verbs.h"
#include "pinfold.h"

struct attach_options {
	struct policy_options policy; /* first: shared setters */
	struct pinfold_attach args;
	bool quiet;
	int report; /* to whoever waits for the fence; -1: nobody */
};

static int set_cgroup(void *data, const char *value)
{
	struct attach_options *o = data;

	o->args.cgroup = value;
	return 0;
}

static int set_agent(void *data, const char *value)
{
	struct attach_options *o = data;

	o->args.agent = value;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct attach_options *o = data;

	o->args.log_path = value;
	return 0;
}

static int set_log_to(void *data, const char *value)
{
	struct attach_options *o = data;

	o->args.log_to = value;
	return 0;
}

static int set_keep(void *data, const char *value)
{
	struct attach_options *o = data;

	(void)value;
	o->args.keep = true;
	return 0;
}

static int set_cut(void *data, const char *value)
{
	struct attach_options *o = data;

	(void)value;
	o->args.cut = true;
	return 0;
}

static int set_observe(void *data, const char *value)
{
	struct attach_options *o = data;

	(void)value;
	o->args.observe = true;
	return 0;
}

static int set_quiet(void *data, const char *value)
{
	struct attach_options *o = data;

	(void)value;
	o->quiet = true;
	return 0;
}

const struct option_row ATTACH_OPTIONS[] = {
	{ "cgroup", 0, "PATH", "the cgroup to fence, a path or as in /proc/PID/cgroup",
	  set_cgroup },
	{ "policy", 'p', "FILE", "the policy, of which the network part counts", set_policy },
	{ "allow", 0, "HOST:PORT", "also allow this destination (repeatable)", set_allow },
	{ "keep", 0, NULL, "serve it in the background, pinned, and return", set_keep },
	{ "cut", 0, NULL, "end sockets that were open before and are refused", set_cut },
	{ "observe", 0, NULL, "refuse nothing but metadata; record would_deny", set_observe },
	{ "log", 0, "FILE", "the record, instead of the policy's audit.path", set_log },
	{ "log-to", 0, "WHERE", "send the record to journal or syslog as well", set_log_to },
	{ "agent", 0, "NAME", "the agent's name, for the record", set_agent },
	{ "quiet", 'q', NULL, "no words but errors", set_quiet },
	{ 0 },
};

static void notice(void *data, const char *text)
{
	const struct attach_options *o = data;

	if (!o->quiet && o->report < 0)
		complain("%s", text);
}

/* Whoever started us goes on, and may wait for the end of what we write. */
static void leave_streams(void)
{
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

static void ready(void *data, const struct pinfold_attached *a)
{
	struct attach_options *o = data;

	if (!o->quiet) {
		printf("fenced %s, session %s: %zu process%s, %zu open socket%s", a->cgroup,
		       a->session, a->processes, a->processes == 1 ? "" : "es", a->sockets,
		       a->sockets == 1 ? "" : "s");
		if (a->sockets)
			printf(" (%zu kept, %zu refused, %zu outside, %zu cut)", a->kept,
			       a->refused, a->outside, a->cut);
		putchar('\n');
	}
	fflush(stdout);
	if (o->report < 0)
		return;
	leave_streams();
	if (write(o->report, "", 1) == 1)
		close(take_fd(o->report));
}

static int complain_of(int code, const struct pinfold_error *e)
{
	complain("%s", e->text);
	if (code == -EINVAL)
		return EXIT_POLICY;
	return code == -ENOENT ? EXIT_USAGE : EXIT_NOT_CONFINED;
}

static int attach(struct attach_options *o)
{
	struct pinfold_error e = { 0 };
	int r = pinfold_attach(&o->args, &e);

	return r < 0 ? complain_of(r, &e) : 0;
}

/* In the background, and without our terminal. */
static _Noreturn void serve(struct attach_options *o, int report)
{
	int status;

	setsid();
	o->report = report;
	status = attach(o);
	fflush(stdout);
	_exit(status);
}

/* The status of a server that ended before its fence held; 0: it holds. */
static int wait_for(pid_t server, int report)
{
	char word;
	int status;

	if (read(report, &word, 1) == 1)
		return 0;
	if (waitpid(server, &status, 0) != server || !WIFEXITED(status))
		return EXIT_NOT_CONFINED;
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_NOT_CONFINED;
}

static int attach_and_keep(struct attach_options *o)
{
	pid_t server;
	int ends[2];
	int status;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		complain("cannot make a pipe: %s", strerror(errno));
		return EXIT_NOT_CONFINED;
	}
	server = fork();
	if (server == 0) {
		close(ends[0]);
		serve(o, ends[1]);
	}
	close(ends[1]);
	status = server < 0 ? EXIT_NOT_CONFINED : wait_for(server, ends[0]);
	if (server < 0)
		complain("cannot start a process: %s", strerror(errno));
	close(ends[0]);
	return status;
}

int verb_attach(int argc, char **argv)
{
	struct attach_options o = { .report = -1 };
	struct pinfold_policy *p = NULL;
	int n = opt_parse_all(find_verb("attach"), argc, argv, &o);
	int status;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (!o.args.cgroup || !o.policy.file) {
		complain("attach: --cgroup PATH and -p POLICY are wanted");
		return EXIT_USAGE;
	}
	if (o.args.keep && o.args.log_path && strcmp(o.args.log_path, "-") == 0) {
		complain("attach: with --keep there is no standard error to write a record to; "
			 "name a file");
		return EXIT_USAGE;
	}
	status = policy_options_load(&o.policy, &p);
	if (status)
		return status;
	o.args.policy = p;
	o.args.ready = ready;
	o.args.notice = notice;
	o.args.data = &o;
	status = o.args.keep ? attach_and_keep(&o) : attach(&o);
	pinfold_policy_free(p);
	return status;
}

const struct option_row DETACH_OPTIONS[] = {
	{ "cgroup", 0, "PATH", "the cgroup to take the fence off", set_cgroup },
	{ 0 },
};

int verb_detach(int argc, char **argv)
{
	struct attach_options o = { .report = -1 };
	struct pinfold_error e = { 0 };
	int n = opt_parse_all(find_verb("detach"), argc, argv, &o);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (!o.args.cgroup) {
		complain("detach: --cgroup PATH is wanted");
		return EXIT_USAGE;
	}
	r = pinfold_detach(o.args.cgroup, &e);
	return r < 0 ? complain_of(r, &e) : 0;
}
