/* SPDX-License-Identifier: MIT */
/* What the files behind the public interface share.  Internal to this module. */
#ifndef PINFOLD_SESSION_API_H
#define PINFOLD_SESSION_API_H

#include "policy/context.h"
#include "policy/handle.h"

struct pinfold_error;
struct session;

/* Reads a policy file and bounds it by the site's policy, as it is now.  policy_done() it. */
int session_read_policy(const struct context *c, const char *path, struct policy *ret,
			struct pinfold_error *e);

/* Makes a handle of a policy, bounded by the site's.  What take holds is taken over, also on
 * failure. pinfold_policy_free() it. */
int session_policy_handle(struct policy *take, struct pinfold_policy **ret,
			  struct pinfold_error *e);

/* Every descriptor absent, nothing to free. */
void session_init(struct session *s, const struct pinfold_policy *p);

/* The whole life of a session.  Calls session_done(). */
int session_run(struct session *s, int *ret_status, struct pinfold_error *e);

#endif
