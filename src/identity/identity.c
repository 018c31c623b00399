/* SPDX-License-Identifier: MIT */
#include "identity/identity.h"

#include <errno.h>
#include <fnmatch.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clean.h"
#include "base/err.h"
#include "identity/env.h"
#include "policy/env.h"
#include "policy/policy.h"

#define ACCOUNT_BUF 16384
#define AUTO_TRIES 64

/* For "uid": "auto": above what systemd gives to containers, below what it reserves for foreign
 * images (systemd's UIDS-GIDS.md), so that no account and no user namespace is there. */
#define AUTO_BASE 1879048192u
#define AUTO_COUNT 268304384u

/* What pinfold sets itself; only LANG may come from outside by a pattern. */
static const char *const own_names[] = { "PATH",    "HOME",  "TMPDIR", "USER",
					 "LOGNAME", "SHELL", "PWD",    "PINFOLD_SESSION" };

/* A decimal id.  0 when there is none: the caller treats that as absent or refuses it. */
static int parse_id(const char *text, uint32_t *ret)
{
	uint64_t v = 0;

	if (!text || !*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		v = v * 10 + (unsigned)(*text - '0');
		if (v >= UINT32_MAX) /* the last value means "unchanged" to setresuid */
			return -ERANGE;
	}
	*ret = (uint32_t)v;
	return 0;
}

/* Whether an account or group has this number.  An unreadable database counts as yes. */
static bool id_is_used(uint32_t n)
{
	char buf[ACCOUNT_BUF];
	struct passwd pw;
	struct passwd *pw_found = NULL;
	struct group gr;
	struct group *gr_found = NULL;

	if (getpwuid_r(n, &pw, buf, sizeof(buf), &pw_found) == ERANGE || pw_found)
		return true;
	return getgrgid_r(n, &gr, buf, sizeof(buf), &gr_found) == ERANGE || gr_found;
}

static int choose_auto(struct identity *id, struct pinfold_error *e)
{
	for (int i = 0; i < AUTO_TRIES; i++) {
		uint32_t n;

		if (getrandom(&n, sizeof(n), 0) != (ssize_t)sizeof(n))
			return err_set(e, -EIO, "no random number for an uid");
		n = AUTO_BASE + n % AUTO_COUNT;
		if (id_is_used(n))
			continue;
		id->uid = n;
		id->gid = n;
		return 0;
	}
	return err_set(e, -EUSERS, "no free uid for \"uid\": \"auto\"; set identity.uid");
}

static int choose_default(struct identity *id, const struct policy_context *ctx,
			  struct pinfold_error *e)
{
	const char *sudo_uid = env_get(ctx->env, "SUDO_UID");
	const char *sudo_gid = env_get(ctx->env, "SUDO_GID");
	uint32_t uid;
	uint32_t gid;

	id->uid = IDENTITY_DEFAULT_ID;
	id->gid = IDENTITY_DEFAULT_ID;
	/* Anyone can set these; only what sudo started runs as root with them. */
	if (getuid() != 0 || !sudo_uid)
		return 0;
	if (parse_id(sudo_uid, &uid) < 0 || parse_id(sudo_gid, &gid) < 0)
		return err_set(
		    e, -EINVAL,
		    "SUDO_UID or SUDO_GID is not a number; set identity.uid in the policy");
	if (uid == 0)
		return 0;
	id->uid = uid;
	id->gid = gid;
	return 0;
}

static int choose_ids(struct identity *id, const struct identity_policy *p,
		      const struct policy_context *ctx, struct pinfold_error *e)
{
	int r = -EINVAL;

	switch (p->choice) {
	case UID_DEFAULT:
		r = choose_default(id, ctx, e);
		break;
	case UID_FIXED:
		id->uid = p->uid;
		id->gid = p->gid;
		r = 0;
		break;
	case UID_AUTO:
		r = choose_auto(id, e);
		break;
	default:
		return err_set(e, -EINVAL, "unknown choice of an uid");
	}
	if (r < 0)
		return r;
	if (id->uid == 0 || id->uid == (uid_t)-1)
		return err_set(e, -EINVAL, "identity.uid: %u is refused: a session is never root",
			       (unsigned)id->uid);
	if (id->gid == 0 || id->gid == (gid_t)-1)
		return err_set(e, -EINVAL,
			       "identity.gid: %u is refused: root's group is no session's; set "
			       "identity.uid and identity.gid",
			       (unsigned)id->gid);
	return 0;
}

static void user_name(uid_t uid, char *ret, size_t size)
{
	char buf[ACCOUNT_BUF];
	struct passwd pw;
	struct passwd *found = NULL;

	/* The default is one that no account has; asking every directory service takes long. */
	if (uid != IDENTITY_DEFAULT_ID && getpwuid_r(uid, &pw, buf, sizeof(buf), &found) == 0 &&
	    found)
		(void)snprintf(ret, size, "%s", found->pw_name);
	else
		(void)snprintf(ret, size, "%u", (unsigned)uid);
}

static int set_base(struct env_list *env, const struct identity *id, const struct policy *p,
		    const struct policy_context *ctx, const char *session)
{
	char user[256];

	user_name(id->uid, user, sizeof(user));

	const char *const base[][2] = {
		{ "PATH", p->identity.path ? p->identity.path : "/usr/local/bin:/usr/bin:/bin" },
		{ "HOME", id->home },
		{ "LANG", "C.UTF-8" },
		/* Without a /tmp, what is there and can be written. */
		{ "TMPDIR", p->fs.tmp == TMP_NONE ? id->home : "/tmp" },
		{ "USER", user },
		{ "LOGNAME", user },
		{ "SHELL", "/bin/sh" },
		{ "PWD", ctx->cwd ? ctx->cwd : "/" },
		{ "PINFOLD_SESSION", session },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(base); i++)
		r = env_set(env, base[i][0], base[i][1]);
	return r;
}

static bool is_own_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++)
		if (strcmp(own_names[i], name) == 0)
			return true;
	return false;
}

/* Keeps one variable of the launcher if a pattern takes it. */
static int keep_match(struct env_list *env, const char *pattern, const char *var)
{
	const char *equals = strchr(var, '=');
	auto_free char *name = equals ? strndup(var, (size_t)(equals - var)) : NULL;

	if (!equals)
		return 0;
	if (!name)
		return -ENOMEM;
	if (!*name || fnmatch(pattern, name, FNM_NOESCAPE) != 0)
		return 0;
	if (env_name_looks_secret(name) || env_name_is_dangerous(name) || is_own_name(name))
		return 0;
	return env_set(env, name, equals + 1);
}

static int keep_one(struct env_list *env, const char *entry, const struct policy_context *ctx,
		    struct pinfold_error *e)
{
	int r = 0;

	if (strchr(entry, '*')) {
		for (const char *const *v = ctx->env; r == 0 && v && *v; v++)
			r = keep_match(env, entry, *v);
		return r;
	}
	if (strcmp(entry, "PINFOLD_SESSION") == 0)
		return err_set(e, -EINVAL, "identity.keepEnv: PINFOLD_SESSION is pinfold's own");
	if (env_name_is_dangerous(entry))
		return err_set(e, -EINVAL,
			       "identity.keepEnv: %s is never taken over from outside; write its "
			       "value in identity.setEnv",
			       entry);

	const char *value = env_get(ctx->env, entry);

	return value ? env_set(env, entry, value) : 0;
}

static int build_env(struct env_list *env, const struct identity *id, const struct policy *p,
		     const struct policy_context *ctx, const char *session, struct pinfold_error *e)
{
	int r = set_base(env, id, p, ctx, session);

	for (size_t i = 0; r == 0 && i < p->identity.keep_env.n; i++)
		r = keep_one(env, p->identity.keep_env.s[i], ctx, e);
	for (size_t i = 0; r == 0 && i < p->identity.n_set_env; i++) {
		const struct env_var *v = &p->identity.set_env[i];

		if (strcmp(v->name, "PINFOLD_SESSION") == 0)
			return err_set(e, -EINVAL,
				       "identity.setEnv: PINFOLD_SESSION is pinfold's own");
		r = env_set(env, v->name, v->value);
	}
	return r;
}

int identity_prepare(struct identity *id, const struct policy *p, const struct policy_context *ctx,
		     const char *session, struct pinfold_error *e)
{
	struct identity out = { .home_is_private = !p->identity.home };
	struct env_list env = { 0 };
	int r = choose_ids(&out, &p->identity, ctx, e);

	if (r < 0)
		return r;
	out.home = strdup(p->identity.home ? p->identity.home : IDENTITY_PRIVATE_HOME);
	if (!out.home)
		return err_set(e, -ENOMEM, "out of memory");
	if (e)
		e->text[0] = '\0';
	r = build_env(&env, &out, p, ctx, session, e);
	if (r < 0) {
		env_done(&env);
		free(out.home);
		if (e && e->text[0])
			return r;
		return err_set(e, r, "cannot build the environment: %s", strerror(-r));
	}
	out.env = env.var;
	out.path = env_get((const char *const *)out.env, "PATH");
	out.files = p->limits.files;
	*id = out;
	return 0;
}

int identity_set_dir(struct identity *id, const char *dir)
{
	struct env_list env = { .var = id->env };
	int r;

	while (env.var && env.var[env.n])
		env.n++;
	r = env_set(&env, "PWD", dir);
	id->env = env.var;
	return r;
}

void identity_done(struct identity *id)
{
	struct env_list env = { .var = id->env };

	while (env.var && env.var[env.n])
		env.n++;
	env_done(&env);
	free(id->home);
	*id = (struct identity){ 0 };
}
