/* SPDX-License-Identifier: MIT */
#include "agents/approval_pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell_inner.h"
#include "base/clean.h"
#include "base/err.h"

/* What makes a pattern something else than plain command lines. */
static const char NOT_PLAIN[] = "(){}<>`$";

struct compiler {
	const char *text;
	size_t pos;
	struct shell_text word;
	bool in_word;
	bool quoted;
	struct pattern *p;
	int result;
	struct pinfold_error *e;
};

bool pattern_glob(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *retry = NULL;

	/* Invariant: what lies in front of pattern and text matches; behind the last star, text
	 * may still be tried again one byte further on. */
	while (*text || *pattern) {
		if (*pattern == PATTERN_STAR) {
			star = ++pattern;
			retry = text;
		} else if (*pattern && *pattern == *text) {
			pattern++;
			text++;
		} else if (star && *retry && *retry != PATTERN_JOINT) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	return true;
}

static void put(struct compiler *c, char byte)
{
	/* Two stars are one: it keeps matching fast. */
	if (byte == PATTERN_STAR && c->word.len > 0 &&
	    c->word.bytes[c->word.len - 1] == PATTERN_STAR)
		return;
	c->in_word = true;
	if (shell_text_add(&c->word, byte) < 0)
		c->result = -ENOMEM;
}

static int add_part(struct compiler *c, enum shell_joint joint)
{
	struct pattern *p = c->p;
	struct pattern_part *grown;

	if (p->n == PATTERN_COMMANDS_MAX)
		return err_set(c->e, -EINVAL, "more than %d commands", PATTERN_COMMANDS_MAX);
	grown = realloc(p->part, (p->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->part = grown;
	grown[p->n++] = (struct pattern_part){ .joint = joint };
	return 0;
}

static enum shell_joint joint_of(const char *text, size_t len)
{
	for (enum shell_joint j = SHELL_THEN; j < SHELL_JOINTS; j++)
		if (strlen(shell_joint_text(j)) == len &&
		    strncmp(shell_joint_text(j), text, len) == 0)
			return j;
	return SHELL_FIRST;
}

static int end_word(struct compiler *c)
{
	struct pattern_part *part = &c->p->part[c->p->n - 1];
	const enum shell_joint joint =
	    c->in_word && !c->quoted ? joint_of(c->word.bytes, c->word.len) : SHELL_FIRST;
	int r = 0;

	if (!c->in_word)
		return 0;
	if (joint != SHELL_FIRST && part->n == 0)
		r = err_set(c->e, -EINVAL, "'%s' stands behind no command",
			    shell_joint_text(joint));
	else if (joint != SHELL_FIRST)
		r = add_part(c, joint);
	else if (part->n == PATTERN_WORDS_MAX)
		r = err_set(c->e, -EINVAL, "more than %d words", PATTERN_WORDS_MAX);
	else
		r = shell_list_add(&part->words, &part->n,
				   strdup(c->word.bytes ? c->word.bytes : ""));
	c->in_word = c->quoted = false;
	c->word.len = 0;
	if (c->word.bytes)
		c->word.bytes[0] = '\0';
	return r;
}

static int quotes(struct compiler *c, char quote)
{
	c->in_word = c->quoted = true;
	for (c->pos++; c->text[c->pos] != quote; c->pos++) {
		if (quote == '"' && c->text[c->pos] == '\\' && c->text[c->pos + 1] &&
		    strchr("\"\\$`", c->text[c->pos + 1]))
			c->pos++;
		if (!c->text[c->pos])
			return err_set(c->e, -EINVAL, "a quote is not closed");
		put(c, c->text[c->pos]);
	}
	return 0;
}

static int take(struct compiler *c)
{
	const char byte = c->text[c->pos];

	if (shell_is_blank(byte) || byte == '\n')
		return end_word(c);
	if (byte == '\'' || byte == '"')
		return quotes(c, byte);
	if (byte == '\\' && c->text[c->pos + 1]) {
		c->quoted = true;
		put(c, c->text[++c->pos]);
		return 0;
	}
	put(c, (char)(byte == '*' ? PATTERN_STAR : byte));
	return 0;
}

char *pattern_flatten(char *const *words, size_t n)
{
	struct shell_text flat = { 0 };
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		if (i > 0)
			r = shell_text_add(&flat, PATTERN_GAP);
		if (r == 0)
			r = shell_text_put(&flat, words[i], strlen(words[i]));
	}
	if (r == 0 && flat.len == 0 && !flat.bytes)
		flat.bytes = strdup("");
	if (r < 0) {
		free(flat.bytes);
		return NULL;
	}
	return flat.bytes;
}

static int finish_part(struct pattern_part *part)
{
	static const char star[] = { PATTERN_STAR, '\0' };

	part->open = part->n > 1 && strcmp(part->words[part->n - 1], star) == 0;
	part->flat = pattern_flatten(part->words, part->n);
	part->tail = pattern_flatten(part->words + 1, part->n - 1);
	if (part->open) {
		part->stem = pattern_flatten(part->words, part->n - 1);
		part->tail_stem = pattern_flatten(part->words + 1, part->n - 2);
	}
	return part->flat && part->tail && (!part->open || (part->stem && part->tail_stem))
		   ? 0
		   : -ENOMEM;
}

static int finish(struct compiler *c)
{
	int r = 0;

	for (size_t i = 0; i < c->p->n && r == 0; i++)
		r = c->p->part[i].n > 0 ? finish_part(&c->p->part[i])
					: err_set(c->e, -EINVAL, "a command is missing");
	return r;
}

/* "{}", as find has it, is as plain as any word. */
static bool is_plain(const char *text)
{
	for (const char *c = text; *c; c++)
		if (strchr(NOT_PLAIN, *c) && strncmp(c, "{}", 2) != 0 &&
		    !(*c == '}' && c > text && c[-1] == '{'))
			return false;
	return true;
}

static int compile_raw(const char *text, struct pattern *p)
{
	struct shell_text raw = { 0 };
	int r = shell_text_add(&raw, PATTERN_STAR);

	for (; *text && r == 0; text++)
		if (!shell_is_blank(*text) && *text != '\n')
			r = shell_text_add(&raw, (char)(*text == '*' ? PATTERN_STAR : *text));
	if (r == 0)
		r = shell_text_add(&raw, PATTERN_STAR);
	p->raw = raw.bytes;
	return r;
}

int pattern_compile(const char *text, struct pattern *ret, struct pinfold_error *e)
{
	struct pattern p = { 0 };
	struct compiler c = { .text = text, .p = &p, .e = e };
	int r = 0;

	if (strlen(text) > PATTERN_MAX)
		return err_set(e, -EINVAL, "longer than %d bytes", PATTERN_MAX);
	for (const char *b = text; *b; b++)
		if ((unsigned char)*b < 0x20 && *b != '\t' && *b != '\n')
			return err_set(e, -EINVAL, "a control character");
	if (!is_plain(text)) {
		r = compile_raw(text, &p);
	} else {
		r = add_part(&c, SHELL_FIRST);
		if (r == 0)
			r = compile_raw(text, &p);
		for (; r == 0 && text[c.pos]; c.pos++)
			r = take(&c);
		if (r == 0)
			r = end_word(&c);
		if (r == 0)
			r = c.result ? c.result : finish(&c);
	}
	free(c.word.bytes);
	if (r < 0)
		pattern_done(&p);
	else
		*ret = p;
	return r;
}

void pattern_done(struct pattern *p)
{
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < p->part[i].n; k++)
			free(p->part[i].words[k]);
		free(p->part[i].words);
		free(p->part[i].flat);
		free(p->part[i].stem);
		free(p->part[i].tail);
		free(p->part[i].tail_stem);
	}
	free(p->part);
	free(p->raw);
	*p = (struct pattern){ 0 };
}

bool pattern_matches(const struct pattern_part *p, const char *flat)
{
	return pattern_glob(p->flat, flat) || (p->open && pattern_glob(p->stem, flat));
}

bool pattern_matches_tail(const struct pattern_part *p, const char *tail)
{
	return pattern_glob(p->tail, tail) || (p->open && pattern_glob(p->tail_stem, tail));
}

/* The line's words as blanks part them, quotes and all; operators become joints. */
static int flatten_text(const char *line, struct shell_text *flat)
{
	bool gap = false;
	int r = 0;

	for (; *line && r == 0; line++) {
		const bool blank = shell_is_blank(*line);

		if (!blank && gap && flat->len > 0)
			r = shell_text_add(flat, PATTERN_GAP);
		if (!blank && r == 0)
			r = shell_text_add(flat,
					   (char)(strchr(";|&\n", *line) ? PATTERN_JOINT : *line));
		gap = blank;
	}
	while (flat->len > 0 && flat->bytes[flat->len - 1] == PATTERN_JOINT)
		flat->bytes[--flat->len] = '\0';
	return r;
}

int pattern_text_prepare(const char *line, struct pattern_text *ret)
{
	struct shell_text flat = { 0 };
	struct shell_text dense = { 0 };
	int r = flatten_text(line, &flat);

	for (; *line && r == 0; line++)
		if (!shell_is_blank(*line) && *line != '\n')
			r = shell_text_add(&dense, *line);
	ret->flat = flat.bytes;
	ret->dense = dense.bytes;
	return r;
}

void pattern_text_done(struct pattern_text *t)
{
	free(t->flat);
	free(t->dense);
	*t = (struct pattern_text){ 0 };
}

bool pattern_meets_text(const struct pattern *p, const struct pattern_text *t)
{
	if (p->n == 1)
		return t->flat && pattern_matches(&p->part[0], t->flat);
	return (p->n == 0 || t->doubtful) && t->dense && pattern_glob(p->raw, t->dense);
}
