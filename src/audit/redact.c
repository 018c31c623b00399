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

#include "audit/redact_inner.h"
#include "base/clean.h"

#define MARK "[redacted]"
#define MARK_LEN (sizeof(MARK) - 1)
#define USERINFO_MAX 512
#define PEM_LABEL_MAX 64

/* ---- PEM, URLs ---------------------------------------------------------------
 */

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
	"accountkey", "_auth",      "signature",
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

static size_t skip_blanks(const struct text *t, size_t at)
{
	while (at < t->len && is_space(t->s[at]))
		at++;
	return at;
}

/* DB_TOKEN: value, db.password: value and <password>value: only where the name is one of a
 * document, since people write colons, too. */
static size_t document_value(const struct text *t, size_t name, size_t at)
{
	const bool named = name > 0 && strchr("_.", t->s[name - 1]);

	if (t->s[at] == '>' && name > 0 && t->s[name - 1] == '<')
		return at + 1;
	if (!named || t->s[at] != ':' || at + 1 >= t->len || t->s[at + 1] != ' ')
		return 0;
	return skip_blanks(t, at + 1);
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
		return document_value(t, name, at);
	at = skip_blanks(t, at);
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

/* Of {"token": null} nothing is secret, what is cut stays so, and {"token": 5} ends before the
 * brace. */
static struct span bare_json_span(const struct text *t, size_t from)
{
	static const char *const words[] = { "null", "true", "false", "[redacted]" };
	size_t end = from;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (prefix_len(t, from, words[i]))
			return nothing;
	while (end < t->len && !is_space(t->s[end]) && !is_quote(t->s[end]) &&
	       !strchr(",}]\\", t->s[end]))
		end++;
	return end > from ? (struct span){ from, end } : nothing;
}

static struct span match_named(const struct text *t, size_t at)
{
	size_t n = secret_name_len(t, at);
	size_t from = n ? value_start(t, at, at + n) : 0;
	bool json = n && strchr("\":", t->s[at + n]);

	if (!from)
		return nothing;
	if (json && from < t->len && !is_quote(t->s[from]) && t->s[from] != '\\')
		return bare_json_span(t, from);
	return value_span(t, from);
}

#define VARIABLE_VALUE_MIN 8

/* SIGNING_KEY=..., DB_PASS=...: variables by their last word, unless the value is a path. */
static struct span match_variable(const struct text *t, size_t at)
{
	static const char *const ends[] = { "_KEY=", "_PASS=", "_PAT=", "_PWD=", "_CREDS=" };
	struct span s = nothing;
	size_t n = 0;

	if (at == 0 || (!is_upper(t->s[at - 1]) && !is_digit(t->s[at - 1])))
		return nothing;
	for (size_t i = 0; i < ARRAY_SIZE(ends) && !n; i++)
		n = prefix_len(t, at, ends[i]);
	if (n)
		s = value_span(t, at + n);
	if (s.to - s.from < VARIABLE_VALUE_MIN || strchr("/.~$", t->s[s.from]))
		return nothing;
	return s;
}

#define COMMAND_REACH 256 /* bytes between a command's name and its option */

/* Others have an option -u, too. */
static bool is_curl(const struct text *t, size_t at)
{
	size_t from = at > COMMAND_REACH ? at - COMMAND_REACH : 0;

	return memmem(t->s + from, at - from, "curl", 4) != NULL;
}

/* curl -u user:password, in a command line. */
static struct span match_user_option(const struct text *t, size_t at)
{
	static const char *const options[] = { " -u ", " --user ", " --user=", " --proxy-user " };
	size_t from = 0;
	struct span word;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !from; i++)
		if (prefix_len(t, at, options[i]) && (i > 0 || is_curl(t, at)))
			from = at + strlen(options[i]);
	word = from ? value_span(t, from) : nothing;
	for (size_t i = word.from; i < word.to; i++)
		if (t->s[i] == ':' && i + 1 < word.to)
			return is_digit(t->s[i + 1]) ? nothing : (struct span){ i + 1, word.to };
	return nothing;
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
	match_pem,    match_userinfo,    match_header, match_named,      match_variable,
	match_bearer, match_user_option, match_basic,  match_prefix,     match_jwt,
	match_bot,    match_hook,        match_aws_id, match_aws_secret,
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
