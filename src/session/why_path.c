/* SPDX-License-Identifier: MIT */
/* Questions about paths and unix sockets. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/git.h"
#include "pinfold.h"
#include "policy/paths.h"
#include "session/api.h"
#include "session/why.h"
#include "session/why_plan.h"
#include "session/why_view.h"

/* Places that every session has for itself, and what it may do there. */
static const struct {
	const char *path;
	enum path_right right;
	bool is_tree;
	bool is_tmp; /* only with "tmp": "private" */
} PRIVATE[] = {
	{ "/tmp", PATH_RW, true, true },           { "/var/tmp", PATH_RW, true, true },
	{ "/dev/shm", PATH_RW, true, false },      { "/dev/null", PATH_RW, false, false },
	{ "/dev/zero", PATH_RW, false, false },    { "/dev/full", PATH_RW, false, false },
	{ "/dev/tty", PATH_RW, false, false },     { "/dev/random", PATH_RW, false, false },
	{ "/dev/urandom", PATH_RW, false, false }, { "/dev/pts", PATH_RW, true, false },
	{ "/proc/sys", PATH_RO, true, false },     { "/proc", PATH_RO, true, false },
};

static bool lies_in(const char *path, const char *tree)
{
	size_t n = strlen(tree);

	return strncmp(path, tree, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* PATH_DENY: no such place. */
static enum path_right right_in_private(const struct policy *p, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(PRIVATE); i++) {
		if (PRIVATE[i].is_tmp && p->fs.tmp != TMP_PRIVATE)
			continue;
		if (PRIVATE[i].is_tree ? lies_in(path, PRIVATE[i].path)
				       : strcmp(path, PRIVATE[i].path) == 0)
			return PRIVATE[i].right;
	}
	return PATH_DENY;
}

static bool right_allows(enum path_right right, enum pinfold_question q)
{
	switch (right) {
	case PATH_RW:
		return true;
	case PATH_ROX:
		return q == PINFOLD_WHY_READ || q == PINFOLD_WHY_EXEC;
	case PATH_RO:
		return q == PINFOLD_WHY_READ;
	case PATH_DENY:
		break;
	}
	return false;
}

/* The path as the kernel would see it: symlinks resolved as far as it exists. */
static int real_path(const struct context *c, const char *subject, char ret[static PATH_MAX],
		     struct pinfold_error *e)
{
	char full[PATH_MAX];
	char rest[PATH_MAX] = "";
	int n = subject[0] == '/' ? snprintf(full, sizeof(full), "%s", subject)
				  : snprintf(full, sizeof(full), "%s/%s", c->cwd, subject);

	if (n < 0 || (size_t)n >= sizeof(full))
		return err_set(e, -EINVAL, "the path is too long");
	while (!realpath(full, ret)) {
		char joined[PATH_MAX];
		char *slash = strrchr(full, '/');

		if (!slash || (errno != ENOENT && errno != ENOTDIR && errno != EACCES))
			return err_set(e, -errno, "cannot resolve '%s': %s", subject,
				       strerror(errno));
		if (strcmp(slash, "/..") == 0 ||
		    snprintf(joined, sizeof(joined), "%s%s", slash, rest) >= (int)sizeof(joined))
			return err_set(e, -EINVAL, "cannot resolve '%s'", subject);
		memcpy(rest, joined, sizeof(rest));
		*slash = '\0';
		if (slash == full)
			memcpy(full, "/", 2);
	}
	if (strcmp(ret, "/") == 0)
		ret[0] = '\0';
	if (strlen(ret) + strlen(rest) >= PATH_MAX)
		return err_set(e, -EINVAL, "the path is too long");
	memcpy(ret + strlen(ret), rest, strlen(rest) + 1);
	if (!ret[0])
		memcpy(ret, "/", 2);
	return 0;
}

static void say_removal(const struct path_rule *deny, struct pinfold_answer *ret)
{
	if (strcmp(deny->origin, PATH_ORIGIN_SYSTEM) == 0)
		why_say(ret->fix,
			"nothing opens it: it is built in; grant a copy of what is needed");
	else if (strcmp(deny->origin, PATH_ORIGIN_SENSITIVE) == 0)
		why_say(ret->fix, "it is built in: grant a copy of what is needed, or set "
				  "filesystem.sensitive to false, which opens all of that set");
	else
		why_say(ret->fix, "remove the entry \"%.300s\" (%.100s)", deny->text, deny->origin);
}

static void answer_path(const struct path_judgement *j, enum pinfold_question q, const char *path,
			struct pinfold_answer *ret)
{
	static const char *const LIST[] = {
		[PINFOLD_WHY_READ] = "ro",
		[PINFOLD_WHY_WRITE] = "rw",
		[PINFOLD_WHY_EXEC] = "rox",
	};

	why_fill(ret, j->rule ? j->rule->text : NULL, j->rule ? j->rule->origin : NULL);
	if (right_allows(j->right, q)) {
		ret->verdict = PINFOLD_ALLOW;
		why_say(ret->reason, "the longest matching entry grants it");
		return;
	}
	ret->verdict = PINFOLD_DENY;
	if (j->rule && j->right == PATH_DENY) {
		bool can_be_planted = q == PINFOLD_WHY_WRITE && access(path, F_OK) < 0;

		why_say(ret->reason, "a deny covers it, and denies always win%s",
			can_be_planted ? "; it does not exist: should it be planted inside, it "
					 "is moved to the quarantine at once"
				       : "");
		say_removal(j->rule, ret);
		return;
	}
	why_say(ret->reason, j->rule ? "the longest matching entry does not grant that"
				     : "nothing grants that path; inside, it does not exist");
	why_say(ret->fix, "add \"%.400s\" to filesystem.%s", path, LIST[q]);
}

/* A private place hides what the host has there: its files are not in it.  False: no such place. */
static bool answer_private(const struct policy *p, enum pinfold_question q, const char *path,
			   struct pinfold_answer *ret)
{
	enum path_right right = right_in_private(p, path);
	bool is_hosts =
	    right == PATH_RW && strncmp(path, "/dev/", 5) != 0 && access(path, F_OK) == 0;

	if (right == PATH_DENY)
		return false;
	if (is_hosts && q != PINFOLD_WHY_WRITE && strcmp(path, "/tmp") != 0 &&
	    strcmp(path, "/var/tmp") != 0) {
		why_say(ret->reason,
			"the session has a private place there, without the host's files");
		why_say(ret->fix, "add \"%.400s\" to filesystem.ro", path);
		return true;
	}
	if (!right_allows(right, q)) {
		why_say(ret->reason,
			"the session has one of its own there, which does not allow that");
		return true;
	}
	ret->verdict = PINFOLD_ALLOW;
	why_say(ret->reason, "the session has a private one of its own");
	return true;
}

/* The tree may hold the file under another name, which a deny covers. */
static void answer_other_name(const struct path_judgement *j, const char *other,
			      struct pinfold_answer *ret)
{
	ret->verdict = PINFOLD_DENY;
	why_fill(ret, j->rule->text, j->rule->origin);
	why_say(ret->reason, "it is another name (hard link) of '%.300s', which a deny covers",
		other);
	say_removal(j->rule, ret);
}

/* What the main repository of a linked worktree lends it.  False: it is not of that. */
static bool answer_worktree(const struct pinfold_policy *p, const struct why_view *v,
			    enum pinfold_question q, const char *path, struct pinfold_answer *ret)
{
	enum path_right right;

	if (!why_plan_grants(p, &v->set, path, &right))
		return false;
	why_fill(ret, "filesystem.protectGit", p->policy.source);
	ret->verdict = right_allows(right, q) ? PINFOLD_ALLOW : PINFOLD_DENY;
	why_say(ret->reason, "it is metadata of the main repository that a linked worktree needs%s",
		ret->verdict == PINFOLD_ALLOW ? "" : ", read-only");
	if (ret->verdict == PINFOLD_DENY)
		why_say(ret->fix, "add \"%.400s\" to filesystem.rw", path);
	return true;
}

static void judge_path(const struct pinfold_policy *p, const struct why_view *v,
		       enum pinfold_question q, const char *path, struct pinfold_answer *ret)
{
	struct path_judgement j = path_set_judge(&v->set, path);
	struct path_judgement other;
	char name[PATH_MAX];

	if (!j.rule && answer_worktree(p, v, q, path, ret))
		return;
	if (!j.rule && answer_private(&p->policy, q, path, ret))
		return;
	answer_path(&j, q, path, ret);
	if (ret->verdict == PINFOLD_ALLOW && why_view_other_name(v, path, name, &other))
		answer_other_name(&other, name, ret);
}

/* What is within reach under its real path is not under one that leads through a hidden symlink. */
static void answer_hidden_link(const struct why_view *v, const char *subject, const char *path,
			       struct pinfold_answer *ret)
{
	char link[PATH_MAX];

	if (ret->verdict != PINFOLD_ALLOW || !why_view_hides_a_link(v, subject, link))
		return;
	ret->verdict = PINFOLD_DENY;
	why_say(ret->reason, "the symlink '%.300s' on the way does not exist inside", link);
	why_say(ret->fix, "name the real path, '%.400s'", path);
}

int why_path(const struct pinfold_policy *p, enum pinfold_question q, const char *subject,
	     struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct why_view view = { 0 };
	char path[PATH_MAX];
	int r = real_path(&p->context, subject, path, e);

	if (r < 0)
		return r;
	r = why_view_build(&p->policy, &p->context.policy, &view, e);
	if (r < 0)
		return r;
	judge_path(p, &view, q, path, ret);
	answer_hidden_link(&view, subject, path, ret);
	if (ret->verdict == PINFOLD_ALLOW && q == PINFOLD_WHY_WRITE && p->policy.fs.protect_git &&
	    ret->rule[0] && git_path_is_held(path)) {
		ret->verdict = PINFOLD_DENY;
		why_fill(ret, "filesystem.protectGit", p->policy.source);
		why_say(ret->reason, "git obeys it, in a repository that exists: it is read-only");
		why_say(ret->fix, "set filesystem.protectGit to false");
	}
	why_view_done(&view);
	return 0;
}

/* ---- unix sockets --------------------------------------------------------------------------- */

/* The socket at path is within reach; it may be asked for by another name. */
static int answer_socket_name(const struct pinfold_policy *p, const char *subject, const char *path,
			      struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct why_view view = { 0 };
	int r;

	if (strcmp(path, subject) == 0)
		return 0;
	r = why_view_build(&p->policy, &p->context.policy, &view, e);
	if (r < 0)
		return r;
	answer_hidden_link(&view, subject, path, ret);
	why_view_done(&view);
	return 0;
}

int why_unix(const struct pinfold_policy *p, const char *subject, struct pinfold_answer *ret,
	     struct pinfold_error *e)
{
	char path[PATH_MAX];
	int r;

	if (subject[0] == '@') {
		ret->verdict = PINFOLD_DENY;
		why_say(ret->reason, "abstract sockets made outside the session are out of reach");
		return 0;
	}
	r = real_path(&p->context, subject, path, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->policy.n_unix_allow; i++) {
		const struct unix_rule *rule = &p->policy.unix_allow[i];

		if (strcmp(rule->path, path) == 0 || strcmp(rule->path, subject) == 0) {
			ret->verdict = PINFOLD_ALLOW;
			why_fill(ret, rule->text, rule->origin);
			why_say(ret->reason, "unixSockets.allow names it");
			return answer_socket_name(p, subject, rule->path, ret, e);
		}
	}
	r = why_path(p, PINFOLD_WHY_WRITE, path, ret, e);
	/* Only a tree that is granted shows the host's sockets; a private place shows none. */
	if (r < 0)
		return r;
	if (ret->verdict == PINFOLD_ALLOW && ret->rule[0])
		return answer_socket_name(p, subject, path, ret, e);
	ret->verdict = PINFOLD_DENY;
	why_say(ret->reason, "only sockets in the session's own writable trees are within reach");
	why_say(ret->fix, "add \"%.400s\" to unixSockets.allow", path);
	return 0;
}
