/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "cli/agent_options.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "pinfold_agents.h"

#define STATE_DIRS_MAX 32

struct exec_options {
	struct agent_options agent; /* first: shared setters */
	const char *tool;
	const char *log;
	const char *log_to;
	const char *state[STATE_DIRS_MAX];
	size_t n_state;
	bool ask;
	bool quiet;
	bool tag;
};

static int set_tool(void *data, const char *value)
{
	struct exec_options *o = data;

	o->tool = value;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct exec_options *o = data;

	o->log = value;
	return 0;
}

static int set_log_to(void *data, const char *value)
{
	struct exec_options *o = data;

	o->log_to = value;
	return 0;
}

static int set_state_dir(void *data, const char *value)
{
	struct exec_options *o = data;

	if (o->n_state == STATE_DIRS_MAX) {
		complain("more than %d state directories", STATE_DIRS_MAX);
		return -E2BIG;
	}
	o->state[o->n_state++] = value;
	return 0;
}

static int set_ask(void *data, const char *value)
{
	struct exec_options *o = data;

	(void)value;
	o->ask = true;
	return 0;
}

static int set_quiet(void *data, const char *value)
{
	struct exec_options *o = data;

	(void)value;
	o->quiet = true;
	return 0;
}

static int set_tag(void *data, const char *value)
{
	struct exec_options *o = data;

	(void)value;
	o->tag = true;
	return 0;
}

const struct option_row EXEC_OPTIONS[] = {
	AGENT_OPTION_ROWS,
	{ "parent", 0, "KEY", "the session that spawned this one", set_parent },
	{ "provider", 0, "NAME", "the model's provider, or provider/model", set_provider },
	{ "elevated", 0, NULL, "on the host, if every gate is open", set_elevated },
	{ "tool", 0, "TOOL", "the tool that asks (exec)", set_tool },
	{ "ask", 0, NULL, "ask at the terminal for what needs approval", set_ask },
	{ "tag-output", 0, NULL, "wrap standard output for a model", set_tag },
	{ "log", 0, "FILE", "append the record to FILE; - is standard error", set_log },
	{ "log-to", 0, "WHERE", "send the record to journal or syslog as well", set_log_to },
	{ "state-dir", 0, "DIR", "close DIR to others and prove it out of reach (repeatable)",
	  set_state_dir },
	{ "quiet", 'q', NULL, "no hints on standard error", set_quiet },
	{ 0 },
};

static int exit_of(int r, int status, const struct pinfold_error *e)
{
	if (r == 0)
		return exit_status(status);
	complain("%s", e->text);
	if (r == -EKEYREJECTED)
		return EXIT_REFUSED;
	if (status != -1)
		return exit_status(status);
	return r == -EINVAL || r == -ENOENT ? EXIT_POLICY : EXIT_NOT_CONFINED;
}

static int exec_plainly(const struct pinfold_exec *args)
{
	struct pinfold_error e = { 0 };
	int status = -1;
	int r = pinfold_exec(args, &status, &e);

	return exit_of(r, status, &e);
}

/* The command's standard output goes through the wrapper: for that time it stands at 1. */
static int exec_tagged(const struct pinfold_exec *args)
{
	struct pinfold_error e = { 0 };
	struct pinfold_tag tag;
	auto_close int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int code;

	if (out < 0) {
		complain("--tag-output: standard output is closed");
		return EXIT_NOT_CONFINED;
	}
	if (pinfold_tag_open(out, PINFOLD_SOURCE_EXEC, args->call.session, &tag, &e) < 0) {
		complain("%s", e.text);
		return EXIT_NOT_CONFINED;
	}
	if (dup2(tag.fd, STDOUT_FILENO) < 0) {
		complain("--tag-output: %s", strerror(errno));
		return EXIT_NOT_CONFINED;
	}
	code = exec_plainly(args);
	dup2(out, STDOUT_FILENO);
	if (pinfold_tag_close(&tag, &e) < 0) {
		complain("%s", e.text);
		return code ? code : EXIT_NOT_CONFINED;
	}
	return code;
}

static int exec_with(const struct exec_options *o, char **command)
{
	struct pinfold_agents *agents = NULL;
	int r = agent_options_load(&o->agent, !o->quiet, &agents);

	if (r != 0)
		return r;

	const struct pinfold_exec args = {
		.agents = agents,
		.call = o->agent.call,
		.tool = o->tool,
		.argv = command,
		.log_path = o->log,
		.log_to = o->log_to,
		.state_dirs = o->state,
		.n_state_dirs = o->n_state,
		.ask = o->ask,
		/* What is said here says where the command ran: --quiet is for hints alone. */
		.notice = print_notice,
	};

	r = o->tag ? exec_tagged(&args) : exec_plainly(&args);
	pinfold_agents_free(agents);
	return r;
}

int verb_exec(int argc, char **argv)
{
	struct exec_options o = { 0 };
	int first = opt_parse(find_verb("exec"), argc, argv, &o);

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	if (first >= argc) {
		complain("exec: no command; usage: pinfold exec --config FILE --session KEY "
			 "[options] -- COMMAND [ARGUMENT]...");
		return EXIT_USAGE;
	}
	if (!o.agent.call.session) {
		complain("exec: --session is missing: say whose command this is");
		return EXIT_USAGE;
	}
	return exec_with(&o, argv + first);
}
