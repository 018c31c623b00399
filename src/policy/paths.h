/* SPDX-License-Identifier: MIT */
/*
 * Effective rights of a path: the longest matching grant, then denies on top.
 *
 * Who wins, in order:
 *  1. a deny of the policy, of the system set or of the sensitive set, however long the grant is;
 *     patterns count too, but not where only the system set grants the path;
 *  2. the longest grant.  Denies that yield (struct path_rule) compete here as grants do.  Between
 *     two of the same path the narrower one wins; the system set loses to everything;
 *  3. nothing matches: deny.
 *
 * Whole homes of other accounts: denied, unless the home holds the home of the launcher, of the
 * identity or of the workspace's owner, or the system set's directories, or a grant is that very
 * home.  When a grant (the workspace counts) names something inside, that holds and the rest of the
 * home stays denied.  A sensitive name that the workspace, lane or HOME lies inside (a gateway's
 * workspace below ~/.openclaw) yields in the same way; any other grant inside one is denied.
 *
 * A private HOME (no identity.home) is not in the set: it starts empty and ends with the session.
 */
#ifndef PINFOLD_POLICY_PATHS_H
#define PINFOLD_POLICY_PATHS_H

#include <stddef.h>

#include "policy/policy.h"

struct pinfold_error;

#define PATH_ORIGIN_SYSTEM "built-in (system)"
#define PATH_ORIGIN_SENSITIVE "built-in (sensitive)"
#define PATH_ORIGIN_HOME "built-in (home)"
#define PATH_ORIGIN_TMP "built-in (tmp)"
#define PATH_ORIGIN_OBSERVE "built-in (observe)" /* shown, not granted */

/* Every rule that holds for a session: the policy's own, the workspace or lane ("workspace
 * (SOURCE)", "lane (SOURCE)"), the identity's home, shared tmp, and the built-in system and
 * sensitive sets; origins say which.  Paths of the system set are real directories or symlinks,
 * as the host has it; some do not exist.  Owns everything in it. */
struct path_set {
	struct path_rule *rule;
	size_t n;
};

/* home is the pen's HOME; it is granted when the policy names it.  Reads the account database for
 * other users' homes, and who owns the workspace.  Rules are lexical: nothing is opened, no
 * symlink is followed.  -ENOMEM; others: the accounts can't be read. */
int path_set_build(const struct policy *p, const struct policy_context *ctx, const char *home,
		   struct path_set *ret, struct pinfold_error *e);

void path_set_done(struct path_set *s);

struct path_judgement {
	enum path_right right;
	const struct path_rule *rule; /* the one that decided; NULL: nothing matches */
};

/* path is absolute, lexically clean, symlinks resolved by the caller where it cares. */
struct path_judgement path_set_judge(const struct path_set *s, const char *path);

/* -EINVAL with words when the session may write at path (absolute, symlinks resolved): what names
 * it ("the policy", "the log").  For policy, site, log and socket files. */
int path_set_refuse_writable(const struct path_set *s, const char *path, const char *what,
			     struct pinfold_error *e);

/* Whether a rule is for path: at or below it, or one of the names that its pattern or glob holds
 * for. */
bool path_rule_matches(const struct path_rule *r, const char *path);

/* The order of a walk through the tree: a directory, all below it, then its next sibling.  As
 * strcmp(3). */
int path_order(const char *a, const char *b);

#endif
