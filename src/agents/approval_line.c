/* SPDX-License-Identifier: MIT */
/*
 * Judging a line: as it is written, command by command, and what its commands start.
 *
 * A list of what is still to be judged takes the place of recursion: a line puts there what it
 * starts, and so does each command.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_inner.h"
#include "agents/shell.h"
#include "agents/shell_inner.h"
#include "base/clean.h"

static void judge_text(struct judge *j, const struct pattern_text *t)
{
	static const struct {
		enum approval_list list;
		enum pinfold_verdict verdict;
		const char *words;
	} LISTS[] = { { APPROVAL_DENY, PINFOLD_DENY, "the line as written is denied" },
		      { APPROVAL_REQUIRE, PINFOLD_ASK, "the line as written requires approval" } };

	for (size_t k = 0; k < (j->guess ? 1 : ARRAY_SIZE(LISTS)); k++)
		for (size_t i = 0; i < j->rules->n[LISTS[k].list]; i++) {
			const struct approval_rule *rule = &j->rules->rule[LISTS[k].list][i];

			if (pattern_meets_text(&rule->pattern, t))
				judge_find(j, LISTS[k].verdict, rule, "%s", LISTS[k].words);
		}
}

static int judge_written(struct judge *j, const char *line, bool doubtful)
{
	struct pattern_text t = { .doubtful = doubtful };
	int r = pattern_text_prepare(line, &t);

	if (r == 0)
		judge_text(j, &t);
	pattern_text_done(&t);
	return r;
}

static int put(struct shell_text *t, const char *word)
{
	int r = shell_text_put(t, word, strlen(word));

	return r < 0 ? r : shell_text_add(t, ' ');
}

static int put_command(struct shell_text *t, const struct shell_command *c)
{
	static const char *const ARROWS[] = {
		[SHELL_INPUT] = "<",       [SHELL_OUTPUT] = ">",      [SHELL_APPEND] = ">>",
		[SHELL_CLOBBER] = ">",     [SHELL_READ_WRITE] = "<>", [SHELL_DUP_INPUT] = "<&",
		[SHELL_DUP_OUTPUT] = ">&",
	};
	int r = put(t, shell_joint_text(c->joint));

	_Static_assert(ARRAY_SIZE(ARROWS) == SHELL_DIRECTIONS, "one arrow a direction");
	for (size_t i = 0; i < c->n_words && r == 0; i++)
		r = put(t, c->words[i]);
	for (size_t i = 0; i < c->n_redirects && r == 0; i++) {
		r = put(t, ARROWS[c->redirects[i].direction]);
		if (r == 0)
			r = put(t, c->redirects[i].target);
	}
	return r;
}

/* The line again as it would be written without quotes. */
static int judge_unquoted(struct judge *j, const struct shell_line *line)
{
	struct shell_text t = { 0 };
	int r = 0;

	for (size_t i = 0; i < line->n && r == 0; i++)
		r = put_command(&t, &line->commands[i]);
	if (r == 0)
		r = judge_written(j, t.bytes, false);
	free(t.bytes);
	return r;
}

static int judge_commands(struct judge *j, const struct shell_line *line)
{
	int r = judge_unquoted(j, line);

	for (size_t i = 0; i < line->n && r == 0; i++) {
		const struct shell_command *c = &line->commands[i];

		if (!j->guess)
			judge_surroundings(j, c);
		j->place.shell = true;
		if (c->n_words > 0)
			r = judge_words(j, c->words, c->n_words);
		j->place.shell = false;
	}
	return r;
}

static int judge_line(struct judge *j, const char *text)
{
	struct shell_line line;
	int r = shell_read(text, &line);

	if (r < 0)
		return r;
	r = judge_written(j, text, line.doubt != NULL);
	if (r == 0)
		r = judge_ties(j, &line, text);
	if (r == 0 && line.doubt) {
		if (!j->guess)
			judge_find(j, PINFOLD_ASK, NULL,
				   "it holds %s, so what it would run is not certain", line.doubt);
		r = shell_skim(text, judge_guess, j);
	} else if (r == 0) {
		r = judge_commands(j, &line);
	}
	shell_line_done(&line);
	return r;
}

/* The words of a command as a line, for patterns that look at what is written. */
static int judge_argv(struct judge *j, char *const *argv)
{
	auto_free char *flat = NULL;
	size_t n = 0;
	int r;

	while (argv[n])
		n++;
	flat = pattern_flatten(argv, n);
	if (!flat)
		return -ENOMEM;
	for (char *c = flat; *c; c++)
		if (*c == PATTERN_GAP)
			*c = ' ';
	r = judge_written(j, flat, false);
	return r < 0 ? r : judge_words(j, argv, n);
}

static int judge_rest(struct judge *j)
{
	int r = 0;

	while (j->next < j->n && r == 0) {
		/* The list may move while this is judged. */
		const struct judge_item item = j->item[j->next++];

		j->guess = item.guess;
		j->suffix = item.suffix;
		r = item.line ? judge_line(j, item.line) : judge_words(j, item.words, item.n);
	}
	return r;
}

void judge_items_free(struct judge_item *item, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < item[i].n; k++)
			free(item[i].words[k]);
		free(item[i].words);
		free(item[i].line);
	}
	free(item);
}

static void judge_done(struct judge *j)
{
	judge_items_free(j->item, j->n);
	free(j);
}

static void answer_allowed(struct judge *j, bool skip)
{
	struct pinfold_answer *a = j->answer;

	if (a->verdict == PINFOLD_ASK && skip) {
		*a = (struct pinfold_answer){ .verdict = PINFOLD_ALLOW };
		snprintf(a->reason, sizeof(a->reason),
			 "inside a pen nothing is asked (exec-approvals.inSandbox is \"skip\")");
		return;
	}
	if (a->verdict != PINFOLD_ALLOW || !j->approved)
		return;
	snprintf(a->reason, sizeof(a->reason), "every command of it is approved in advance");
	snprintf(a->rule, sizeof(a->rule), "%s", j->approved->text);
	snprintf(a->origin, sizeof(a->origin), "%s", j->approved->origin);
}

int approval_judge(const struct approval_rules *rules, const struct approval_query *q,
		   struct pinfold_answer *ret)
{
	struct pinfold_answer answer = { .verdict = PINFOLD_ALLOW };
	struct judge *j = calloc(1, sizeof(*j));
	int r;

	if (!j)
		return -ENOMEM;
	j->rules = rules;
	j->answer = &answer;
	j->place = (struct approval_place){ .path = q->path, .home = q->home, .n_cwds = 1 };
	snprintf(j->cwd[0], sizeof(j->cwd[0]), "%s", q->cwd);
	j->place.cwd[0] = j->cwd[0];
	r = q->line ? judge_line(j, q->line) : judge_argv(j, q->argv);
	if (r == 0)
		r = judge_rest(j);
	/* What is too long to be judged is too long to be run. */
	if (r == -E2BIG)
		judge_find(j, PINFOLD_DENY, NULL,
			   "it is too long, or nested too deeply, to be judged");
	if (r == 0)
		answer_allowed(j, rules->skip_in_pen && q->in_pen);
	judge_done(j);
	if (r < 0 && r != -E2BIG)
		return r;
	*ret = answer;
	return 0;
}
