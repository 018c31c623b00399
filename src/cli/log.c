/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "cli/colour.h"
#include "cli/log_options.h"
#include "cli/log_print.h"
#include "cli/log_tables.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_review.h"

#define OUT_BYTES 1048576

struct print {
	bool json;
	bool colour;
	bool has_head;
};

static int set_json(void *data, const char *value)
{
	struct log_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_follow(void *data, const char *value)
{
	struct log_options *o = data;

	(void)value;
	o->follow = true;
	return 0;
}

const struct option_row LOG_OPTIONS[] = {
	LOG_OPTION_ROWS,
	{ "follow", 'f', NULL, "go on when the end is reached, through rotation", set_follow },
	{ "json", 0, NULL, "the lines as they stand in the record; one object for stats, replay",
	  set_json },
	{ 0 },
};

/* ---- lines ---------------------------------------------------------------------------------- */

static void print_json(const struct pinfold_log_line *l)
{
	char text[PINFOLD_LOG_LINE_MAX + 1];
	size_t n = pinfold_log_line_json(l, text, PINFOLD_LOG_LINE_MAX);

	text[n] = '\n';
	if (n > 0)
		fwrite(text, 1, n + 1, stdout);
}

/* A reader that went away is noticed also while there is nothing to print. */
static int rest(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	if (fflush(stdout) != 0)
		return 1;
	return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLNVAL));
}

/* Not before there is something below it: an error stands alone. */
static void print_head(struct print *p)
{
	if (p->json || p->has_head)
		return;
	log_print_head();
	p->has_head = true;
}

static int print_line(void *data, const struct pinfold_log_line *l)
{
	struct print *p = data;

	if (!l) {
		print_head(p);
		return rest();
	}
	if (p->json) {
		print_json(l);
		return ferror(stdout);
	}
	print_head(p);
	log_print_line(l, p->colour);
	return ferror(stdout);
}

static int print_lines(const struct log_options *o, const struct pinfold_log_query *q)
{
	struct print p = { .json = o->json, .colour = colour_is_wanted(stdout) };
	struct pinfold_log_counts counts;
	struct pinfold_error e = { 0 };
	int r;

	if (isatty(STDOUT_FILENO) != 1)
		setvbuf(stdout, NULL, _IOFBF, OUT_BYTES);
	r = pinfold_log_read(q, print_line, &p, &counts, &e);
	if (r == 0)
		print_head(&p); /* nothing was found */
	if (fflush(stdout) != 0 && errno != EPIPE) {
		complain("cannot write: %s", strerror(errno));
		return 1;
	}
	if (r < 0) {
		complain("%s", e.text);
		return EXIT_USAGE;
	}
	log_options_tell(&counts);
	return 0;
}

/* ---- counts and replay ---------------------------------------------------------------------- */

static int finish(int r, const struct log_options *o, const char *text,
		  const struct pinfold_error *e, void (*print)(const char *text))
{
	if (r < 0) {
		complain("%s", e->text);
		return EXIT_USAGE;
	}
	if (o->json)
		puts(text);
	else
		print(text);
	return r;
}

static int print_stats(const struct log_options *o, const struct pinfold_log_query *q)
{
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	int r = pinfold_log_stats(q, &text, &e);

	return finish(r, o, text, &e, log_print_stats);
}

static int print_replay(const struct log_options *o, const struct pinfold_log_query *q)
{
	struct pinfold_error e = { 0 };
	auto_free char *text = NULL;
	int r = pinfold_log_replay(q, &text, &e);

	return finish(r, o, text, &e, log_print_replay);
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int with_query(const struct log_options *o, const char *file,
		      int (*fn)(const struct log_options *o, const struct pinfold_log_query *q))
{
	struct pinfold_log_query q;
	struct pinfold_policy *policy = NULL;
	int r = log_options_query(o, file, &q, &policy);

	if (r == 0)
		r = fn(o, &q);
	pinfold_policy_free(policy);
	return r;
}

static int usage(const char *what)
{
	complain("log: %s; see 'pinfold log --help'", what);
	return EXIT_USAGE;
}

static int dispatch(struct log_options *o, const char **words, int n)
{
	bool stats = n > 0 && strcmp(words[0], "stats") == 0;
	bool replay = n > 0 && strcmp(words[0], "replay") == 0;

	if (o->follow && (stats || replay))
		return usage("--follow goes with neither stats nor replay");
	if (stats && n <= 2)
		return with_query(o, n > 1 ? words[1] : NULL, print_stats);
	if (replay && o->policy)
		return usage("replay takes its policy as a word, not with -p");
	if (replay && n == 1)
		return usage("replay needs a policy: pinfold log replay POLICY [FILE]");
	if (replay && n <= 3) {
		o->policy = words[1];
		return with_query(o, n > 2 ? words[2] : NULL, print_replay);
	}
	if (n > 1)
		return usage("one file at most is read, with the rotated ones beside it");
	return with_query(o, n > 0 ? words[0] : NULL, print_lines);
}

int verb_log(int argc, char **argv)
{
	struct log_options o = { 0 };
	const char *words[3];
	int n = opt_parse_words(find_verb("log"), argc, argv, &o, words, 3);
	int r;

	if (n < 0)
		r = n == -2 ? 0 : EXIT_USAGE;
	else
		r = dispatch(&o, words, n);
	pinfold_log_filter_free(o.filter);
	return r;
}
