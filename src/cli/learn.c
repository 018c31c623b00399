/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/io.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_review.h"

struct learn_options {
	const char *out;
	const char *log;
	const char *log_to;
	bool force;
	bool quiet;
};

static int set_out(void *data, const char *value)
{
	struct learn_options *o = data;

	o->out = value;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct learn_options *o = data;

	o->log = value;
	return 0;
}

static int set_log_to(void *data, const char *value)
{
	struct learn_options *o = data;

	o->log_to = value;
	return 0;
}

static int set_force(void *data, const char *value)
{
	struct learn_options *o = data;

	(void)value;
	o->force = true;
	return 0;
}

static int set_quiet(void *data, const char *value)
{
	struct learn_options *o = data;

	(void)value;
	o->quiet = true;
	return 0;
}

const struct option_row LEARN_OPTIONS[] = {
	{ "output", 'o', "POLICY", "where the policy goes; - is standard output", set_out },
	{ "force", 'f', NULL, "write over a policy that is there", set_force },
	{ "log", 0, "FILE", "append the record to FILE; - is standard error", set_log },
	{ "log-to", 0, "WHERE", "send the record to journal or syslog as well", set_log_to },
	{ "quiet", 'q', NULL, "no words on standard error", set_quiet },
	{ 0 },
};

/* A new file beside the target, so that it takes its name when it is whole.  It is made before the
 * command runs: whoever may not write here shall know at once. */
struct output {
	char *path; /* NULL: standard output */
	char *part;
	int fd;
};

static int open_output(const struct learn_options *o, struct output *ret)
{
	struct stat st;

	*ret = (struct output){ .fd = STDOUT_FILENO };
	if (strcmp(o->out, "-") == 0)
		return 0;
	if (!o->force && stat(o->out, &st) == 0 && st.st_size > 0) {
		complain("learn: '%s' is there already; --force writes over it", o->out);
		return EXIT_USAGE;
	}
	ret->path = strdup(o->out);
	if (!ret->path || asprintf(&ret->part, "%s.XXXXXX", o->out) < 0)
		ret->part = NULL;
	ret->fd = ret->part ? mkostemp(ret->part, O_CLOEXEC) : -1;
	if (ret->fd >= 0)
		return 0;
	complain("learn: cannot write '%s': %s", o->out, strerror(ret->part ? errno : ENOMEM));
	free(take_ptr(ret->part));
	return EXIT_USAGE;
}

static void close_output(struct output *out)
{
	if (out->part && out->fd >= 0) {
		unlink(out->part);
		close(out->fd);
	}
	free(out->part);
	free(out->path);
}

static int finish_output(struct output *out, const char *text)
{
	int r = io_write_full(out->fd, text, strlen(text));

	/* A policy is no secret. */
	if (r == 0 && out->part && (fchmod(out->fd, 0644) < 0 || rename(out->part, out->path) < 0))
		r = -errno;
	if (r < 0) {
		complain("learn: cannot write the policy: %s", strerror(-r));
		return EXIT_USAGE;
	}
	if (out->part) {
		close(out->fd);
		free(take_ptr(out->part));
	}
	return 0;
}

static void tell(const struct learn_options *o, const struct pinfold_learnt *l)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "learnt %zu paths, %zu destinations, %zu unix sockets; %zu left out, as the "
		 "comments in it say",
		 l->paths, l->destinations, l->sockets, l->left_out);
	if (!o->quiet)
		print_notice(NULL, text);
	if (l->lost)
		complain("learn: more was used than could be remembered; the policy may lack "
			 "something");
}

static int write_policy(const struct learn_options *o, const struct pinfold_learning *l,
			char *const *argv, struct output *out)
{
	/* Where the file will be, for the session that is to run by it. */
	auto_free char *target = out->part ? realpath(out->part, NULL) : NULL;
	struct pinfold_error e = { 0 };
	struct pinfold_learnt learnt;
	auto_free char *text = NULL;
	int r;

	if (target)
		target[strlen(target) - strlen(".XXXXXX")] = '\0';
	if (pinfold_learn_write(l, argv, target, &text, &learnt, &e) < 0) {
		complain("learn: %s", e.text);
		return EXIT_USAGE;
	}
	r = finish_output(out, text);
	if (r == 0)
		tell(o, &learnt);
	return r;
}

static int run_and_write(const struct learn_options *o, const struct pinfold_policy *policy,
			 char **command, struct output *out)
{
	struct pinfold_error e = { 0 };
	struct pinfold_learning *l = NULL;
	int status = -1;
	int r = pinfold_learn_new(policy, &l, &e);

	if (r == 0) {
		struct pinfold_run args = {
			.policy = policy,
			.argv = command,
			.log_path = o->log,
			.log_to = o->log_to,
			.observe = true,
			.sight = pinfold_learn_see,
			.sight_data = l,
		};

		r = pinfold_run(&args, &status, &e);
	}
	if (r < 0) {
		complain("%s", e.text);
		r = status != -1   ? exit_status(status)
		    : r == -EINVAL ? EXIT_POLICY
				   : EXIT_NOT_CONFINED;
	} else {
		r = write_policy(o, l, command, out);
		r = r == 0 ? exit_status(status) : r;
	}
	pinfold_learn_free(l);
	return r;
}

static int learn(const struct learn_options *o, char **command)
{
	struct pinfold_policy *policy = NULL;
	struct pinfold_error e = { 0 };
	struct output out;
	int r = open_output(o, &out);

	if (r == 0 && pinfold_policy_default(NULL, &policy, &e) < 0) {
		complain("%s", e.text);
		r = EXIT_POLICY;
	}
	if (r == 0)
		r = run_and_write(o, policy, command, &out);
	pinfold_policy_free(policy);
	close_output(&out);
	return r;
}

int verb_learn(int argc, char **argv)
{
	struct learn_options o = { 0 };
	int first = opt_parse(find_verb("learn"), argc, argv, &o);

	if (first < 0)
		return first == -2 ? 0 : EXIT_USAGE;
	if (!o.out || first >= argc) {
		complain("learn: usage: pinfold learn -o POLICY -- COMMAND [ARGUMENT]...");
		return EXIT_USAGE;
	}
	return learn(&o, argv + first);
}
