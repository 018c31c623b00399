/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/err.h"
#include "policy/path_text.h"
#include "policy/paths.h"

#define PATTERN_START 3 /* bytes of the two stars and the slash */

static size_t count_components(const char *path)
{
	size_t n = 0;

	for (; *path; path += strcspn(path, "/")) {
		path += strspn(path, "/");
		n += *path != '\0';
	}
	return n;
}

/* The bytes of the first n components of path, which starts with a slash. */
static size_t length_of(const char *path, size_t n)
{
	size_t len = 0;

	while (n-- > 0 && path[len])
		len += 1 + strcspn(path + len + 1, "/");
	return len;
}

/* fnmatch on a piece of text; * and ? do not match a slash, and a leading dot is a byte as any. */
static bool piece_matches(const char *pattern, const char *piece, size_t len)
{
	char copy[PATH_TEXT_BYTES_MAX + 1];

	if (len > PATH_TEXT_BYTES_MAX)
		return false;
	memcpy(copy, piece, len);
	copy[len] = '\0';
	return fnmatch(pattern, copy, FNM_PATHNAME) == 0;
}

static bool is_spared(const struct path_rule *r, const char *piece, size_t len)
{
	size_t last = len;

	while (last > 0 && piece[last - 1] != '/')
		last--;
	for (const char *const *x = r->except; x && *x; x++)
		if (strlen(*x) == len - last && memcmp(*x, piece + last, len - last) == 0)
			return true;
	return false;
}

/* Some run of components matches: what lies below it is denied with it. */
static bool pattern_matches(const struct path_rule *r, const char *path)
{
	const char *pattern = r->path + PATTERN_START;
	size_t n = count_components(pattern);
	size_t left = count_components(path);

	for (const char *at = path; *at == '/' && left >= n; left--) {
		size_t len = length_of(at, n);

		if (piece_matches(pattern, at + 1, len - 1) && !is_spared(r, at + 1, len - 1))
			return true;
		at += length_of(at, 1);
	}
	return false;
}

bool path_rule_matches(const struct path_rule *r, const char *path)
{
	if (r->pattern)
		return pattern_matches(r, path);
	if (r->glob)
		return piece_matches(r->path, path, length_of(path, count_components(r->path)));
	return path_is_within(path, r->path);
}

static bool is_system(const struct path_rule *r)
{
	return strcmp(r->origin, PATH_ORIGIN_SYSTEM) == 0;
}

static bool beats(const struct path_rule *r, const struct path_rule *best)
{
	size_t a = strlen(r->path);
	size_t b = best ? strlen(best->path) : 0;

	if (!best || a != b)
		return !best || a > b;
	if (is_system(r) != is_system(best))
		return is_system(best);
	return r->right < best->right;
}

struct path_judgement path_set_judge(const struct path_set *s, const char *path)
{
	const struct path_rule *best = NULL;
	const struct path_rule *deny = NULL;
	const struct path_rule *pattern = NULL;

	for (size_t i = 0; i < s->n && !deny; i++) {
		const struct path_rule *r = &s->rule[i];
		const struct path_rule **hit = r->pattern ? &pattern : &deny;
		bool competes = r->right != PATH_DENY || r->yields;

		if ((!competes && *hit) || !path_rule_matches(r, path))
			continue;
		if (!competes)
			*hit = r;
		else if (beats(r, best))
			best = r;
	}
	if (!deny && pattern && !(best && is_system(best)))
		deny = pattern;
	if (deny)
		return (struct path_judgement){ PATH_DENY, deny };
	return (struct path_judgement){ best ? best->right : PATH_DENY, best };
}

int path_set_refuse_writable(const struct path_set *s, const char *path, const char *what,
			     struct pinfold_error *e)
{
	struct path_judgement j = path_set_judge(s, path);

	if (j.right != PATH_RW)
		return 0;
	return err_set(
	    e, -EINVAL,
	    "%s '%.80s' lies where the session may write: '%.60s', %.60s; keep it outside "
	    "of that",
	    what, path, j.rule->path, j.rule->origin);
}
