/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "cli/log_options.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_review.h"

struct report_options {
	struct log_options log; /* first: shared setters */
	const char *out;
	const char *record;
};

static int set_out(void *data, const char *value)
{
	struct report_options *o = data;

	o->out = value;
	return 0;
}

static int set_record(void *data, const char *value)
{
	struct report_options *o = data;

	o->record = value;
	return 0;
}

const struct option_row REPORT_OPTIONS[] = {
	{ "out", 'o', "FILE", "write the page there; - is standard output", set_out },
	{ "log", 0, "FILE", "the record; without: the policy's, PINFOLD_LOG, the default",
	  set_record },
	LOG_OPTION_ROWS,
	{ 0 },
};

/* Who may read the record is not known to whoever may read this directory: the page is the
 * caller's alone.  It takes its name when it is whole. */
static int write_file(const char *path, const struct pinfold_log_query *q)
{
	struct pinfold_error e = { 0 };
	auto_free char *part = NULL;
	auto_close int fd = -1;
	int r;

	if (asprintf(&part, "%s.XXXXXX", path) < 0)
		part = NULL;
	fd = part ? mkostemp(part, O_CLOEXEC) : -1;
	if (fd < 0) {
		complain("cannot write '%s': %s", path, strerror(part ? errno : ENOMEM));
		return EXIT_USAGE;
	}
	r = pinfold_report(q, fd, &e);
	if (r < 0) {
		complain("%s", e.text);
	} else if (rename(part, path) < 0) {
		r = -errno;
		complain("cannot write '%s': %s", path, strerror(errno));
	}
	if (r < 0)
		unlink(part);
	return r < 0 ? EXIT_USAGE : 0;
}

static int write_out(const char *path, const struct pinfold_log_query *q)
{
	struct pinfold_error e = { 0 };

	if (strcmp(path, "-") != 0)
		return write_file(path, q);
	if (pinfold_report(q, STDOUT_FILENO, &e) < 0) {
		complain("%s", e.text);
		return EXIT_USAGE;
	}
	return 0;
}

static int report(const struct report_options *o)
{
	struct pinfold_log_query q;
	struct pinfold_policy *policy = NULL;
	int r;

	if (!o->out) {
		complain("report: where to? pinfold report -o FILE.html");
		return EXIT_USAGE;
	}
	r = log_options_query(&o->log, o->record, &q, &policy);
	if (r == 0)
		r = write_out(o->out, &q);
	pinfold_policy_free(policy);
	return r;
}

int verb_report(int argc, char **argv)
{
	struct report_options o = { 0 };
	int n = opt_parse_all(find_verb("report"), argc, argv, &o);
	int r = n < 0 ? (n == -2 ? 0 : EXIT_USAGE) : report(&o);

	pinfold_log_filter_free(o.log.filter);
	return r;
}
