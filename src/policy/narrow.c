/* SPDX-License-Identifier: MIT */
#include "policy/narrow.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/env.h"
#include "policy/parse.h"
#include "policy/read.h"

bool policy_gives(const struct policy *p, enum member_id id)
{
	return (p->given & UINT64_C(1) << id) != 0;
}

int narrow_fail(const struct narrowing *n, const char *wider, const char *origin,
		const char *ceiling)
{
	return err_set(n->e, -EPERM, "'%.60s' of %.80s is wider than %s of %.60s", wider, origin,
		       ceiling, n->site->source);
}

static bool is_wider(enum member_order order, unsigned p, unsigned site)
{
	switch (order) {
	case ORDER_LOW:
		return p > site;
	case ORDER_HIGH:
		return p < site;
	case ORDER_LIMIT:
		return site != POLICY_NO_LIMIT && (p == POLICY_NO_LIMIT || p > site);
	case ORDER_NONE:
		break;
	}
	return false;
}

static bool is_plain(const struct member *m)
{
	return m->kind == KIND_BOOL || m->kind == KIND_NUMBER || m->kind == KIND_WORD;
}

static int narrow_plain(const struct narrowing *n)
{
	for (int id = 0; id < M_MAX; id++) {
		const struct member *m = schema_member((enum member_id)id);
		bool own = policy_gives(n->p, (enum member_id)id);
		unsigned site;
		bool wider;

		if (!is_plain(m) || !policy_gives(n->site, (enum member_id)id))
			continue;
		site = member_value(m, n->site);
		wider = is_wider(m->order, member_value(m, n->p), site);
		if (own && wider)
			return narrow_fail(n, m->name, n->p->source, m->name);
		if (!own && (wider || m->order == ORDER_NONE))
			member_set_value(m, n->p, site);
	}
	return 0;
}

static void lower(uint64_t *value, uint64_t site)
{
	if (site != POLICY_NO_LIMIT && (*value == POLICY_NO_LIMIT || *value > site))
		*value = site;
}

static void narrow_limits(const struct narrowing *n)
{
	const struct limits_policy *site = &n->site->limits;
	struct limits_policy *l = &n->p->limits;
	uint64_t cpu = l->cpu_percent;

	if (policy_gives(n->site, M_LIMITS_PIDS))
		lower(&l->pids, site->pids);
	lower(&l->memory, site->memory);
	lower(&cpu, site->cpu_percent);
	lower(&l->timeout_ms, site->timeout_ms);
	l->cpu_percent = (unsigned)cpu;
}

static bool list_has(const struct string_list *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->s[i], s) == 0)
			return true;
	return false;
}

static int check_list(const struct narrowing *n, enum member_id id, const struct string_list *p,
		      const struct string_list *site)
{
	for (size_t i = 0; policy_gives(n->site, id) && i < p->n; i++)
		if (!list_has(site, p->s[i]))
			return narrow_fail(n, p->s[i], n->p->source, schema_member(id)->name);
	return 0;
}

static int check_env(const struct narrowing *n)
{
	const struct identity_policy *site = &n->site->identity;
	const struct string_list *keep = &n->p->identity.keep_env;

	for (size_t i = 0; policy_gives(n->site, M_ID_KEEP) && i < keep->n; i++)
		if (!list_has(&site->keep_env, keep->s[i]) &&
		    (strchr(keep->s[i], '*') || !env_is_kept(site, keep->s[i])))
			return narrow_fail(n, keep->s[i], n->p->source, "identity.keepEnv");
	return 0;
}

/* Takes the site's text where p gives none; where both do, they must be the same. */
static int take_text(const struct narrowing *n, enum member_id id, char **p, const char *site)
{
	const char *name = schema_member(id)->name;
	char *copy;

	if (!policy_gives(n->site, id) || (*p && strcmp(*p, site) == 0))
		return 0;
	if (policy_gives(n->p, id))
		return narrow_fail(n, name, n->p->source, name);
	copy = strdup(site);
	if (!copy)
		return -ENOMEM;
	free(*p);
	*p = copy;
	return 0;
}

static int take_uid(const struct narrowing *n)
{
	const struct identity_policy *site = &n->site->identity;
	struct identity_policy *id = &n->p->identity;
	bool same = id->choice == site->choice && id->uid == site->uid && id->gid == site->gid;

	if (!policy_gives(n->site, M_ID_UID) || same)
		return 0;
	if (policy_gives(n->p, M_ID_UID))
		return narrow_fail(n, "identity.uid", n->p->source, "identity.uid");
	id->choice = site->choice;
	id->uid = site->uid;
	id->gid = site->gid;
	return 0;
}

static int check_degrade(const struct narrowing *n)
{
	if (!policy_gives(n->site, M_UNAVAILABLE) || !n->p->degrade || n->site->degrade)
		return 0;
	return narrow_fail(n, "onUnavailable", n->p->source, "onUnavailable");
}

static int narrow_rest(struct narrowing *n)
{
	struct policy *p = n->p;
	const struct policy *site = n->site;
	int rc = take_uid(n);

	if (rc == 0)
		rc = check_degrade(n);
	if (rc == 0)
		rc = check_env(n);
	if (rc == 0)
		rc = check_list(n, M_SECCOMP_FAMILIES, &p->seccomp.families,
				&site->seccomp.families);
	if (rc == 0)
		rc = check_list(n, M_AUDIT_QUIET, &p->audit.quiet, &site->audit.quiet);
	if (rc == 0)
		rc = take_text(n, M_AUDIT_PATH, &p->audit.path, site->audit.path);
	/* PATH is no fence: a policy may set its own. */
	if (rc == 0 && !policy_gives(p, M_ID_PATH))
		rc = take_text(n, M_ID_PATH, &p->identity.path, site->identity.path);
	return rc;
}

int policy_narrow(struct policy *p, const struct policy *site, struct pinfold_error *e)
{
	struct narrowing n = { .p = p, .site = site, .e = e };
	int rc = narrow_plain(&n);

	narrow_limits(&n);
	if (rc == 0)
		rc = narrow_net(&n);
	if (rc == 0)
		rc = narrow_fs(&n);
	if (rc == 0)
		rc = narrow_rest(&n);
	return rc == -ENOMEM ? err_set(e, rc, "out of memory") : rc;
}
