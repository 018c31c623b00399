/* SPDX-License-Identifier: MIT */
/* Secrets that their form gives away, whatever stands around them. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "audit/redact_inner.h"
#include "base/clean.h"

#define AWS_ID_LEN 16
#define AWS_SECRET_LEN 40
/* 40 random base64 characters change between capitals, small letters and digits 25 times; words and
 * paths far less often. */
#define AWS_SECRET_CHANGES_MIN 16

/* ---- tokens that their first characters give away ------------------------------------------ */

/* '?' in a prefix stands for one letter or digit.  A token counts from min_mixed characters when
 * it holds a digit, else from min_plain: words hold none. */
struct prefix {
	const char *text;
	const char *extra;
	uint8_t min_mixed;
	uint8_t min_plain;
};

static const struct prefix prefixes[] = {
	{ "sk-", "-_", 8, 16 },       { "ghp_", "", 8, 16 },      { "gho_", "", 8, 16 },
	{ "ghs_", "", 8, 16 },        { "ghu_", "", 8, 16 },      { "ghr_", "", 8, 16 },
	{ "github_pat_", "_", 8, 8 }, { "xox?-", "-", 8, 16 },    { "xapp-", "-", 8, 16 },
	{ "glpat-", "-_", 8, 16 },    { "npm_", "", 30, 30 },     { "pypi-", "-_", 40, 40 },
	{ "hf_", "", 30, 30 },        { "AIza", "-_", 35, 35 },   { "sk_live_", "", 8, 16 },
	{ "sk_test_", "", 8, 16 },    { "rk_live_", "", 8, 16 },  { "dckr_pat_", "-_", 8, 16 },
	{ "SG.", "-_.", 40, 40 },     { "ya29.", "-_.", 20, 20 },
};

size_t prefix_len(const struct text *t, size_t at, const char *prefix)
{
	size_t n = 0;

	for (; prefix[n]; n++) {
		if (at + n >= t->len)
			return 0;
		if (prefix[n] == '?' ? !is_alnum(t->s[at + n]) : t->s[at + n] != prefix[n])
			return 0;
	}
	return n;
}

struct span match_prefix(const struct text *t, size_t at)
{
	if (!starts_word(t, at))
		return nothing;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const struct prefix *p = &prefixes[i];
		size_t n = prefix_len(t, at, p->text);
		bool has_digit;
		size_t end;

		if (!n)
			continue;
		end = token_end(t, at + n, p->extra, &has_digit);
		if (end - at - n >= (has_digit ? p->min_mixed : p->min_plain))
			return (struct span){ at, end };
	}
	return nothing;
}

struct span match_bearer(const struct text *t, size_t at)
{
	static const char word[] = "bearer";
	size_t from = at + sizeof(word) - 1;
	bool has_digit;
	size_t end;

	if (!starts_word(t, at) || from >= t->len || strncasecmp(t->s + at, word, from - at) != 0)
		return nothing;
	while (from < t->len && is_space(t->s[from]))
		from++;
	if (from == at + sizeof(word) - 1)
		return nothing;
	end = token_end(t, from, "-._~+/=", &has_digit);
	if (end - from < (has_digit ? 6U : 16U))
		return nothing;
	return (struct span){ from, end };
}

/* ---- AWS ------------------------------------------------------------------------------------ */

struct span match_aws_id(const struct text *t, size_t at)
{
	static const char *const kinds[] = { "AKIA", "ASIA", "ABIA", "ACCA", "AGPA",
					     "AIDA", "AROA", "AIPA", "ANPA", "ANVA" };
	size_t end = at + 4;
	bool known = false;

	if (!starts_word(t, at))
		return nothing;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !known; i++)
		known = prefix_len(t, at, kinds[i]) > 0;
	if (!known)
		return nothing;
	while (end < t->len && end - at <= 4 + AWS_ID_LEN && is_alnum(t->s[end]) &&
	       (t->s[end] < 'a' || t->s[end] > 'z'))
		end++;
	if (end - at != 4 + AWS_ID_LEN || (end < t->len && is_alnum(t->s[end])))
		return nothing;
	return (struct span){ at, end };
}

static int char_class(char c)
{
	if (is_digit(c))
		return 0;
	if (is_alnum(c))
		return c >= 'a' ? 1 : 2;
	return 3;
}

/* A secret access key has no mark of its own: 40 characters of base64, and of every kind.  A git
 * hash has no capitals; a path changes seldom between kinds. */
struct span match_aws_secret(const struct text *t, size_t at)
{
	static const char extra[] = "/+";
	bool seen[4] = { false };
	unsigned changes = 0;
	size_t end = at;

	if (at > 0 && in_token(t->s[at - 1], "/+_-."))
		return nothing;
	for (; end < t->len && end - at <= AWS_SECRET_LEN && in_token(t->s[end], extra); end++) {
		int class = char_class(t->s[end]);

		seen[class] = true;
		if (end > at && class != char_class(t->s[end - 1]))
			changes++;
	}
	if (end - at != AWS_SECRET_LEN || (end < t->len && in_token(t->s[end], "=_-")))
		return nothing;
	if (!seen[0] || !seen[1] || !seen[2] || changes < AWS_SECRET_CHANGES_MIN)
		return nothing;
	return (struct span){ at, end };
}

/* ---- JSON web tokens --------------------------------------------------------------------------
 */

struct span match_jwt(const struct text *t, size_t at)
{
	bool ignored;
	size_t header;
	size_t body;
	size_t end;

	if (!prefix_len(t, at, "eyJ") || (at > 0 && in_token(t->s[at - 1], "-_")))
		return nothing;
	header = token_end(t, at, "-_", &ignored);
	if (header - at < 12 || header >= t->len || t->s[header] != '.')
		return nothing;
	body = token_end(t, header + 1, "-_", &ignored);
	if (body - header < 8)
		return nothing;
	end = token_end(t, body, "-_.", &ignored);
	return (struct span){ at, end };
}
