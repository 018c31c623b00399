/* SPDX-License-Identifier: MIT */
/*
 * The judgement.  A list of what is still to be judged takes the place of recursion: a line puts
 * its commands there, a command the one that it starts.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_inner.h"
#include "agents/approval_path.h"
#include "agents/approval_wrap.h"
#include "agents/danger.h"
#include "agents/shell.h"
#include "agents/shell_inner.h"
#include "base/clean.h"
#include "pinfold.h"

#define SHOWN 100 /* characters of a command in a sentence */

/* Strictness of a verdict: only a stricter one replaces an earlier one. */
static const int STRICTNESS[] = {
	[PINFOLD_ALLOW] = 0,
	[PINFOLD_ASK] = 1,
	[PINFOLD_DENY] = 2,
};

static const char *const FIXES[] = {
	[PINFOLD_ALLOW] = "",
	[PINFOLD_ASK] = "approve it when it waits ('pinfold approve list')",
	[PINFOLD_DENY] = "nobody can approve it; change exec-approvals.deny if it is too broad",
};

static void tame(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

void judge_find(struct judge *j, enum pinfold_verdict verdict, const struct approval_rule *rule,
		const char *format, ...)
{
	struct pinfold_answer *a = j->answer;
	va_list ap;

	if (STRICTNESS[verdict] <= STRICTNESS[a->verdict])
		return;
	*a = (struct pinfold_answer){ .verdict = verdict };
	va_start(ap, format);
	vsnprintf(a->reason, sizeof(a->reason), format, ap);
	va_end(ap);
	snprintf(a->fix, sizeof(a->fix), "%s", FIXES[verdict]);
	if (rule) {
		snprintf(a->rule, sizeof(a->rule), "%s", rule->text);
		snprintf(a->origin, sizeof(a->origin), "%s", rule->origin);
	}
	tame(a->reason);
}

static const char *shown(char *const *words, size_t n, char ret[static SHOWN])
{
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < n && len < SHOWN - 1; i++)
		len += (size_t)snprintf(ret + len, SHOWN - len, "%s%s", i ? " " : "", words[i]);
	if (len >= SHOWN)
		memcpy(ret + SHOWN - 4, "...", 4);
	return ret;
}

static int push(struct judge *j, const struct judge_item *item)
{
	struct judge_item *grown;

	if (j->n == JUDGE_ITEMS_MAX)
		return -E2BIG;
	/* A power of two is full. */
	if ((j->n & (j->n - 1)) == 0) {
		grown = realloc(j->item, (j->n ? 2 * j->n : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		j->item = grown;
	}
	j->item[j->n++] = *item;
	return 0;
}

static void words_free(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	free(words);
}

int judge_put_words(void *data, char *const *words, size_t n, bool guess)
{
	struct judge *j = data;
	char **copy = NULL;
	size_t copied = 0;
	int r = 0;

	if (n == 0 || (guess && j->suffix))
		return 0;
	for (size_t i = 0; i < n && r == 0; i++)
		r = shell_list_add(&copy, &copied, strdup(words[i]));
	if (r == 0) {
		const struct judge_item item = { .words = copy,
						 .n = copied,
						 .guess = guess || j->guess,
						 .suffix = guess || j->suffix };

		r = push(j, &item);
	}
	if (r < 0)
		words_free(copy, copied);
	return r;
}

int judge_put_line(void *data, const char *text, bool guess)
{
	struct judge *j = data;
	const struct judge_item item = { .line = strdup(text), .guess = guess || j->guess };
	int r = item.line ? push(j, &item) : -ENOMEM;

	if (r < 0)
		free(item.line);
	return r;
}

int judge_guess(void *data, char *const *words, size_t n)
{
	struct judge *j = data;
	const bool guess = j->guess;
	int r;

	j->guess = true;
	r = judge_words(j, words, n);
	j->guess = guess;
	return r;
}

/* A "cd" in front: relative paths may start there from now on. */
static void note_move(struct judge *j, char *const *words, size_t n)
{
	struct approval_place *p = &j->place;
	const char *to = n > 1 ? words[n - 1] : SHELL_HOME;
	const char *home = p->home ? p->home : "/";
	const size_t at = 1 + j->moves % (PLACE_CWDS_MAX - 1);
	const size_t last = j->moves ? 1 + (j->moves - 1) % (PLACE_CWDS_MAX - 1) : 0;
	char from_home[PATH_MAX];

	if (strcmp(words[0], "cd") != 0 && strcmp(words[0], "pushd") != 0)
		return;
	if (to[0] == '~') {
		if (snprintf(from_home, sizeof(from_home), "%s%s", home, to + 1) >= PATH_MAX)
			return;
		to = from_home;
	}
	if (path_tidy(p->cwd[last], to, j->cwd[at]) < 0)
		return;
	p->cwd[at] = j->cwd[at];
	p->n_cwds = p->n_cwds > at ? p->n_cwds : at + 1;
	j->moves++;
}

static bool is_harmless_redirect(const struct shell_redirect *r)
{
	return r->direction == SHELL_DUP_INPUT || r->direction == SHELL_DUP_OUTPUT ||
	       strcmp(r->target, "/dev/null") == 0;
}

/* What surrounds a command: nothing of it can be approved in advance. */
void judge_surroundings(struct judge *j, const struct shell_command *c)
{
	if (c->n_assigns > 0)
		judge_find(j, PINFOLD_ASK, NULL, "it sets the variable '%.*s'",
			   (int)shell_name_length(c->assigns[0]), c->assigns[0]);
	for (size_t i = 0; i < c->n_redirects; i++)
		if (!is_harmless_redirect(&c->redirects[i]))
			judge_find(j, PINFOLD_ASK, NULL, "it redirects %s '%.200s'",
				   c->redirects[i].direction == SHELL_INPUT ? "from" : "to",
				   c->redirects[i].target);
}

static const struct approval_rule *meeting_rule(const struct judge *j, enum approval_list list,
						const struct pattern_subject *s)
{
	for (size_t i = 0; i < j->rules->n[list]; i++) {
		const struct approval_rule *rule = &j->rules->rule[list][i];

		if (rule->pattern.n == 1 && pattern_meets(&rule->pattern.part[0], s))
			return rule;
	}
	return NULL;
}

/* The first rule that approves the command, whole; else the first that does but for one word. */
static const struct approval_rule *approving_rule(const struct judge *j,
						  const struct pattern_subject *s,
						  const char **ret_danger)
{
	const struct approval_rule *almost = NULL;

	for (size_t i = 0; s->names->system && i < j->rules->n[APPROVAL_AUTO]; i++) {
		const struct approval_rule *rule = &j->rules->rule[APPROVAL_AUTO][i];
		const struct pattern_part *part = &rule->pattern.part[0];
		const char *danger;

		if (!pattern_matches(part, s->flat))
			continue;
		danger = danger_in(s->names, s->words, s->n, part);
		if (danger && almost)
			continue;
		*ret_danger = danger;
		if (!danger)
			return rule;
		almost = rule;
	}
	return almost;
}

/* No deny and no requirement names it: is it approved? */
static void judge_approval(struct judge *j, const struct pattern_subject *s, enum wrap_kind kind)
{
	const char *danger = NULL;
	const struct approval_rule *rule = approving_rule(j, s, &danger);
	char text[SHOWN];

	shown(s->words, s->n, text);
	if (kind == WRAP_CLEAR && s->names->trusted)
		return;
	if (!rule && !s->names->system && strchr(s->words[0], '/'))
		return judge_find(j, PINFOLD_ASK, NULL,
				  "'%s' is written with a path; only a bare name is approved in "
				  "advance",
				  text);
	if (!rule)
		return judge_find(j, PINFOLD_ASK, NULL, "no rule approves '%s'", text);
	if (danger)
		return judge_find(j, PINFOLD_ASK, rule,
				  "'%.80s' can do more than the rule says; the rule has to spell "
				  "it out",
				  danger);
	j->approved = j->approved ? j->approved : rule;
}

/* Deny first; for what only might run, nothing else counts. */
static int judge_subject(struct judge *j, const struct pattern_subject *s)
{
	const struct wrap_sink sink = { judge_put_words, judge_put_line, j };
	const struct approval_rule *rule = meeting_rule(j, APPROVAL_DENY, s);
	enum wrap_kind kind;
	char text[SHOWN];
	int r;

	shown(s->words, s->n, text);
	if (rule)
		judge_find(j, PINFOLD_DENY, rule, "'%s' is denied", text);
	note_move(j, s->words, s->n);
	r = wrap_open(s->names, s->words, s->n, &sink, &kind);
	if (r < 0 || j->guess || rule)
		return r;
	rule = meeting_rule(j, APPROVAL_REQUIRE, s);
	if (rule)
		judge_find(j, PINFOLD_ASK, rule, "'%s' requires approval", text);
	else if (shell_doubtful_command(s->words[0]))
		judge_find(j, PINFOLD_ASK, NULL, "it holds %s",
			   shell_doubtful_command(s->words[0]));
	else
		judge_approval(j, s, kind);
	return 0;
}

/* A command with all that is to be known about it. */
struct known {
	char *flat;
	char *tail;
	struct approval_names names;
	struct pattern_subject subject;
};

static int know(const struct judge *j, char *const *words, size_t n, struct known *ret)
{
	ret->flat = pattern_flatten(words, n);
	ret->tail = pattern_flatten(words + 1, n - 1);
	ret->names = (struct approval_names){ 0 };
	ret->subject = (struct pattern_subject){ .words = words,
						 .n = n,
						 .flat = ret->flat,
						 .tail = ret->tail,
						 .names = &ret->names,
						 .place = &j->place };
	return ret->flat && ret->tail ? names_find(&j->place, words[0], &ret->names) : -ENOMEM;
}

static void known_done(struct known *k)
{
	free(k->flat);
	free(k->tail);
	names_done(&k->names);
}

int judge_words(struct judge *j, char *const *words, size_t n)
{
	struct known k;
	int r = know(j, words, n, &k);

	if (r == 0)
		r = judge_subject(j, &k.subject);
	known_done(&k);
	return r;
}

int judge_meets(struct judge *j, char *const *words, size_t n, const struct pattern_part *part)
{
	struct known k;
	int r = know(j, words, n, &k);

	if (r == 0)
		r = part->joint == SHELL_PIPE || part->joint == SHELL_PIPE_BOTH
			? pattern_meets_or_more(part, &k.subject)
			: pattern_meets(part, &k.subject);
	known_done(&k);
	return r;
}

int judge_open(struct judge *j, char *const *words, size_t n)
{
	const struct wrap_sink sink = { judge_put_words, judge_put_line, j };
	enum wrap_kind kind;
	struct known k;
	int r = know(j, words, n, &k);

	if (r == 0)
		r = wrap_open(&k.names, words, n, &sink, &kind);
	known_done(&k);
	return r;
}
