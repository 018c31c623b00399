/* SPDX-License-Identifier: MIT */
#include "policy/path_text.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/accounts.h"
#include "policy/policy.h"

static const char PATTERN_START[] = "**/";

/* The component at *at, of *len bytes; *at ends behind it.  False: none is left. */
static bool next_component(const char **at, const char **ret, size_t *len)
{
	*at += strspn(*at, "/");
	*ret = *at;
	*len = strcspn(*at, "/");
	*at += *len;
	return *len > 0;
}

static bool is_dots(const char *c, size_t len, size_t dots)
{
	return len == dots && memcmp(c, "..", dots) == 0;
}

int path_clean(const char *base, const char *path, char **ret)
{
	bool relative = path[0] != '/';
	bool may_climb = relative;
	size_t used = relative ? strlen(base) : 0;
	const char *at = path;
	const char *c;
	size_t len;

	if (used + strlen(path) + 1 > PATH_TEXT_BYTES_MAX)
		return -EINVAL;
	auto_free char *out = malloc(used + strlen(path) + 3);

	if (!out)
		return -ENOMEM;
	memcpy(out, base, used);
	while (used > 0 && out[used - 1] == '/')
		used--;
	while (next_component(&at, &c, &len)) {
		if (is_dots(c, len, 1))
			continue;
		if (is_dots(c, len, 2)) {
			if (!may_climb)
				return -EINVAL;
			while (used > 0 && out[--used] != '/')
				;
			continue;
		}
		may_climb = false;
		out[used++] = '/';
		memcpy(out + used, c, len);
		used += len;
	}
	if (used == 0)
		out[used++] = '/';
	out[used] = '\0';
	*ret = take_ptr(out);
	return 0;
}

static const char *lookup(const struct policy_context *ctx, const char *name, size_t len)
{
	if (len == 4 && memcmp(name, "HOME", 4) == 0)
		return ctx->home;
	if (len == 3 && memcmp(name, "PWD", 3) == 0)
		return ctx->cwd;
	for (const char *const *v = ctx->env; v && *v; v++)
		if (strncmp(*v, name, len) == 0 && (*v)[len] == '=')
			return *v + len + 1;
	return NULL;
}

/* What a leading $VAR stands for.  It must be a clean absolute path: it comes from outside the
 * policy, and must not mean more than it shows. */
static int expand_variable(const char *name, size_t len, const struct policy_context *ctx,
			   char **ret, struct pinfold_error *why)
{
	static const char *const known[] = { "HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "TMPDIR",
					     "PWD" };
	const char *value;
	size_t i = 0;
	int rc;

	while (i < ARRAY_SIZE(known) &&
	       (strlen(known[i]) != len || memcmp(known[i], name, len) != 0))
		i++;
	if (i == ARRAY_SIZE(known))
		return err_set(why, -EINVAL,
			       "'$%.*s' is not one of $HOME $XDG_RUNTIME_DIR $SSH_AUTH_SOCK "
			       "$TMPDIR $PWD",
			       (int)(len < 40 ? len : 40), name);
	value = lookup(ctx, name, len);
	if (!value || value[0] == '\0')
		return err_set(why, -EINVAL, "'$%s' is not set; write the path itself", known[i]);
	if (value[0] != '/' || strpbrk(value, "*?[$~"))
		return err_set(why, -EINVAL, "'$%s' does not hold a plain absolute path", known[i]);
	rc = path_clean("/", value, ret);
	return rc == -EINVAL
		   ? err_set(why, rc, "'$%s' does not hold a plain absolute path", known[i])
		   : rc;
}

static int expand_tilde(const char *name, size_t len, const struct policy_context *ctx, char **ret,
			struct pinfold_error *why)
{
	int rc;

	if (len == 0 && (!ctx->home || ctx->home[0] != '/'))
		return err_set(why, -EINVAL,
			       "'~': the launcher has no home; write the path itself");
	if (len == 0)
		return path_clean("/", ctx->home, ret);
	auto_free char *account = strndup(name, len);

	if (!account)
		return -ENOMEM;
	rc = account_home(account, ret);
	return rc == -ENOENT
		   ? err_set(why, -EINVAL, "'~%.60s': no such account has a home", account)
		   : rc;
}

static bool has_control(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			return true;
	return false;
}

static int check_bytes(const char *text, struct pinfold_error *why)
{
	if (text[0] == '\0')
		return err_set(why, -EINVAL, "an empty path");
	if (strlen(text) > PATH_TEXT_BYTES_MAX)
		return err_set(why, -EINVAL, "a path of more than %d bytes", PATH_TEXT_BYTES_MAX);
	if (has_control(text))
		return err_set(why, -EINVAL, "a control character in a path");
	return 0;
}

int path_expand(const char *text, const char *base, const struct policy_context *ctx, char **ret,
		struct pinfold_error *why)
{
	size_t len = strcspn(text, "/");
	const char *rest = text + len;
	auto_free char *head = NULL;
	auto_free char *joined = NULL;
	int rc = check_bytes(text, why);

	if (rc < 0)
		return rc;
	if (strpbrk(text, "*?["))
		return err_set(why, -EINVAL,
			       "wildcards stand only in 'deny' entries that begin with **/");
	if (strchr(text + 1, '$'))
		return err_set(why, -EINVAL, "'$' stands only at the start of a path");
	if (text[0] == '$')
		rc = expand_variable(text + 1, len - 1, ctx, &head, why);
	else if (text[0] == '~')
		rc = expand_tilde(text + 1, len - 1, ctx, &head, why);
	else
		rest = text;
	if (rc < 0)
		return rc;
	/* Joined, so that ".." can't climb out of what a variable or an account stands for. */
	if (head && asprintf(&joined, "%s/%s", head, rest) < 0)
		return -ENOMEM;
	rc = path_clean(base, head ? joined : rest, ret);
	if (rc == -EINVAL)
		err_set(why, rc, "too long, or '..' behind a name: write the path without it");
	return rc;
}

bool path_is_pattern(const char *text)
{
	return strncmp(text, PATTERN_START, strlen(PATTERN_START)) == 0;
}

int path_pattern(const char *text, char **ret, struct pinfold_error *why)
{
	const char *at = text + strlen(PATTERN_START);
	const char *c;
	size_t len;
	int rc = check_bytes(text, why);

	if (rc < 0)
		return rc;
	if (strpbrk(text, "[]{}\\$~"))
		return err_set(why, -EINVAL, "a pattern knows * and ? only");
	auto_free char *out = malloc(strlen(text) + 2);
	size_t used = strlen("**");

	if (!out)
		return -ENOMEM;
	memcpy(out, PATTERN_START, used);
	while (next_component(&at, &c, &len)) {
		if (is_dots(c, len, 1) || is_dots(c, len, 2) || memmem(c, len, "**", 2))
			return err_set(why, -EINVAL, "'%.*s' can't stand in a pattern", (int)len,
				       c);
		if (strspn(c, "*") == len && at[strspn(at, "/")] == '\0')
			return err_set(why, -EINVAL, "this pattern denies everything");
		out[used++] = '/';
		memcpy(out + used, c, len);
		used += len;
	}
	if (used == strlen("**"))
		return err_set(why, -EINVAL, "nothing stands behind **/");
	out[used] = '\0';
	*ret = take_ptr(out);
	return 0;
}

bool path_is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}
