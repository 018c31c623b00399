/* SPDX-License-Identifier: MIT */
/* The order of building matters: grants first, since what the sensitive set denies depends on what
 * is granted. */
#include "policy/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/accounts.h"
#include "policy/parse_fs.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "policy/sets.h"

#define PASSWD_FILE "/etc/passwd"

struct builder {
	const struct policy *p;
	struct path_set set;
	struct string_list own; /* homes of the launcher, the identity, the workspace's owner */
	struct accounts others; /* homes of all accounts that may log in, own ones included */
};

/* text NULL: the path itself.  The flags are the caller's to set on the new rule. */
static struct path_rule *add(struct builder *b, enum path_right right, const char *path,
			     const char *text, const char *origin)
{
	struct path_rule *r = grow(&b->set.rule, b->set.n, sizeof(*r));

	if (!r)
		return NULL;
	b->set.n++;
	r->right = right;
	r->path = strdup(path);
	r->text = strdup(text ? text : path);
	r->origin = strdup(origin);
	return r->path && r->text && r->origin ? r : NULL;
}

static int add_policy_rules(struct builder *b)
{
	for (size_t i = 0; i < b->p->fs.n; i++) {
		const struct path_rule *from = &b->p->fs.rule[i];
		struct path_rule *r = add(b, from->right, from->path, from->text, from->origin);

		if (!r)
			return -ENOMEM;
		r->pattern = from->pattern;
	}
	return 0;
}

/* Whether something other than the system set grants a directory above path. */
static bool is_covered(const struct builder *b, const char *path)
{
	for (size_t i = 0; i < b->set.n; i++) {
		const struct path_rule *r = &b->set.rule[i];

		if (r->right != PATH_DENY && strcmp(r->path, path) != 0 &&
		    path_is_within(path, r->path))
			return true;
	}
	return false;
}

/* A deny that yields is only worth having where a grant from above would open the path. */
static int add_yielding(struct builder *b, const char *path, const char *origin)
{
	struct path_rule *r;

	if (!is_covered(b, path))
		return 0;
	r = add(b, PATH_DENY, path, NULL, origin);
	if (r)
		r->yields = true;
	return r ? 0 : -ENOMEM;
}

static int add_workspace(struct builder *b)
{
	static const enum path_right rights[] = {
		[WORKSPACE_NONE] = PATH_DENY, [WORKSPACE_RO] = PATH_RO, [WORKSPACE_RW] = PATH_RW
	};
	const struct policy *p = b->p;
	enum path_right right = rights[p->workspace_access];
	bool fenced = p->fence_to_lane && p->lane && right != PATH_DENY;
	auto_free char *origin = NULL;

	_Static_assert(ARRAY_SIZE(rights) == WORKSPACE_RW + 1, "every access has its right");
	if (asprintf(&origin, "%s (%s)", fenced ? "lane" : "workspace", p->source) < 0)
		return -ENOMEM;
	if (right != PATH_DENY && !add(b, right, fenced ? p->lane : p->workspace, NULL, origin))
		return -ENOMEM;
	return right == PATH_DENY || fenced ? add_yielding(b, p->workspace, origin) : 0;
}

static int add_places(struct builder *b, const char *home)
{
	static const char *const tmp[] = { "/tmp", "/var/tmp" };

	if (home && b->p->identity.home && !add(b, PATH_RW, home, NULL, PATH_ORIGIN_HOME))
		return -ENOMEM;
	for (size_t i = 0; b->p->fs.tmp == TMP_SHARED && i < ARRAY_SIZE(tmp); i++)
		if (!add(b, PATH_RW, tmp[i], NULL, PATH_ORIGIN_TMP))
			return -ENOMEM;
	return 0;
}

static int add_system(struct builder *b)
{
	for (const struct system_entry *s = SYSTEM_SET; b->p->fs.system && s->path; s++) {
		struct path_rule *r = add(b, s->right, s->path, NULL, PATH_ORIGIN_SYSTEM);

		if (!r)
			return -ENOMEM;
		r->glob = s->glob;
	}
	return 0;
}

static bool is_own(const struct builder *b, const char *home)
{
	for (size_t i = 0; i < b->own.n; i++)
		if (strcmp(b->own.s[i], home) == 0)
			return true;
	return false;
}

static int add_own_home(struct builder *b, const char *home)
{
	auto_free char *clean = NULL;
	int rc;

	if (!home || home[0] != '/')
		return 0;
	rc = path_clean("/", home, &clean);
	if (rc < 0)
		return rc == -EINVAL ? 0 : rc;
	return is_own(b, clean) ? 0 : list_add(&b->own, clean);
}

static int add_own_account(struct builder *b, uid_t uid)
{
	auto_free char *home = NULL;
	int rc = account_home_of(uid, &home);

	if (rc == -ENOENT)
		return 0;
	return rc < 0 ? rc : add_own_home(b, home);
}

static int find_homes(struct builder *b, const struct policy_context *ctx)
{
	const struct identity_policy *id = &b->p->identity;
	struct stat st;
	int rc = add_own_home(b, ctx->home);

	if (rc == 0)
		rc = add_own_account(b, ctx->uid);
	if (rc == 0)
		rc = add_own_home(b, id->home);
	if (rc == 0 && id->choice == UID_FIXED)
		rc = add_own_account(b, id->uid);
	if (rc == 0 && stat(b->p->workspace, &st) == 0)
		rc = add_own_account(b, st.st_uid);
	return rc < 0 ? rc : accounts_read(PASSWD_FILE, &b->others);
}

/* Whether the workspace, the lane or HOME lies strictly inside path. */
static bool holds_pen_place(const struct builder *b, const char *path)
{
	const char *const places[] = { b->p->workspace, b->p->lane, b->p->identity.home };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i] && strcmp(places[i], path) != 0 && path_is_within(places[i], path))
			return true;
	return false;
}

static int add_sensitive_names(struct builder *b, const char *home)
{
	for (const char *const *name = SENSITIVE_NAMES; *name; name++) {
		auto_free char *path = NULL;
		int rc = 0;

		if (asprintf(&path, "%s/%s", strcmp(home, "/") == 0 ? "" : home, *name) < 0)
			return -ENOMEM;
		if (holds_pen_place(b, path))
			rc = add_yielding(b, path, PATH_ORIGIN_SENSITIVE);
		else if (!add(b, PATH_DENY, path, NULL, PATH_ORIGIN_SENSITIVE))
			rc = -ENOMEM;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool holds_own_home(const struct builder *b, const char *home)
{
	for (size_t i = 0; i < b->own.n; i++)
		if (path_is_within(b->own.s[i], home))
			return true;
	for (const struct system_entry *s = SYSTEM_SET; s->path; s++)
		if (path_is_within(s->path, home))
			return true;
	return false;
}

enum granted { GRANTED_NOTHING, GRANTED_INSIDE, GRANTED_ITSELF };

static enum granted what_is_granted(const struct builder *b, const char *home)
{
	enum granted found = GRANTED_NOTHING;

	for (size_t i = 0; i < b->set.n; i++) {
		const struct path_rule *r = &b->set.rule[i];

		if (r->right == PATH_DENY || !path_is_within(r->path, home))
			continue;
		if (strcmp(r->path, home) == 0)
			return GRANTED_ITSELF;
		found = GRANTED_INSIDE;
	}
	return found;
}

/* The names inside matter only where the home is not denied as a whole. */
static int add_other_home(struct builder *b, const char *home)
{
	enum granted granted = what_is_granted(b, home);
	bool shared = granted == GRANTED_ITSELF || holds_own_home(b, home);
	int rc;

	if (!shared && granted == GRANTED_NOTHING)
		return add(b, PATH_DENY, home, NULL, PATH_ORIGIN_SENSITIVE) ? 0 : -ENOMEM;
	rc = add_sensitive_names(b, home);
	return rc == 0 && !shared ? add_yielding(b, home, PATH_ORIGIN_SENSITIVE) : rc;
}

static int add_sensitive(struct builder *b)
{
	int rc = 0;

	for (const struct sensitive_pattern *s = SENSITIVE_PATTERNS; s->pattern; s++) {
		struct path_rule *r = add(b, PATH_DENY, s->pattern, NULL, PATH_ORIGIN_SENSITIVE);

		if (!r)
			return -ENOMEM;
		r->pattern = true;
		r->except = s->except;
	}
	for (size_t i = 0; i < b->own.n && rc == 0; i++)
		rc = add_sensitive_names(b, b->own.s[i]);
	for (size_t i = 0; i < b->others.n && rc == 0; i++)
		if (!is_own(b, b->others.home[i]))
			rc = add_other_home(b, b->others.home[i]);
	return rc;
}

static int build(struct builder *b, const struct policy_context *ctx, const char *home)
{
	int rc = add_policy_rules(b);

	if (rc == 0)
		rc = add_places(b, home);
	if (rc == 0)
		rc = add_workspace(b);
	if (rc == 0 && b->p->fs.sensitive)
		rc = find_homes(b, ctx);
	if (rc == 0 && b->p->fs.sensitive)
		rc = add_sensitive(b);
	return rc < 0 ? rc : add_system(b);
}

int path_set_build(const struct policy *p, const struct policy_context *ctx, const char *home,
		   struct path_set *ret, struct pinfold_error *e)
{
	struct builder b = { .p = p };
	int rc = build(&b, ctx, home);

	list_done(&b.own);
	accounts_done(&b.others);
	if (rc < 0) {
		path_set_done(&b.set);
		return err_set(e, rc, "cannot collect the rules for files: %s", strerror(-rc));
	}
	*ret = b.set;
	return 0;
}

void path_set_done(struct path_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		path_rule_done(&s->rule[i]);
	free(s->rule);
	*s = (struct path_set){ 0 };
}

int path_order(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}
