/* SPDX-License-Identifier: MIT */
/* Grants and denies of files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/accounts.h"
#include "policy/path_text.h"
#include "policy/policy.h"
#include "review/lint.h"

#define TEXT_MAX 512
#define PASSWD "/etc/passwd"

static const struct {
	const char *path;
	enum path_right from; /* this right and wider ones */
	const char *what;
} BROAD[] = {
	{ "/", PATH_RO, "everything on this host" },
	{ "/home", PATH_RO, "the homes of all accounts" },
	{ "/root", PATH_RO, "the home of root" },
	{ "/var", PATH_RO, "logs, databases and mail of the whole host" },
	{ "/run", PATH_RO, "the sockets and secrets of the host's services" },
	{ "/proc", PATH_RO, "what the kernel tells of every process" },
	{ "/sys", PATH_RW, "the kernel's own settings" },
	{ "/dev", PATH_RO, "every device" },
	{ "/boot", PATH_RW, "the kernel that starts next" },
	{ "/etc", PATH_RW, "the configuration of the whole host" },
	{ "/usr", PATH_RW, "programs that others run" },
	{ "/usr/local", PATH_RW, "programs that others run" },
	{ "/opt", PATH_RW, "programs that others run" },
	{ "/bin", PATH_RW, "programs that others run" },
	{ "/sbin", PATH_RW, "programs that others run" },
	{ "/lib", PATH_RW, "libraries that others run" },
	{ "/srv", PATH_RW, "the data of every service" },
	{ "/mnt", PATH_RW, "every file system that is mounted there" },
	{ "/media", PATH_RW, "every file system that is mounted there" },
};

static void check_broad(struct lint *l, const struct path_rule *r, const struct lint_entry *at)
{
	const char *home = l->context->home;
	char reason[TEXT_MAX];

	if (home && strcmp(home, "/") != 0 && path_is_within(home, r->path)) {
		snprintf(reason, sizeof(reason),
			 "the whole home %.200s lies inside: keys, histories, start files", home);
		lint_tell(l, LINT_TOO_BROAD, at, LINT_BY_HAND, reason,
			  "grant the directories that are needed");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(BROAD); i++) {
		if (strcmp(BROAD[i].path, r->path) != 0 || r->right < BROAD[i].from)
			continue;
		snprintf(reason, sizeof(reason), "the grant holds %s", BROAD[i].what);
		lint_tell(l, LINT_TOO_BROAD, at, LINT_BY_HAND, reason,
			  "grant the directories inside that are needed");
		return;
	}
}

/* The rule of the built set that an entry of the policy became. */
static size_t index_of(const struct lint *l, const struct path_rule *r)
{
	for (size_t i = 0; i < l->paths.n; i++)
		if (l->paths.rule[i].right == r->right && l->paths.rule[i].pattern == r->pattern &&
		    strcmp(l->paths.rule[i].path, r->path) == 0 &&
		    strcmp(l->paths.rule[i].origin, r->origin) == 0)
			return i;
	return l->paths.n;
}

/* What would hold at the path without the rule: all built-in rules follow from the others, too. */
static int judge_without(const struct lint *l, size_t i, struct path_set *ret_set,
			 struct path_judgement *ret)
{
	struct policy p = *l->policy;
	const struct path_rule *r = &l->policy->fs.rule[i];
	auto_free struct path_rule *rules = calloc(p.fs.n + 1, sizeof(*rules));
	int rc;

	if (!rules)
		return -ENOMEM;
	memcpy(rules, p.fs.rule, i * sizeof(*rules));
	memcpy(rules + i, p.fs.rule + i + 1, (p.fs.n - i - 1) * sizeof(*rules));
	p.fs.rule = rules;
	p.fs.n--;
	rc = path_set_build(&p, l->context, p.identity.home, ret_set, NULL);
	if (rc == 0)
		*ret = path_set_judge(ret_set, r->path);
	return rc;
}

static bool is_system(const struct path_rule *r)
{
	return strcmp(r->origin, PATH_ORIGIN_SYSTEM) == 0;
}

/* Whether another grant of the same right may hold the path: only then is it worth to look. */
static bool has_wider_grant(const struct lint *l, size_t self)
{
	const struct path_rule *r = &l->paths.rule[self];

	for (size_t k = 0; k < l->paths.n; k++) {
		const struct path_rule *c = &l->paths.rule[k];

		if (k != self && c->right == r->right && !c->pattern && !c->glob &&
		    path_is_within(r->path, c->path))
			return true;
	}
	return false;
}

/* Patterns hold inside a grant of the policy, and not where the system set alone grants: with the
 * system set behind it, a grant that says nothing new still closes something. */
static int check_redundant(struct lint *l, size_t i, const struct lint_entry *at, bool *ret)
{
	const struct path_rule *r = &l->policy->fs.rule[i];
	const size_t self = index_of(l, r);
	struct path_set without = { 0 };
	struct path_judgement j = { 0 };
	char reason[TEXT_MAX];
	int rc;

	*ret = false;
	if (self == l->paths.n || !has_wider_grant(l, self))
		return 0;
	rc = judge_without(l, i, &without, &j);
	if (rc == 0 && j.rule && j.right == r->right && !is_system(j.rule)) {
		snprintf(reason, sizeof(reason), "'%.200s' (%.200s) grants it already",
			 j.rule->text ? j.rule->text : j.rule->path, j.rule->origin);
		lint_tell(l, LINT_REDUNDANT, at, LINT_REMOVE, reason, "remove the entry");
		*ret = true;
	}
	path_set_done(&without);
	return rc;
}

static bool check_shadowed(struct lint *l, const struct path_rule *r, const struct lint_entry *at)
{
	const struct path_judgement j = path_set_judge(&l->paths, r->path);
	char reason[TEXT_MAX];

	if (j.right != PATH_DENY || !j.rule)
		return false;
	snprintf(reason, sizeof(reason), "'%.200s' (%.200s) denies it, and denies win",
		 j.rule->text ? j.rule->text : j.rule->path, j.rule->origin);
	/* A pattern would let go of it where the system set grants it as well. */
	lint_tell(l, LINT_SHADOWED, at, j.rule->pattern ? LINT_BY_HAND : LINT_REMOVE, reason,
		  "remove the entry; or the deny, if the grant was meant");
	return true;
}

static int check_grant(struct lint *l, size_t i)
{
	const struct path_rule *r = &l->policy->fs.rule[i];
	const struct lint_entry at = { r->text, r->origin };
	bool redundant = false;
	int rc;

	if (check_shadowed(l, r, &at))
		return 0;
	rc = check_redundant(l, i, &at, &redundant);
	if (rc == 0 && !redundant)
		check_broad(l, r, &at);
	return rc;
}

/* ---- denies --------------------------------------------------------------------------------- */

/* A deny of the policy's own that says the same, or more; of two equal ones the first stays. */
static const struct path_rule *find_wider_deny(const struct lint *l, size_t i)
{
	const struct fs_policy *fs = &l->policy->fs;
	const struct path_rule *r = &fs->rule[i];

	for (size_t k = 0; k < fs->n; k++) {
		const struct path_rule *c = &fs->rule[k];
		const bool same = strcmp(c->path, r->path) == 0;

		if (k == i || c->right != PATH_DENY || c->pattern != r->pattern ||
		    !lint_is_own(l, c->origin))
			continue;
		if (same ? k < i : !r->pattern && path_is_within(r->path, c->path))
			return c;
	}
	return NULL;
}

/* Does a grant hold the path, or lie inside it?  A pattern is for every granted tree. */
static bool deny_binds(const struct lint *l, const struct path_rule *r)
{
	for (size_t k = 0; k < l->paths.n; k++) {
		const struct path_rule *c = &l->paths.rule[k];

		if (c->right == PATH_DENY)
			continue;
		if (r->pattern
			? !is_system(c)
			: path_is_within(r->path, c->path) || path_is_within(c->path, r->path))
			return true;
	}
	return false;
}

static void check_deny(struct lint *l, size_t i)
{
	const struct path_rule *r = &l->policy->fs.rule[i];
	const struct path_rule *wider = find_wider_deny(l, i);
	const struct lint_entry at = { r->text, r->origin };
	char reason[TEXT_MAX];

	if (wider) {
		snprintf(reason, sizeof(reason), "'%.200s' (%.200s) denies it already", wider->text,
			 wider->origin);
		lint_tell(l, LINT_REDUNDANT, &at, LINT_REMOVE, reason, "remove the entry");
	} else if (!deny_binds(l, r)) {
		lint_tell(l, LINT_DENY_UNBOUND, &at, LINT_BY_HAND,
			  "no grant holds it: what is not granted does not exist inside",
			  "remove it, or mend its spelling if it was to bind");
	}
}

/* ---- the workspace -------------------------------------------------------------------------- */

/* The first home that lies in dir, or NULL. */
static const char *home_inside(const struct lint *l, const struct accounts *a, const char *dir)
{
	const char *home = l->context->home;

	if (home && strcmp(home, "/") != 0 && path_is_within(home, dir))
		return home;
	for (size_t i = 0; i < a->n; i++)
		if (path_is_within(a->home[i], dir))
			return a->home[i];
	return NULL;
}

/* An account made for the agent may have its home for a workspace. */
static int check_workspace(struct lint *l)
{
	const struct policy *p = l->policy;
	struct accounts a = { 0 };
	char reason[TEXT_MAX];
	const char *home;
	int r;

	if (p->workspace_access == WORKSPACE_NONE)
		return 0;
	r = accounts_read(PASSWD, &a);
	home = r == 0 ? home_inside(l, &a, p->workspace) : NULL;
	if (home) {
		snprintf(reason, sizeof(reason),
			 "the home %.200s lies in the workspace %.200s: start files in it run as "
			 "its owner at the next login",
			 home, p->workspace);
		lint_tell_member(l, LINT_HOME_WORKSPACE, M_WORKSPACE, LINT_BY_HAND, reason,
				 "give the agent a directory of its own below it");
	}
	accounts_done(&a);
	return r;
}

static void check_lane(struct lint *l)
{
	const struct policy *p = l->policy;

	if (p->lane && p->workspace_access == WORKSPACE_NONE)
		lint_tell_member(l, LINT_UNUSED_LANE, M_LANE, LINT_BY_HAND,
				 "there is no workspace that the lane could be a part of",
				 "grant the workspace, or remove the lane");
	else if (p->lane && !p->fence_to_lane)
		lint_tell_member(l, LINT_UNUSED_LANE, M_LANE, LINT_BY_HAND,
				 "without fenceToLane the lane keeps nothing in: the whole "
				 "workspace is open",
				 "add \"fenceToLane\": true, or remove the lane");
	else if (!p->lane && p->fence_to_lane)
		lint_tell_member(l, LINT_UNUSED_LANE, M_FENCE_TO_LANE, LINT_BY_HAND,
				 "there is no lane to be fenced to: the whole workspace is open",
				 "name the lane, or remove fenceToLane");
}

static void check_files_named(struct lint *l)
{
	const struct {
		const char *path;
		enum member_id id;
		const char *reason;
	} FILES[] = {
		{ l->policy->source, M_VERSION,
		  "a session may write the policy's own file: it will not start" },
		{ l->policy->audit.path, M_AUDIT_PATH,
		  "a session may write its own record: it will not start" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(FILES); i++) {
		auto_free char *real = FILES[i].path ? realpath(FILES[i].path, NULL) : NULL;
		const char *path = real ? real : FILES[i].path;
		struct pinfold_error e;

		if (path && path[0] == '/' &&
		    path_set_refuse_writable(&l->paths, path, "it", &e) < 0)
			lint_tell_member(l, LINT_WRITABLE_POLICY, FILES[i].id, LINT_BY_HAND,
					 FILES[i].reason,
					 "move the file out of every tree that is granted rw");
	}
}

static void check_switches(struct lint *l)
{
	const struct fs_policy *fs = &l->policy->fs;

	if (!fs->sensitive)
		lint_tell_member(l, LINT_SENSITIVE_OFF, M_FS_SENSITIVE, LINT_REMOVE,
				 "keys, tokens and browser profiles are readable wherever a grant "
				 "holds them",
				 "remove it: the set is on by default; grant the one file that is "
				 "needed from elsewhere");
	if (!fs->protect_git)
		lint_tell_member(l, LINT_GIT_UNPROTECTED, M_FS_PROTECT_GIT, LINT_REMOVE,
				 "a hook or an alias planted in a repository runs as whoever uses "
				 "git there next",
				 "remove it: it is on by default");
	if (fs->tmp == TMP_SHARED)
		lint_tell_member(l, LINT_SHARED_TMP, M_FS_TMP, LINT_REMOVE,
				 "files and sockets of other programs in /tmp are in reach",
				 "remove it: the session has a /tmp of its own by default");
}

int lint_files(struct lint *l)
{
	int r = check_workspace(l);

	for (size_t i = 0; i < l->policy->fs.n && r == 0; i++) {
		if (!lint_is_own(l, l->policy->fs.rule[i].origin))
			continue;
		if (l->policy->fs.rule[i].right == PATH_DENY)
			check_deny(l, i);
		else
			r = check_grant(l, i);
	}
	check_lane(l);
	check_files_named(l);
	check_switches(l);
	return r;
}
