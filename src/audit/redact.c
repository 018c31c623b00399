/* SPDX-License-Identifier: MIT */
/*
 * DOC: one pass from left to right; at each byte every matcher of a table may claim a stretch.  A
 * matcher that fails has looked at a bounded number of bytes, or at a run of token characters that
 * only the first byte of the run may start; one that succeeds makes the pass continue behind what
 * it claimed.  So the whole is linear, whatever the text.
 */
#include "audit/redact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clean.h"

#define MARK "[redacted]"
#define MARK_LEN (sizeof(MARK) - 1)
#define USERINFO_MAX 512
#define PEM_LABEL_MAX 64
#define AWS_ID_LEN 16
#define AWS_SECRET_LEN 40
/* 40 random base64 characters change between capitals, small letters and digits 25 times; words and
 * paths far less often. */
#define AWS_SECRET_CHANGES_MIN 16

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
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool in_token(char c, const char *extra)
{
	return is_alnum(c) || (c != '\0' && strchr(extra, c));
}

static bool starts_word(const struct text *t, size_t at)
{
	return at == 0 || !is_alnum(t->s[at - 1]);
}

/* The end of the run of token characters at `at`; *has_digit tells whether there is a digit. */
static size_t token_end(const struct text *t, size_t at, const char *extra, bool *has_digit)
{
	*has_digit = false;
	for (; at < t->len && in_token(t->s[at], extra); at++)
		if (is_digit(t->s[at]))
			*has_digit = true;
	return at;
}

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

static size_t prefix_len(const struct text *t, size_t at, const char *prefix)
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

static struct span match_prefix(const struct text *t, size_t at)
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

static struct span match_bearer(const struct text *t, size_t at)
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

static struct span match_aws_id(const struct text *t, size_t at)
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
static struct span match_aws_secret(const struct text *t, size_t at)
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

/* ---- JSON web tokens, PEM, URLs ---------------------------------------------------------------
 */

static struct span match_jwt(const struct text *t, size_t at)
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

/* Only the body goes: that there was a key, and of what kind, is worth knowing.  A body without an
 * end reaches to the end of the text. */
static struct span match_pem(const struct text *t, size_t at)
{
	static const char begin[] = "-----BEGIN ";
	size_t from = at + sizeof(begin) - 1;
	size_t label = 0;
	const char *end;

	if (!prefix_len(t, at, begin))
		return nothing;
	while (label < PEM_LABEL_MAX && from + label < t->len &&
	       in_token(t->s[from + label], " -/") && !prefix_len(t, from + label, "-----"))
		label++;
	from += label;
	if (!prefix_len(t, from, "-----"))
		return nothing;
	from += 5;
	end = strstr(t->s + from, "-----END ");
	return (struct span){ from, end ? (size_t)(end - t->s) : t->len };
}

/* "://user:password@host".  A password with an unescaped slash ends the authority for a strict
 * reader, so what follows a colon that begins no port is searched further. */
static struct span match_userinfo(const struct text *t, size_t at)
{
	size_t from = at + 3;
	size_t end = from;
	size_t last = 0;
	bool strict = true;

	if (!prefix_len(t, at, "://") || from >= t->len || t->s[from] == '[')
		return nothing;
	for (; end < t->len && end - from < USERINFO_MAX; end++) {
		char c = t->s[end];

		if (is_space(c) || is_quote(c) || (strict && strchr("/?#\\", c)))
			break;
		if (c == '@')
			last = end;
		if (c == ':' && end + 1 < t->len && !is_digit(t->s[end + 1]) && last == 0)
			strict = false;
	}
	return last > from ? (struct span){ from, last } : nothing;
}

/* ---- values whose name says that they are secret -----------------------------------------------
 */

static const char *const secret_names[] = {
	"password",   "passwd",     "passphrase", "authorization", "token",       "secret",
	"secretkey",  "secret-key", "secret_key", "apikey",        "api-key",     "api_key",
	"access_key", "access-key", "accesskey",  "private_key",   "private-key", "credentials",
};

/* Headers end with the line; their names are matched with the colon. */
static const char *const secret_headers[] = {
	"authorization:",
	"cookie:",
	"x-api-key:",
	"api-key:",
	"private-token:",
	"x-auth-token:",
	"x-amz-security-token:",
	"x-vault-token:",
};

/* The name's length when text[at] begins a secret's name that ends at a non-letter. */
static size_t secret_name_len(const struct text *t, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(secret_names); i++) {
		size_t n = strlen(secret_names[i]);

		if (strncasecmp(t->s + at, secret_names[i], n) == 0 && !is_alnum(t->s[at + n]))
			return n;
	}
	return 0;
}

/* Was the word that ends at `at` begun by a dash, as an option is? */
static bool is_option(const struct text *t, size_t at)
{
	size_t looked = 0;

	while (at > 0 && looked++ < 64 && in_token(t->s[at - 1], "-_"))
		at--;
	return t->s[at] == '-' && (at == 0 || is_space(t->s[at - 1]));
}

/* Where the value begins, or 0: name=value, "name": "value", --name value. */
static size_t value_start(const struct text *t, size_t name, size_t at)
{
	bool quoted = at < t->len && is_quote(t->s[at]);

	if (quoted || t->s[at] == '\\') {
		at += t->s[at] == '\\' && at + 1 < t->len && is_quote(t->s[at + 1]) ? 2 : 1;
		while (at < t->len && is_space(t->s[at]))
			at++;
		if (at >= t->len || (t->s[at] != ':' && t->s[at] != '='))
			return 0;
		at++;
		while (at < t->len && is_space(t->s[at]))
			at++;
		return at;
	}
	if (t->s[at] == '=')
		return at + 1;
	if (prefix_len(t, at, "%3D") || prefix_len(t, at, "%3d"))
		return at + 3;
	if (!is_space(t->s[at]) || !is_option(t, name))
		return 0;
	while (at < t->len && is_space(t->s[at]))
		at++;
	return at < t->len && t->s[at] != '-' ? at : 0;
}

/* A quoted value ends with its quote, another one with a blank, a quote or the next parameter. */
static struct span value_span(const struct text *t, size_t from)
{
	size_t end;
	char quote;

	if (prefix_len(t, from, "\\\""))
		from++;
	if (from < t->len && is_quote(t->s[from])) {
		quote = t->s[from++];
		for (end = from; end < t->len && t->s[end] != quote; end++)
			if (t->s[end] == '\\' && end + 1 < t->len && t->s[end + 1] != quote)
				end++;
		return end > from ? (struct span){ from, end } : nothing;
	}
	for (end = from; end < t->len; end++)
		if (is_space(t->s[end]) || is_quote(t->s[end]) || t->s[end] == '&')
			break;
	return end > from ? (struct span){ from, end } : nothing;
}

static struct span match_named(const struct text *t, size_t at)
{
	size_t n = secret_name_len(t, at);
	size_t from = n ? value_start(t, at, at + n) : 0;

	return from ? value_span(t, from) : nothing;
}

static struct span match_header(const struct text *t, size_t at)
{
	size_t from = 0;
	size_t end;

	for (size_t i = 0; i < ARRAY_SIZE(secret_headers) && !from; i++)
		if (strncasecmp(t->s + at, secret_headers[i], strlen(secret_headers[i])) == 0)
			from = at + strlen(secret_headers[i]);
	if (!from || !starts_word(t, at))
		return nothing;
	while (from < t->len && (t->s[from] == ' ' || t->s[from] == '\t'))
		from++;
	for (end = from; end < t->len; end++)
		if (t->s[end] == '\n' || t->s[end] == '\r' || is_quote(t->s[end]))
			break;
	return end > from ? (struct span){ from, end } : nothing;
}

/* ---- the pass -----------------------------------------------------------------------------------
 */

/* The first that claims wins: wider claims stand first. */
static struct span (*const matchers[])(const struct text *t, size_t at) = {
	match_pem,    match_userinfo, match_header, match_named,      match_bearer,
	match_prefix, match_jwt,      match_aws_id, match_aws_secret,
};

static struct span match_any(const struct text *t, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(matchers); i++) {
		struct span s = matchers[i](t, at);

		if (s.to > s.from)
			return s;
	}
	return nothing;
}

char *redact(const char *text)
{
	struct text t = { text, strlen(text) };
	size_t cap = t.len + 1;
	size_t used = 0;
	size_t at = 0;
	char *out;

	/* The shortest secret is one byte long, and no two are neighbours. */
	if (__builtin_mul_overflow(cap, MARK_LEN, &cap))
		return NULL;
	out = malloc(cap);
	if (!out)
		return NULL;
	while (at < t.len) {
		struct span s = match_any(&t, at);

		if (s.to <= s.from) {
			out[used++] = text[at++];
			continue;
		}
		memcpy(out + used, text + at, s.from - at);
		used += s.from - at;
		memcpy(out + used, MARK, MARK_LEN);
		used += MARK_LEN;
		at = s.to;
	}
	out[used] = '\0';
	return out;
}

/* curl's user:password; numbers behind the colon are a group, as docker has it. */
static bool is_user_and_password(const char *option, const char *value)
{
	const char *colon = strchr(value, ':');

	if (strcmp(option, "-u") != 0 && strcmp(option, "--user") != 0)
		return false;
	return colon && colon[1] != '\0' && !is_digit(colon[1]);
}

bool redact_is_secret_argument(const char *option, const char *value)
{
	struct text t = { option, strlen(option) };

	if (option[0] != '-')
		return false;
	if (is_user_and_password(option, value))
		return true;
	for (size_t at = 1; at < t.len; at++) {
		size_t n = secret_name_len(&t, at);

		if (n && at + n == t.len)
			return value[0] != '-';
	}
	return false;
}
