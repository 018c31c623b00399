/* SPDX-License-Identifier: MIT */
/* Effective rights of a path: the longest matching grant, then denies on top. */
#ifndef PINFOLD_POLICY_PATHS_H
#define PINFOLD_POLICY_PATHS_H

#include "policy/policy.h"

struct pinfold_error;

/* Every rule that holds for a session: the policy's own, the workspace or lane, the identity's
 * home, and the built-in system and sensitive sets; origins say which. */
struct path_set {
	struct path_rule *rule;
	size_t n;
};

/* home is the pen's HOME, or NULL.  Reads the account database for other users' homes.  Rules
 * are lexical: nothing is opened. */
int path_set_build(const struct policy *p, const struct policy_context *ctx, const char *home,
		   struct path_set *ret, struct pinfold_error *e);

void path_set_done(struct path_set *s);

struct path_judgement {
	enum path_right right;
	const struct path_rule *rule; /* the one that decided; NULL: nothing matches */
};

/* path is absolute, lexically clean, symlinks resolved by the caller where it cares. */
struct path_judgement path_set_judge(const struct path_set *s, const char *path);

#endif
