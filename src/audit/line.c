/* SPDX-License-Identifier: MIT */
/*
 * DOC: a gigabyte of record has to be read in seconds, and it may be hostile.  So a line is walked
 * once, byte by byte, with no allocation and no recursion; what is found are places in it.  The
 * newline behind the line ends every loop: it is no part of any JSON token.
 */
#include "audit/line.h"

#include <errno.h>
#include <string.h>

#include "audit/escape.h"
#include "audit/line_walk.h"
#include "audit/when.h"

/* ---- tokens --------------------------------------------------------------------------------- */

/* Tabs and carriage returns are blanks to JSON, but not in what we write, and a terminal obeys
 * them.
 */
static void skip_blank(struct walk *w)
{
	while (*w->at == ' ')
		w->at++;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool walk_escape(struct walk *w)
{
	static const char LETTERS[] = "\"\\/bfnrt";
	const char c = w->at[1];

	w->escaped = true;
	if (c == 'u') {
		for (int i = 2; i < 6; i++)
			if (!is_hex(w->at[i]))
				return false;
		w->at += 6;
		return true;
	}
	w->at += 2;
	return c != '\0' && strchr(LETTERS, c) != NULL;
}

/* Bytes of a string that mean themselves: no quote, no backslash, no control, ASCII. */
#define ROW(n)                                                                                     \
	[(n)] = 1, [(n) + 1] = 1, [(n) + 2] = 1, [(n) + 3] = 1, [(n) + 4] = 1, [(n) + 5] = 1,      \
	[(n) + 6] = 1, [(n) + 7] = 1
static const unsigned char PLAIN[256] = {
	[' '] = 1, ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1, ['\''] = 1, ROW(0x28),
	ROW(0x30), ROW(0x38), ROW(0x40), ROW(0x48), ROW(0x50), ['X'] = 1, ['Y'] = 1,  ['Z'] = 1,
	['['] = 1, [']'] = 1, ['^'] = 1, ['_'] = 1, ROW(0x60), ROW(0x68), ROW(0x70),  ['x'] = 1,
	['y'] = 1, ['z'] = 1, ['{'] = 1, ['|'] = 1, ['}'] = 1, ['~'] = 1,
};

/* A character that is not plain, in the middle of a string. */
static bool walk_character(struct walk *w)
{
	unsigned char c = (unsigned char)*w->at;
	uint32_t code;
	size_t n;

	if (c == '\\')
		return walk_escape(w);
	if (c < 0x20)
		return false;
	n = escape_decode(w->at, &code);
	if (c >= 0x80 && n == 1)
		return false;
	w->odd = w->odd || escape_wants(code);
	w->at += n;
	return true;
}

/* Stands behind the quote, and behind the closing one afterwards. */
static bool walk_string(struct walk *w)
{
	w->escaped = false;
	for (;;) {
		const char *at = w->at;

		while (PLAIN[(unsigned char)*at])
			at++;
		w->at = at;
		if (*at == '"') {
			w->at++;
			return true;
		}
		if (!walk_character(w))
			return false;
	}
}

static const char *skip_digits(const char *at)
{
	while (*at >= '0' && *at <= '9')
		at++;
	return at;
}

static bool walk_number(struct walk *w)
{
	const char *at = w->at + (*w->at == '-');
	const char *whole = at;

	at = skip_digits(at);
	if (at == whole || (*whole == '0' && at > whole + 1))
		return false;
	if (*at == '.') {
		const char *part = at + 1;

		at = skip_digits(part);
		if (at == part)
			return false;
	}
	if (*at == 'e' || *at == 'E') {
		const char *part = at + 1 + (at[1] == '+' || at[1] == '-');

		at = skip_digits(part);
		if (at == part)
			return false;
	}
	w->at = at;
	return true;
}

static bool walk_word(struct walk *w)
{
	static const char *const WORDS[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		size_t n = strlen(WORDS[i]);

		if (strncmp(w->at, WORDS[i], n) == 0) {
			w->at += n;
			return true;
		}
	}
	return false;
}

static enum line_type walk_scalar(struct walk *w)
{
	if (*w->at == '"') {
		w->at++;
		return walk_string(w) ? LINE_STRING : LINE_NONE;
	}
	if (*w->at == '-' || (*w->at >= '0' && *w->at <= '9'))
		return walk_number(w) ? LINE_NUMBER : LINE_NONE;
	return walk_word(w) ? LINE_WORD : LINE_NONE;
}

/* ---- what stands inside a member ------------------------------------------------------------ */

static bool walk_key(struct walk *w)
{
	skip_blank(w);
	if (*w->at != '"')
		return false;
	w->at++;
	if (!walk_string(w))
		return false;
	skip_blank(w);
	if (*w->at != ':')
		return false;
	w->at++;
	skip_blank(w);
	return true;
}

/* Closes what is over, up to the place where another value begins.  1: there is one; 0: the
 * outermost is closed. */
static int walk_between(struct walk *w, const char *kind, unsigned *depth)
{
	for (;;) {
		skip_blank(w);
		if (*w->at == ',') {
			w->at++;
			skip_blank(w);
			return kind[*depth - 1] == '[' || walk_key(w) ? 1 : -EINVAL;
		}
		if (*w->at != (kind[*depth - 1] == '[' ? ']' : '}'))
			return -EINVAL;
		w->at++;
		if (--*depth == 0)
			return 0;
	}
}

/* An object or a list, whole.  kind[] is the stack. */
static bool walk_nested(struct walk *w)
{
	char kind[LINE_DEPTH_MAX];
	unsigned depth = 0;
	int more = 1;

	while (more == 1) {
		bool opens = *w->at == '{' || *w->at == '[';

		if (opens && depth == LINE_DEPTH_MAX)
			return false;
		if (opens) {
			kind[depth++] = *w->at++;
			skip_blank(w);
			if (*w->at == (kind[depth - 1] == '[' ? ']' : '}'))
				more = walk_between(w, kind, &depth);
			else if (kind[depth - 1] == '{' && !walk_key(w))
				return false;
			continue;
		}
		if (walk_scalar(w) == LINE_NONE)
			return false;
		more = walk_between(w, kind, &depth);
	}
	return more == 0;
}

/* ---- the line ------------------------------------------------------------------------------- */

bool line_walk_value(struct walk *w, struct line_value *ret)
{
	const char *start = w->at;
	bool nested = *start == '{' || *start == '[';

	ret->type = LINE_NONE;
	if (nested && walk_nested(w))
		ret->type = *start == '{' ? LINE_OBJECT : LINE_ARRAY;
	else if (!nested)
		ret->type = walk_scalar(w);
	if (ret->type == LINE_NONE)
		return false;
	ret->escaped = ret->type == LINE_STRING && w->escaped;
	ret->at = ret->type == LINE_STRING ? start + 1 : start;
	ret->len = (uint16_t)(w->at - ret->at - (ret->type == LINE_STRING));
	return true;
}

static bool is_known(const struct pinfold_log_line *l, const char *key, size_t len)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->member[i].key_len == len && memcmp(l->member[i].key, key, len) == 0)
			return true;
	return false;
}

static int walk_members(struct walk *w, struct pinfold_log_line *l)
{
	int forged = 0;
	bool odd = false;

	for (;;) {
		struct line_member spare = { 0 };
		struct line_member *m = l->n < LINE_MEMBERS_MAX ? &l->member[l->n] : &spare;
		const char *from;

		odd = odd || w->odd;
		w->odd = false; /* to see whether the key is */
		skip_blank(w);
		from = w->at + 1;
		if (!walk_key(w))
			return -EINVAL;
		m->key = from;
		m->key_len = (uint16_t)strcspn(from, "\"\n");
		if (w->escaped || w->odd || m == &spare || is_known(l, from, m->key_len))
			forged = -EBADMSG;
		if (!line_walk_value(w, &m->value))
			return -EINVAL;
		if (m != &spare)
			l->n++;
		skip_blank(w);
		if (*w->at == '}')
			break;
		if (*w->at++ != ',')
			return -EINVAL;
	}
	w->at++;
	w->odd = w->odd || odd;
	return forged;
}

int line_scan(const char *text, size_t len, struct pinfold_log_line *ret)
{
	struct walk w = { .at = text };
	int r = 0;

	ret->text = text;
	ret->len = len;
	ret->n = 0;
	ret->time_us = 0;
	if (len > UINT16_MAX)
		return -EINVAL;
	skip_blank(&w);
	if (*w.at++ != '{')
		return -EINVAL;
	skip_blank(&w);
	if (*w.at == '}')
		w.at++;
	else
		r = walk_members(&w, ret);
	if (r == -EINVAL)
		return r;
	skip_blank(&w);
	ret->odd = w.odd;
	return w.at == text + len ? r : -EINVAL;
}

int line_check(struct pinfold_log_line *l)
{
	const struct line_value *ts = line_find(l, "ts");
	const struct line_value *event = line_find(l, "event");

	if (line_number(l, "v", 0) != 1 || !event || event->type != LINE_STRING || !event->len)
		return -EBADMSG;
	if (!ts || ts->type != LINE_STRING || when_parse_stamp(ts->at, ts->len, &l->time_us) < 0)
		return -EBADMSG;
	return 0;
}
