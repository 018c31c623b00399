/* SPDX-License-Identifier: MIT */
#include "session/look_judge.h"

#include <string.h>

#include "base/clean.h"
#include "fs/git.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "session/calls.h"

#define OWN_MAX 65536

#define WRITES (CALL_WRITE | CALL_MAKE | CALL_REMOVE | CALL_CHANGE)
#define ALL (CALL_LOOK | CALL_READ | CALL_EXEC | WRITES | CALL_SOCKET)

static const char *const tmp_places[] = { "/tmp", "/var/tmp" };

/* What every session sees of /sys (fs/fence.c). */
static const char *const sys_trees[] = {
	"/sys/devices/system/cpu",
	"/sys/devices/system/node",
	"/sys/kernel/mm/transparent_hugepage",
};

static unsigned allowed_by(enum path_right right)
{
	static const unsigned by_right[] = {
		[PATH_DENY] = 0,
		[PATH_RO] = CALL_LOOK | CALL_READ,
		[PATH_ROX] = CALL_LOOK | CALL_READ | CALL_EXEC,
		[PATH_RW] = ALL,
	};

	_Static_assert(ARRAY_SIZE(by_right) == PATH_RW + 1, "bits for every right");
	return by_right[right];
}

static const char *list_for(unsigned missing)
{
	if (missing & CALL_SOCKET)
		return "unixSockets.allow";
	if (missing & WRITES)
		return "filesystem.rw";
	return missing & CALL_EXEC ? "filesystem.rox" : "filesystem.ro";
}

/* The directory that holds path; of "/a" it is "/". */
static void parent_of(const char *path, char ret[static PATH_TEXT_BYTES_MAX + 1])
{
	const char *slash = strrchr(path, '/');
	size_t len = slash && slash != path ? (size_t)(slash - path) : 1;

	if (len > PATH_TEXT_BYTES_MAX)
		len = PATH_TEXT_BYTES_MAX;
	memcpy(ret, path, len);
	ret[len] = '\0';
}

static bool is_own(const struct look_rules *l, const char *path)
{
	for (size_t i = 0; i < l->own.n; i++)
		if (path_is_within(path, l->own.s[i]))
			return true;
	return false;
}

bool look_is_own_place(const struct look_rules *l, const char *clean_path)
{
	return path_is_within(clean_path, "/proc") || path_is_within(clean_path, "/dev") ||
	       (l->home && path_is_within(clean_path, l->home));
}

static const char *tmp_around(const struct look_rules *l, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(tmp_places); i++)
		if (l->policy->fs.tmp == TMP_PRIVATE && path_is_within(path, tmp_places[i]))
			return tmp_places[i];
	return NULL;
}

/* The pen has a directory wherever something below it is granted, or its own, and the symlinks that
 * lead there. */
static bool leads_on(const struct look_rules *l, const struct look_use *u)
{
	const char *path = u->path;

	for (size_t i = 0; i < l->view.n_links; i++)
		if (strcmp(l->view.link[i], path) == 0)
			return true;
	if (!u->is_dir)
		return false;
	if (strcmp(path, "/") == 0 || strcmp(path, "/run") == 0 ||
	    (l->home && path_is_within(l->home, path)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(tmp_places); i++)
		if (l->policy->fs.tmp == TMP_PRIVATE && path_is_within(tmp_places[i], path))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(sys_trees); i++)
		if (path_is_within(sys_trees[i], path))
			return true;
	for (size_t i = 0; i < l->view.set.n; i++) {
		const struct path_rule *r = &l->view.set.rule[i];

		if (r->right != PATH_DENY && path_is_within(r->path, path))
			return true;
	}
	for (size_t i = 0; i < l->view.n_links; i++)
		if (path_is_within(l->view.link[i], path))
			return true;
	return false;
}

/* Where no rule matches: what the session has of its own there. */
static unsigned allowed_without_rule(const struct look_rules *l, const struct look_use *u)
{
	const char *tmp = tmp_around(l, u->path);
	char parent[PATH_TEXT_BYTES_MAX + 1];

	if (look_is_own_place(l, u->path) || (tmp && is_own(l, u->path)))
		return ALL;
	/* A file without a name is opened for writing in its directory's name (O_TMPFILE). */
	if (tmp && strcmp(u->path, tmp) == 0)
		return CALL_LOOK | CALL_READ | CALL_WRITE;
	parent_of(u->path, parent);
	if (tmp && strcmp(parent, tmp) == 0 && u->would_make)
		return ALL;
	for (size_t i = 0; i < ARRAY_SIZE(sys_trees); i++)
		if (path_is_within(u->path, sys_trees[i]))
			return CALL_LOOK | CALL_READ;
	return leads_on(l, u) ? CALL_LOOK : 0;
}

static bool is_allowed_socket(const struct policy *p, const char *path)
{
	for (size_t i = 0; i < p->n_unix_allow; i++)
		if (strcmp(p->unix_allow[i].path, path) == 0)
			return true;
	return false;
}

static void say(struct look_verdict *v, enum look_said said, const char *reason)
{
	v->said = said;
	v->reason = reason;
}

static bool is_shut(const struct look_rules *l, const struct look_use *u, struct look_verdict *v)
{
	struct path_judgement j = path_set_judge(&l->shown.set, u->path);

	if (j.right != PATH_DENY || !j.rule)
		return false;
	v->missing = u->need & ~CALL_LOOK;
	/* That a mask is there may be seen. */
	if (!v->missing)
		return true;
	v->rule = j.rule;
	say(v, LOOK_SHUT, "rule");
	return true;
}

/* A name comes and goes in a directory, so that has to be writable as well. */
static unsigned allowed_here(const struct look_rules *l, const struct look_use *u,
			     const struct path_rule **ret_rule)
{
	struct path_judgement j = path_set_judge(&l->view.set, u->path);
	char parent[PATH_TEXT_BYTES_MAX + 1];
	unsigned allowed = j.rule ? allowed_by(j.right) : allowed_without_rule(l, u);

	*ret_rule = j.rule;
	if (!j.rule || !(allowed & u->need & (CALL_MAKE | CALL_REMOVE)))
		return allowed;
	parent_of(u->path, parent);
	if (path_set_judge(&l->view.set, parent).right == PATH_RW ||
	    allowed_without_rule(l, &(struct look_use){ parent, CALL_LOOK, true, false }) == ALL)
		return allowed;
	return allowed & ~(CALL_MAKE | CALL_REMOVE);
}

void look_judge(const struct look_rules *l, const struct look_use *u, struct look_verdict *ret)
{
	unsigned allowed;

	*ret = (struct look_verdict){ .said = LOOK_ALLOWED };
	if (look_is_own_place(l, u->path))
		return;
	if ((u->need & CALL_SOCKET) && is_allowed_socket(l->policy, u->path))
		return;
	if (is_shut(l, u, ret))
		return;
	allowed = allowed_here(l, u, &ret->rule);
	ret->missing = u->need & ~allowed;
	if (ret->missing) {
		ret->list = list_for(ret->missing);
		say(ret, LOOK_WOULD_DENY,
		    u->need & CALL_SOCKET ? "unix"
		    : ret->rule           ? "rule"
					  : "unmatched");
		return;
	}
	if ((u->need & WRITES) && ret->rule && l->policy->fs.protect_git && !is_own(l, u->path) &&
	    git_path_is_held(u->path)) {
		ret->missing = u->need & WRITES;
		say(ret, LOOK_WOULD_DENY, "protectGit");
	}
}

int look_note_made(struct look_rules *l, const char *path, bool is_dir)
{
	const char *tmp = tmp_around(l, path);
	char parent[PATH_TEXT_BYTES_MAX + 1];

	parent_of(path, parent);
	if (!is_dir && !(tmp && strcmp(parent, tmp) == 0))
		return 0;
	if (l->own.n >= OWN_MAX || is_own(l, path))
		return 0;
	return list_add(&l->own, path);
}

void look_rules_done(struct look_rules *l)
{
	why_view_done(&l->view);
	why_view_done(&l->shown);
	list_done(&l->own);
	l->policy = NULL;
}
