/* SPDX-License-Identifier: MIT */
/* What the matchers of the redaction share. */
#ifndef PINFOLD_AUDIT_REDACT_INNER_H
#define PINFOLD_AUDIT_REDACT_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	const char *s;
	size_t len;
};

/* What a matcher claims: bytes [from, to) are to be replaced; empty when it claims nothing. */
struct span {
	size_t from;
	size_t to;
};

static const struct span nothing = { 0, 0 };

/* Not <ctype.h>: the locale must not change what a secret is. */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || is_upper(c);
}

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static inline bool in_token(char c, const char *extra)
{
	return is_alnum(c) || (c != '\0' && strchr(extra, c));
}

static inline bool starts_word(const struct text *t, size_t at)
{
	return at == 0 || !is_alnum(t->s[at - 1]);
}

/* The end of the run of token characters at `at`; *has_digit tells whether there is a digit. */
static inline size_t token_end(const struct text *t, size_t at, const char *extra, bool *has_digit)
{
	*has_digit = false;
	for (; at < t->len && in_token(t->s[at], extra); at++)
		if (is_digit(t->s[at]))
			*has_digit = true;
	return at;
}

/* '?' stands for one letter or digit.  The length, or 0. */
size_t prefix_len(const struct text *t, size_t at, const char *prefix);

/* Tokens by their form (redact_tokens.c). */
struct span match_prefix(const struct text *t, size_t at);
struct span match_bearer(const struct text *t, size_t at);
struct span match_basic(const struct text *t, size_t at);
struct span match_aws_id(const struct text *t, size_t at);
struct span match_aws_secret(const struct text *t, size_t at);
struct span match_jwt(const struct text *t, size_t at);
struct span match_bot(const struct text *t, size_t at);
struct span match_hook(const struct text *t, size_t at);

#endif
