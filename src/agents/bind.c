/* SPDX-License-Identifier: MIT */
#include "agents/bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "agents/config.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "policy/path_text.h"
#include "policy/sets.h"

#define DOCKER_SOCK "docker.sock"

static const char *const BLOCKED[] = {
	"/etc",  "/private/etc", "/proc", "/sys",     "/dev",
	"/root", "/boot",        "/run",  "/var/run", "/private/var/run",
};

/* Below each home, with what the sensitive set names there. */
static const char *const HOME_SECRETS[] = { ".aws",   ".cargo", ".config", ".docker",
					    ".gnupg", ".netrc", ".npm",    ".ssh" };

static const char *const RESERVED_TARGETS[] = { "/workspace", "/agent" };

/* Unlike the kernel's, ".." goes up whatever the name before it is: what is shown is judged, and
 * then judged again with its symlinks resolved. */
static char *normalise(const char *path)
{
	auto_free char *out = malloc(strlen(path) + 2);
	size_t used = 0;

	if (!out)
		return NULL;
	while (*path) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", 2) == 0) {
			while (used > 0 && out[--used] != '/')
				;
		} else if (n > 0 && !(n == 1 && *path == '.')) {
			out[used++] = '/';
			memcpy(out + used, path, n);
			used += n;
		}
		path += n;
	}
	if (used == 0)
		out[used++] = '/';
	out[used] = '\0';
	return take_ptr(out);
}

/* With the symlinks of its deepest existing ancestor resolved. */
static char *resolve(const char *path)
{
	auto_free char *head = strdup(path);
	size_t len = head ? strlen(head) : 0;

	while (len > 1) {
		auto_free char *real = NULL;
		auto_free char *joined = NULL;

		head[len] = '\0';
		real = realpath(head, NULL);
		if (real &&
		    asprintf(&joined, "%s%s", strcmp(real, "/") == 0 ? "" : real, path + len) < 0)
			return NULL;
		if (joined)
			return normalise(joined);
		while (len > 1 && head[--len] != '/')
			;
	}
	return head ? normalise(path) : NULL;
}

static bool ends_in_docker_sock(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, DOCKER_SOCK) == 0;
}

static bool holds_docker_sock(const char *path)
{
	auto_free char *inside = NULL;

	return asprintf(&inside, "%s/" DOCKER_SOCK, path) >= 0 && access(inside, F_OK) == 0;
}

/* blocked holds path, or the other way round. */
static int meets(const char *path, const char *blocked, struct pinfold_error *why)
{
	if (path_is_within(path, blocked))
		return err_set(why, -EPERM, "it lies in %s", blocked);
	if (path_is_within(blocked, path))
		return err_set(why, -EPERM, "it holds %s", blocked);
	return 0;
}

static int meets_secret(const char *path, const char *home, const char *name,
			const struct bind_world *w, struct pinfold_error *why)
{
	auto_free char *secret = NULL;

	if (asprintf(&secret, "%s/%s", home, name) < 0)
		return err_set(why, -EPERM, "out of memory");
	/* A workspace below ~/.openclaw, say, is the agent's own. */
	if (w->workspace && path_is_within(w->workspace, secret) &&
	    path_is_within(path, w->workspace))
		return 0;
	return meets(path, secret, why);
}

static int judge_home(const char *path, const char *home, const struct bind_world *w,
		      struct pinfold_error *why)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(HOME_SECRETS) && r == 0; i++)
		r = meets_secret(path, home, HOME_SECRETS[i], w, why);
	for (const char *const *name = SENSITIVE_NAMES; *name && r == 0; name++)
		r = meets_secret(path, home, *name, w, why);
	return r;
}

static int judge_homes(const char *path, const struct bind_world *w, struct pinfold_error *why)
{
	int r = 0;

	for (const char *const *home = w->homes; home && *home && r == 0; home++) {
		auto_free char *real = realpath(*home, NULL);

		if (strcmp(*home, "/") == 0)
			continue;
		r = judge_home(path, *home, w, why);
		if (r == 0 && real && strcmp(real, "/") != 0)
			r = judge_home(path, real, w, why);
	}
	return r;
}

static int judge_form(const char *path, const struct bind_world *w, struct pinfold_error *why)
{
	int r = 0;

	if (strcmp(path, "/") == 0)
		return err_set(why, -EPERM, "it holds everything");
	if (ends_in_docker_sock(path) || holds_docker_sock(path))
		return err_set(why, -EPERM,
			       "the engine's socket (" DOCKER_SOCK ") is root on this host");
	for (size_t i = 0; i < ARRAY_SIZE(BLOCKED) && r == 0; i++)
		r = meets(path, BLOCKED[i], why);
	return r < 0 ? r : judge_homes(path, w, why);
}

static bool is_within_resolved(const char *path, const char *dir)
{
	auto_free char *real = dir ? realpath(dir, NULL) : NULL;

	return dir && (path_is_within(path, dir) || (real && path_is_within(path, real)));
}

static bool is_inside(const char *path, const struct bind_world *w)
{
	return is_within_resolved(path, w->workspace) || is_within_resolved(path, w->private_dir);
}

int bind_judge_source(const char *source, const struct bind_world *w, struct pinfold_error *why)
{
	auto_free char *path = NULL;
	auto_free char *real = NULL;
	int r;

	if (source[0] != '/')
		return err_set(why, -EPERM, "the source is no absolute path");
	path = normalise(source);
	real = path ? resolve(path) : NULL;
	if (!real)
		return err_set(why, -EPERM, "out of memory");
	r = judge_form(path, w, why);
	if (r == 0)
		r = judge_form(real, w, why);
	if (r == 0 && !w->allow_external && (!is_inside(path, w) || !is_inside(real, w)))
		r = err_set(why, -EPERM,
			    "it lies outside the workspace; docker."
			    "dangerouslyAllowExternalBindSources would allow that");
	return r;
}

/* ---- entries -------------------------------------------------------------------------------- */

static bool has_option(const char *options, const char *word)
{
	size_t len = strlen(word);

	while (options && *options) {
		size_t n = strcspn(options, ",");

		if (n == len && strncasecmp(options, word, len) == 0)
			return true;
		options += n + (options[n] == ',');
	}
	return false;
}

static int split(const struct json5 *v, struct bind *b, struct pinfold_error *e)
{
	const char *colon = strchr(v->string, ':');
	const char *target = colon ? colon + 1 : "";
	size_t n = strcspn(target, ":");

	if (v->string[0] != '/')
		return agents_fail(v, e, "blocked: the source is no absolute path");
	if (!colon || n == 0)
		return agents_fail(v, e, "SOURCE:TARGET[:OPTIONS] is wanted");
	if (target[0] != '/')
		return agents_fail(v, e, "the target is no absolute path");
	auto_free char *source = strndup(v->string, (size_t)(colon - v->string));
	auto_free char *inside = strndup(target, n);

	b->source = source ? normalise(source) : NULL;
	b->target = inside ? normalise(inside) : NULL;
	b->read_only = has_option(target[n] ? target + n + 1 : NULL, "ro");
	b->from = v;
	return b->source && b->target ? 0 : agents_fail(v, e, "out of memory");
}

int bind_read(const struct json5 *v, const struct bind_world *w, struct bind *ret,
	      struct pinfold_error *e)
{
	struct pinfold_error why = { 0 };
	struct bind b = { 0 };
	int r;

	if (v->type != JSON5_STRING)
		return agents_fail(v, e, "a string is wanted");
	r = split(v, &b, e);
	if (r == 0 && bind_judge_source(b.source, w, &why) < 0)
		r = agents_fail(v, e, "blocked: %s", why.text);
	for (size_t i = 0; i < ARRAY_SIZE(RESERVED_TARGETS) && r == 0; i++)
		if (!w->allow_reserved && path_is_within(b.target, RESERVED_TARGETS[i]))
			r = agents_fail(v, e,
					"blocked: the target lies in %s, which is the pen's own",
					RESERVED_TARGETS[i]);
	if (r < 0) {
		bind_done(&b);
		return r;
	}
	*ret = b;
	return 0;
}

void bind_done(struct bind *b)
{
	free(b->source);
	free(b->target);
	*b = (struct bind){ 0 };
}
