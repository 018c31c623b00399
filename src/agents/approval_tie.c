/* SPDX-License-Identifier: MIT */
/*
 * Patterns that tie several commands together: "curl * | sh".
 *
 * Each part may be met by a command or by anything that it starts, so that `sudo sh` is a `sh`.
 * Others may stand in between: `curl x | tee y | sh` feeds the shell just the same.  A part behind
 * a
 * "|" has to be in the same pipeline, one behind any other joint in a later one.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_inner.h"
#include "agents/shell.h"
#include "base/clean.h"

_Static_assert(PATTERN_COMMANDS_MAX <= 8, "a byte has a bit for every part of a pattern");

#define TIED_MAX 1024 /* commands of one line */

struct tied {
	struct judge_item *view; /* the command, and what it starts */
	size_t n;
	enum shell_joint joint;
};

struct ties {
	struct judge *scratch; /* its list is where views are made */
	struct tied *tied;
	size_t n;
	bool unsure; /* any two commands may be piped */
};

static bool is_pipe(enum shell_joint joint)
{
	return joint == SHELL_PIPE || joint == SHELL_PIPE_BOTH;
}

static int put_guess(void *data, char *const *words, size_t n)
{
	return judge_put_words(data, words, n, false);
}

static int open_line(struct judge *j, const char *text)
{
	struct shell_line line;
	int r = shell_read(text, &line);

	if (r < 0)
		return r;
	for (size_t i = 0; i < line.n && r == 0; i++)
		r = judge_put_words(j, line.commands[i].words, line.commands[i].n_words, false);
	if (r == 0 && line.doubt)
		r = shell_skim(text, put_guess, j);
	shell_line_done(&line);
	return r;
}

static int open_all(struct judge *j)
{
	int r = 0;

	for (size_t i = 0; i < j->n && r == 0; i++) {
		/* The list may move meanwhile. */
		const struct judge_item item = j->item[i];

		j->guess = item.guess;
		j->suffix = item.suffix;
		r = item.line ? open_line(j, item.line) : judge_open(j, item.words, item.n);
	}
	return r;
}

static int add(struct ties *t, char *const *words, size_t n, enum shell_joint joint)
{
	struct judge *j = t->scratch;
	int r;

	if (n == 0)
		return 0;
	if (t->n == TIED_MAX)
		return -E2BIG;
	j->guess = j->suffix = false;
	r = judge_put_words(j, words, n, false);
	if (r == 0)
		r = open_all(j);
	t->tied[t->n++] = (struct tied){ .view = j->item, .n = j->n, .joint = joint };
	j->item = NULL;
	j->n = 0;
	return r;
}

static int add_unsure(void *data, char *const *words, size_t n)
{
	return add(data, words, n, SHELL_THEN);
}

/* Which parts of the pattern a command could be, a bit for each. */
static int parts_met(const struct ties *t, const struct tied *c, const struct pattern *p,
		     uint8_t *ret)
{
	int r = 0;

	*ret = 0;
	for (size_t k = 0; k < p->n; k++) {
		for (size_t i = 0; i < c->n && r == 0; i++)
			if (c->view[i].n > 0)
				r = judge_meets(t->scratch, c->view[i].words, c->view[i].n,
						&p->part[k]);
		if (r < 0)
			return r;
		*ret |= (uint8_t)(r << k);
		r = 0;
	}
	return 0;
}

/* 1: the parts are met in their order.  Going through the commands, `pending` has a bit for each
 * part that the next ones may meet: in this pipeline, and in any later one. */
static int meets(const struct ties *t, const struct pattern *p)
{
	uint8_t here = 1;
	uint8_t later = 1;

	for (size_t i = 0; i < t->n; i++) {
		uint8_t met;
		int r = parts_met(t, &t->tied[i], p, &met);

		if (r < 0)
			return r;
		if (t->unsure || !is_pipe(t->tied[i].joint))
			here = t->unsure ? here | later : later;
		met &= here;
		for (size_t k = 0; k + 1 < p->n; k++) {
			const uint8_t next = (uint8_t)(1U << (k + 1));

			if (!(met >> k & 1))
				continue;
			if (t->unsure || !is_pipe(p->part[k + 1].joint))
				later |= next;
			if (is_pipe(p->part[k + 1].joint))
				here |= next;
		}
		if (met >> (p->n - 1) & 1)
			return 1;
	}
	return 0;
}

static int judge_list(struct judge *j, const struct ties *t, enum approval_list list,
		      enum pinfold_verdict verdict)
{
	int r = 0;

	for (size_t i = 0; i < j->rules->n[list] && r == 0; i++) {
		const struct approval_rule *rule = &j->rules->rule[list][i];

		if (rule->pattern.n < 2)
			continue;
		r = meets(t, &rule->pattern);
		if (r <= 0)
			continue;
		judge_find(j, verdict, rule, "commands that it ties together are %s",
			   verdict == PINFOLD_DENY ? "denied" : "to be approved");
		r = 0;
	}
	return r;
}

static int judge_both(struct judge *j, const struct ties *t)
{
	int r = judge_list(j, t, APPROVAL_DENY, PINFOLD_DENY);

	return r < 0 || j->guess ? r : judge_list(j, t, APPROVAL_REQUIRE, PINFOLD_ASK);
}

static void forget(struct ties *t)
{
	for (size_t i = 0; i < t->n; i++)
		judge_items_free(t->tied[i].view, t->tied[i].n);
	judge_items_free(t->scratch->item, t->scratch->n);
	t->scratch->item = NULL;
	t->scratch->n = 0;
	t->n = 0;
}

/* A line in doubt is gone through with and without its quotes, each in its order. */
static int judge_unsure(struct judge *j, struct ties *t, const char *text)
{
	int r = 0;

	/* Whatever it holds: without these bytes nothing is piped. */
	t->unsure = strpbrk(text, "|\\") != NULL;
	for (int blind = 0; blind < 2 && r == 0; blind++) {
		r = shell_skim_once(text, blind, add_unsure, t);
		if (r == 0)
			r = judge_both(j, t);
		forget(t);
	}
	return r;
}

static int judge_sure(struct judge *j, struct ties *t, const struct shell_line *line)
{
	int r = 0;

	for (size_t i = 0; i < line->n && r == 0; i++)
		r = add(t, line->commands[i].words, line->commands[i].n_words,
			line->commands[i].joint);
	if (r == 0)
		r = judge_both(j, t);
	forget(t);
	return r;
}

static bool has_ties(const struct approval_rules *rules)
{
	for (size_t list = 0; list < APPROVAL_AUTO; list++)
		for (size_t i = 0; i < rules->n[list]; i++)
			if (rules->rule[list][i].pattern.n > 1)
				return true;
	return false;
}

int judge_ties(struct judge *j, const struct shell_line *line, const char *text)
{
	struct pinfold_answer ignored = { .verdict = PINFOLD_ALLOW };
	struct ties t = { 0 };
	int r = -ENOMEM;

	if (!has_ties(j->rules))
		return 0;
	t.scratch = calloc(1, sizeof(*t.scratch));
	t.tied = calloc(TIED_MAX, sizeof(*t.tied));
	if (t.scratch && t.tied) {
		t.scratch->rules = j->rules;
		t.scratch->place = j->place;
		t.scratch->answer = &ignored;
		r = line->doubt ? judge_unsure(j, &t, text) : judge_sure(j, &t, line);
	}
	free(t.scratch);
	free(t.tied);
	return r;
}
