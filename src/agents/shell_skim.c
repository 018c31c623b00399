/* SPDX-License-Identifier: MIT */
/*
 * What a shell line could run, read generously: only for finding what is to be refused.
 *
 * The text is walked once with its quotes and once as if each quote began a command.  Nesting is a
 * stack of frames, each with the command that it interrupts.  Wherever the two readings and the
 * real shells differ, more commands come out than would run, not fewer.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell.h"
#include "agents/shell_skim.h"
#include "base/clean.h"

/* Words in front of which a command still has to come. */
static const char *const LEADING[] = { "if", "then",   "elif", "else", "while", "until", "do",
				       "!",  "coproc", "{",    "}",    "fi",    "done",  "esac" };

static struct skim_frame *top(struct skim *s)
{
	return &s->frames[s->depth];
}

void skim_add(struct skim *s, char c)
{
	struct skim_frame *f = top(s);

	f->in_word = true;
	if (shell_text_add(&f->word, c) < 0)
		s->result = -ENOMEM;
}

/* An empty word may have no bytes at all. */
static void add_word(struct skim *s, const char *text, size_t len)
{
	struct skim_frame *f = top(s);

	if (!s->result && shell_list_add(&f->words, &f->n, strndup(text ? text : "", len)) < 0)
		s->result = -ENOMEM;
}

/* pre{a,b}post becomes two words; what is nested stays as it is, and what is empty is none. */
static bool add_braces(struct skim *s, const struct skim_frame *f)
{
	const char *text = f->word.bytes;
	const char *open = f->brace ? strchr(text, '{') : NULL;
	const char *close = open ? strchr(open, '}') : NULL;
	const char *alt = open;

	if (!close || !memchr(open, ',', (size_t)(close - open)))
		return false;
	while (alt < close && !s->result) {
		const size_t len = strcspn(alt + 1, ",}");
		struct shell_text word = { 0 };
		int r = shell_text_put(&word, text, (size_t)(open - text));

		if (r == 0)
			r = shell_text_put(&word, alt + 1, len);
		if (r == 0)
			r = shell_text_put(&word, close + 1, strlen(close + 1));
		if (r < 0)
			s->result = r;
		else if (word.len > 0)
			add_word(s, word.bytes, word.len);
		free(word.bytes);
		alt += len + 1;
	}
	return true;
}

void skim_end_word(struct skim *s)
{
	struct skim_frame *f = top(s);

	if (f->in_word && !f->skip && !s->result && f->word.bytes && !add_braces(s, f))
		add_word(s, f->word.bytes, f->word.len);
	if (f->in_word)
		f->skip = false;
	f->in_word = f->brace = false;
	f->word.len = 0;
	if (f->word.bytes)
		f->word.bytes[0] = '\0';
}

static bool is_leading(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(LEADING); i++)
		if (strcmp(LEADING[i], word) == 0)
			return true;
	return false;
}

void skim_end_command(struct skim *s)
{
	struct skim_frame *f = top(s);
	size_t from = 0;

	skim_end_word(s);
	f->skip = false;
	while (from < f->n && (is_leading(f->words[from]) || skim_assign(s, f->words[from])))
		from++;
	/* What an "export" names is known from now on as well. */
	for (size_t i = from + 1; i < f->n; i++)
		skim_assign(s, f->words[i]);
	if (!s->result && from < f->n)
		s->result = s->visit(s->data, f->words + from, f->n - from);
	for (size_t i = 0; i < f->n; i++)
		free(f->words[i]);
	f->n = 0;
}

void skim_push(struct skim *s, char closer, bool yields)
{
	if (s->depth + 1 == SKIM_DEPTH_MAX) {
		s->result = s->result ? s->result : -E2BIG;
		return;
	}
	s->depth++;
	top(s)->closer = closer;
	top(s)->yields = yields;
	top(s)->quoted = top(s)->skip = false;
	top(s)->start = s->pos;
}

/* The end of a frame: of "$(" and of backquotes something stands in the word around it. */
static void pop(struct skim *s)
{
	const bool yields = top(s)->yields;
	const bool empty = s->pos <= top(s)->start + 1;

	skim_end_command(s);
	s->depth--;
	if (!yields || s->blind)
		skim_end_command(s);
	else if (!empty)
		skim_add(s, SHELL_UNKNOWN);
}

static void close_paren(struct skim *s)
{
	if (s->depth > 0 && top(s)->closer == ')')
		pop(s);
	else
		skim_end_command(s);
}

static void backquote(struct skim *s)
{
	if (s->depth > 0 && top(s)->closer == '`')
		pop(s);
	else
		skim_push(s, '`', true);
}

/* The file that an arrow names is no argument; what "<(" and ">(" hold is a command. */
static void arrow(struct skim *s)
{
	struct skim_frame *f = top(s);

	if (f->in_word && f->word.bytes && strspn(f->word.bytes, "0123456789") == f->word.len)
		f->in_word = false;
	skim_end_word(s);
	s->pos += strspn(s->text + s->pos, "<>&|-") - 1;
	if (s->text[s->pos + 1] == '(') {
		s->pos++;
		skim_push(s, ')', true);
	} else {
		f->skip = true;
	}
}

static void backslash(struct skim *s)
{
	const char next = s->text[s->pos + 1];

	/* Blind, the next byte counts as itself. */
	if (s->blind || next == '\0')
		return;
	s->pos++;
	if (next == '\n')
		return;
	if (top(s)->quoted && !strchr("$`\"\\", next))
		skim_add(s, '\\');
	skim_add(s, next);
}

static void single_quotes(struct skim *s)
{
	const char *end = strchr(s->text + s->pos + 1, '\'');

	if (s->blind)
		return skim_end_command(s);
	top(s)->in_word = true;
	for (s->pos++; s->text[s->pos] && s->text + s->pos != end; s->pos++)
		skim_add(s, s->text[s->pos]);
	if (!end)
		s->pos--;
}

static void double_quotes(struct skim *s)
{
	if (s->blind)
		return skim_end_command(s);
	top(s)->quoted = !top(s)->quoted;
	top(s)->in_word = true;
}

static void other(struct skim *s, char c)
{
	struct skim_frame *f = top(s);

	if (f->quoted)
		return skim_add(s, c);
	if (c == '&' && s->text[s->pos + 1] == '>')
		return arrow(s);
	if (strchr(";|&\n", c) || (c == '#' && !f->in_word))
		return skim_end_command(s);
	if (c == ' ' || c == '\t')
		return skim_end_word(s);
	if (c == '<' || c == '>')
		return arrow(s);
	if (c == '(')
		return skim_push(s, ')', false);
	if (c == ')')
		return close_paren(s);
	/* The start of a group: words in front of it were a function's name. */
	if (c == '{' && !f->in_word && shell_ends_word(s->text[s->pos + 1]))
		return skim_end_command(s);
	if (c == '{')
		f->brace = true;
	skim_add(s, c);
}

static void step(struct skim *s)
{
	const char c = s->text[s->pos];

	if (c == '\\')
		backslash(s);
	else if (c == '\'' && !top(s)->quoted)
		single_quotes(s);
	else if (c == '"')
		double_quotes(s);
	else if (c == '`')
		backquote(s);
	else if (c == '$')
		skim_dollar(s);
	else
		other(s, c);
	s->pos++;
}

static void walk(struct skim *s, bool blind)
{
	s->blind = blind;
	s->depth = 0;
	top(s)->quoted = top(s)->skip = false;
	for (s->pos = 0; !s->result && s->text[s->pos];)
		step(s);
	while (s->depth > 0 && !s->result)
		pop(s);
	skim_end_command(s);
}

static void skim_done(struct skim *s)
{
	for (size_t i = 0; i < SKIM_DEPTH_MAX; i++) {
		struct skim_frame *f = &s->frames[i];

		for (size_t k = 0; k < f->n; k++)
			free(f->words[k]);
		free(f->words);
		free(f->word.bytes);
	}
	skim_forget(s);
	free(s);
}

static int skim(const char *text, bool plain, bool blind, shell_visit *visit, void *data)
{
	struct skim *s;
	int r;

	if (strlen(text) > SHELL_LINE_MAX)
		return -E2BIG;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->text = text;
	s->visit = visit;
	s->data = data;
	if (plain)
		walk(s, false);
	if (blind && !s->result)
		walk(s, true);
	r = s->result;
	skim_done(s);
	return r;
}

int shell_skim(const char *text, shell_visit *visit, void *data)
{
	return skim(text, true, true, visit, data);
}

int shell_skim_once(const char *text, bool blind, shell_visit *visit, void *data)
{
	return skim(text, !blind, blind, visit, data);
}
