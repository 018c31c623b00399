/* SPDX-License-Identifier: MIT */
#include "base/json5_scan.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"

#define FILE_NAME_MAX 120 /* bytes of the file's name in a message: the words need the rest */

int json5_fail_at(const struct scan *s, unsigned line, unsigned column, const char *what)
{
	size_t len = strlen(s->file);
	const char *tail = len > FILE_NAME_MAX ? s->file + len - FILE_NAME_MAX : s->file;

	return err_set(s->e, -EINVAL, "%s:%u:%u: %s", tail, line, column, what);
}

unsigned json5_column(const struct scan *s)
{
	return (unsigned)(s->at - s->line_start) + 1;
}

int json5_fail(const struct scan *s, const char *what)
{
	return json5_fail_at(s, s->line, json5_column(s), what);
}

static void newline(struct scan *s)
{
	s->line++;
	s->line_start = s->at + 1;
}

/* The length of the UTF-8 sequence at p, or 0: overlong forms, surrogates and values past U+10FFFF
 * are no sequences. */
static size_t utf8_len(const unsigned char *p, size_t left)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t low;
	} form[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	if (p[0] < 0x80)
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
		uint32_t c = p[0] & (unsigned char)~form[i].mask;

		if ((p[0] & form[i].mask) != form[i].lead)
			continue;
		if (left < i + 2)
			return 0;
		for (size_t k = 1; k < i + 2; k++) {
			if ((p[k] & 0xc0) != 0x80)
				return 0;
			c = (c << 6) | (p[k] & 0x3f);
		}
		if (c < form[i].low || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		return i + 2;
	}
	return 0;
}

/* A lone CR starts a new line in some editors and none here: what a person reads as a setting
 * could be part of a comment. */
int json5_check_bytes(struct scan s)
{
	while (s.at < s.end) {
		size_t n = utf8_len((const unsigned char *)s.at, (size_t)(s.end - s.at));

		if (n == 0)
			return json5_fail(&s, "not UTF-8");
		if (*s.at == '\0')
			return json5_fail(&s, "a NUL byte");
		if (*s.at == '\r' && (s.at + 1 == s.end || s.at[1] != '\n'))
			return json5_fail(&s, "a carriage return that no line feed follows");
		if (*s.at == '\n')
			newline(&s);
		s.at += n;
	}
	return 0;
}

bool json5_starts(const struct scan *s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

static int skip_block_comment(struct scan *s)
{
	struct scan open = *s;

	for (s->at += 2; s->at < s->end; s->at++) {
		if (json5_starts(s, "*/")) {
			s->at += 2;
			return 0;
		}
		if (*s->at == '\n')
			newline(s);
	}
	return json5_fail(&open, "this comment never ends");
}

int json5_skip_blank(struct scan *s)
{
	int rc;

	while (s->at < s->end) {
		if (*s->at == '\n') {
			newline(s);
			s->at++;
		} else if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r') {
			s->at++;
		} else if (json5_starts(s, "//")) {
			while (s->at < s->end && *s->at != '\n')
				s->at++;
		} else if (json5_starts(s, "/*")) {
			rc = skip_block_comment(s);
			if (rc < 0)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

static int hex4(const struct scan *s, const char *p, uint32_t *ret)
{
	uint32_t c = 0;

	if (s->end - p < 4)
		return -EINVAL;
	for (int i = 0; i < 4; i++) {
		char d = p[i];

		c <<= 4;
		if (d >= '0' && d <= '9')
			c |= (uint32_t)(d - '0');
		else if (d >= 'a' && d <= 'f')
			c |= (uint32_t)(d - 'a' + 10);
		else if (d >= 'A' && d <= 'F')
			c |= (uint32_t)(d - 'A' + 10);
		else
			return -EINVAL;
	}
	*ret = c;
	return 0;
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* s stands on the 'u' of an escape and ends after its last digit. */
static int read_unicode(struct scan *s, char *out, size_t *n)
{
	uint32_t c;
	uint32_t low;

	if (hex4(s, s->at + 1, &c) < 0)
		return json5_fail(s, "\\u wants four hexadecimal digits");
	if (c == 0)
		return json5_fail(s, "\\u0000 in a string");
	if (c >= 0xdc00 && c <= 0xdfff)
		return json5_fail(s, "a lone surrogate");
	if (c < 0xd800 || c > 0xdbff) {
		s->at += 5;
		*n += put_utf8(out + *n, c);
		return 0;
	}
	if (s->end - s->at < 11 || s->at[5] != '\\' || s->at[6] != 'u' ||
	    hex4(s, s->at + 7, &low) < 0 || low < 0xdc00 || low > 0xdfff)
		return json5_fail(s, "a lone surrogate");
	s->at += 11;
	*n += put_utf8(out + *n, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
	return 0;
}

/* s stands on the backslash. */
static int read_escape(struct scan *s, char *out, size_t *n)
{
	static const char from[] = "\"'\\/bfnrt";
	static const char to[] = "\"'\\/\b\f\n\r\t";
	const char *hit;

	s->at++;
	if (s->at == s->end)
		return json5_fail(s, "this string never ends");
	if (*s->at == 'u')
		return read_unicode(s, out, n);
	hit = strchr(from, *s->at);
	if (!hit)
		return json5_fail(s, "an unknown escape");
	out[(*n)++] = to[hit - from];
	s->at++;
	return 0;
}

/* An escape is never shorter than what it stands for. */
int json5_read_string(struct scan *s, char **ret)
{
	struct scan open = *s;
	char quote = *s->at++;
	const char *close = s->at;
	size_t n = 0;
	int rc;

	while (close < s->end && *close != quote && *close != '\n')
		close += *close == '\\' && close + 1 < s->end ? 2 : 1;
	auto_free char *out = malloc((size_t)(close - s->at) + 1);

	if (!out)
		return -ENOMEM;
	while (s->at < s->end && *s->at != quote) {
		if ((unsigned char)*s->at < 0x20)
			return json5_fail(s, *s->at == '\n' ? "a line end in a string"
							    : "a control character in a string");
		if (*s->at != '\\') {
			out[n++] = *s->at++;
			continue;
		}
		rc = read_escape(s, out, &n);
		if (rc < 0)
			return rc;
	}
	if (s->at == s->end)
		return json5_fail(&open, "this string never ends");
	s->at++;
	out[n] = '\0';
	*ret = take_ptr(out);
	return 0;
}

bool json5_is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

bool json5_is_word_byte(const struct scan *s)
{
	char c;

	if (s->at == s->end)
		return false;
	c = *s->at;
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

static bool skip_digits(struct scan *s)
{
	if (!json5_is_digit(s))
		return false;
	while (json5_is_digit(s))
		s->at++;
	return true;
}

int json5_read_number(struct scan *s, struct json5 *v)
{
	struct scan open = *s;
	bool good;

	if (*s->at == '-')
		s->at++;
	good = json5_is_digit(s);
	if (good && *s->at == '0')
		s->at++;
	else
		skip_digits(s);
	if (good && s->at < s->end && *s->at == '.') {
		s->at++;
		good = skip_digits(s);
	}
	if (good && s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		good = skip_digits(s);
	}
	if (!good || json5_is_word_byte(s) || (s->at < s->end && *s->at == '.'))
		return json5_fail(&open, "not a number as JSON writes it");
	v->string = strndup(open.at, (size_t)(s->at - open.at));
	if (!v->string)
		return -ENOMEM;
	v->number = strtod(v->string, NULL);
	v->type = JSON5_NUMBER;
	return 0;
}
