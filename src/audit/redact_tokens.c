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
#define AWS_SECRET_SLASHES_MAX 4 /* more of them make a path; one secret in 2500 has as many */

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
	{ "sk-", "-_", 8, 16 },
	{ "ghp_", "", 8, 16 },
	{ "gho_", "", 8, 16 },
	{ "ghs_", "", 8, 16 },
	{ "ghu_", "", 8, 16 },
	{ "ghr_", "", 8, 16 },
	{ "github_pat_", "_", 8, 8 },
	{ "xox?-", "-", 8, 16 },
	{ "xoxe.xox?-", "-", 8, 16 },
	{ "xapp-", "-", 8, 16 },
	{ "glpat-", "-_.", 8, 16 },
	{ "gldt-", "-_", 16, 16 },
	{ "glrt-", "-_.", 16, 16 },
	{ "glptt-", "-_", 16, 16 },
	{ "glcbt-", "-_", 16, 16 },
	{ "npm_", "", 30, 30 },
	{ "pypi-", "-_", 40, 40 },
	{ "hf_", "", 30, 30 },
	{ "AIza", "-_", 35, 35 },
	{ "GOCSPX-", "-_", 20, 20 },
	{ "1//0", "-_", 30, 30 },
	{ "sk_live_", "", 8, 16 },
	{ "sk_test_", "", 8, 16 },
	{ "rk_live_", "", 8, 16 },
	{ "rk_test_", "", 8, 16 },
	{ "whsec_", "+/=", 16, 24 },
	{ "dckr_pat_", "-_", 8, 16 },
	{ "dckr_oat_", "-_", 8, 16 },
	{ "SG.", "-_.", 40, 40 },
	{ "ya29.", "-_.", 20, 20 },
	{ "gsk_", "", 30, 40 },
	{ "xai-", "", 30, 40 },
	{ "pplx-", "", 30, 40 },
	{ "r8_", "", 30, 36 },
	{ "lin_api_", "", 30, 40 },
	{ "ntn_", "", 30, 40 },
	{ "dop_v1_", "", 40, 60 },
	{ "shpat_", "", 30, 32 },
	{ "hvs.", "-_", 20, 24 },
	{ "hvb.", "-_", 20, 24 },
	{ "dapi", "", 32, 40 },
	{ "AGE-SECRET-KEY-1", "", 50, 50 },
	{ "figd_", "-_", 30, 40 },
	{ "sntry?_", "+/=_", 40, 60 },
	{ "PMAK-", "-", 40, 60 },
	{ "ATATT3", "-_=", 40, 60 },
	{ "ATCTT3", "-_=", 40, 60 },
	{ "ATBB", "", 28, 32 },
	{ "tskey-", "-", 24, 40 },
	{ "nvapi-", "-_", 40, 60 },
	{ "tvly-", "-_", 24, 32 },
	{ "sbp_", "", 40, 40 },
	{ "phx_", "", 40, 43 },
	{ "secret_", "", 40, 43 },
	{ "cfut_", "-_", 36, 40 },
	{ "cfat_", "-_", 36, 40 },
	{ "flyv1_", "-_", 36, 40 },
	{ "doo_v1_", "", 40, 60 },
	{ "dor_v1_", "", 40, 60 },
	{ "CCIPAT_", "_", 40, 60 },
	{ "CCIPRJ_", "_", 40, 60 },
	{ "rubygems_", "", 40, 48 },
	{ "sq0csp-", "-_", 36, 40 },
	{ "sq0atp-", "-_", 20, 22 },
	{ "EAACEdEose0cBA", "", 20, 20 },
	{ "IQoJb3JpZ2lu", "+/=", 100, 100 },
	{ "FwoGZXIvYXdz", "+/=", 100, 100 },
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
	size_t slashes = 0;
	size_t end = at;

	if (at > 0 && in_token(t->s[at - 1], "/+_-."))
		return nothing;
	for (; end < t->len && end - at <= AWS_SECRET_LEN && in_token(t->s[end], extra); end++) {
		int class = char_class(t->s[end]);

		seen[class] = true;
		slashes += t->s[end] == '/';
		if (end > at && class != char_class(t->s[end - 1]))
			changes++;
	}
	if (end - at != AWS_SECRET_LEN || (end < t->len && in_token(t->s[end], "=_-")))
		return nothing;
	if (!seen[0] || !seen[1] || !seen[2] || changes < AWS_SECRET_CHANGES_MIN ||
	    slashes > AWS_SECRET_SLASHES_MAX)
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

/* ---- more forms ------------------------------------------------------------------------------ */

static bool is_lower(char c)
{
	return is_alnum(c) && !is_digit(c) && !is_upper(c);
}

/* "Basic dXNlcjpwYXNz": base64, which words behind that word are not. */
struct span match_basic(const struct text *t, size_t at)
{
	static const char word[] = "basic ";
	size_t from = at + sizeof(word) - 1;
	bool seen[3] = { false };
	bool ignored;
	size_t end;

	if (!starts_word(t, at) || from >= t->len || strncasecmp(t->s + at, word, from - at) != 0)
		return nothing;
	end = token_end(t, from, "+/=", &ignored);
	for (size_t i = from; i < end; i++) {
		seen[0] |= is_upper(t->s[i]);
		seen[1] |= is_lower(t->s[i]);
		seen[2] |= is_digit(t->s[i]) || t->s[i] == '=';
	}
	if (end - from < 8 || !seen[0] || !seen[1] || !seen[2])
		return nothing;
	return (struct span){ from, end };
}

#define BOT_DIGITS_MIN 6
#define BOT_DIGITS_MAX 12
#define BOT_SECRET_LEN 35

/* A chat bot's token: its number, a colon, 35 characters. */
static struct span match_numbered_bot(const struct text *t, size_t at)
{
	size_t from = at;
	bool has_digit;
	size_t end;

	while (from < t->len && from - at <= BOT_DIGITS_MAX && is_digit(t->s[from]))
		from++;
	if (from - at < BOT_DIGITS_MIN || from - at > BOT_DIGITS_MAX || from >= t->len ||
	    t->s[from] != ':')
		return nothing;
	end = token_end(t, from + 1, "-_", &has_digit);
	return end - from - 1 == BOT_SECRET_LEN ? (struct span){ from + 1, end } : nothing;
}

/* Three parts of base64 with dots: who, when, proof. */
static struct span match_dotted_bot(const struct text *t, size_t at)
{
	bool has_digit;
	size_t who;
	size_t when;
	size_t proof;

	if (!strchr("MNO", t->s[at]))
		return nothing;
	who = token_end(t, at, "", &has_digit);
	if (who - at < 23 || who - at > 28 || who >= t->len || t->s[who] != '.')
		return nothing;
	when = token_end(t, who + 1, "-_", &has_digit);
	if (when - who != 7 || when >= t->len || t->s[when] != '.')
		return nothing;
	proof = token_end(t, when + 1, "-_", &has_digit);
	return proof - when > 27 ? (struct span){ at, proof } : nothing;
}

struct span match_bot(const struct text *t, size_t at)
{
	/* "https://api.../bot123456:..." has the number behind a word. */
	bool behind_bot = at >= 3 && memcmp(t->s + at - 3, "bot", 3) == 0;

	if (is_digit(t->s[at]) && (starts_word(t, at) || behind_bot))
		return match_numbered_bot(t, at);
	return starts_word(t, at) ? match_dotted_bot(t, at) : nothing;
}

/* Addresses that are themselves the secret: what stands behind the path is known to nobody else. */
struct span match_hook(const struct text *t, size_t at)
{
	static const char *const paths[] = {
		"hooks.slack.com/services/",     "hooks.slack.com/workflows/",
		"discord.com/api/webhooks/",     "discordapp.com/api/webhooks/",
		"webhook.office.com/webhookb2/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		size_t n = prefix_len(t, at, paths[i]);
		bool ignored;
		size_t end = n ? token_end(t, at + n, "-_/@", &ignored) : 0;

		if (end > at + n)
			return (struct span){ at + n, end };
	}
	return nothing;
}
