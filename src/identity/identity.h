/* SPDX-License-Identifier: MIT */
/* Who the command is: uid, gid, environment, and nothing inherited. */
#ifndef PINFOLD_IDENTITY_IDENTITY_H
#define PINFOLD_IDENTITY_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pinfold_error;
struct policy;
struct policy_context;

struct identity {
	uid_t uid;
	gid_t gid;
	char *home;
	bool home_is_private; /* not the policy's: made for the session, gone with it */
	char **env;           /* NULL-terminated; what the command sees */
	const char *path;     /* borrowed from env */
};

/* Resolves uid and gid (under sudo, SUDO_UID and SUDO_GID; else the policy's or the default) and
 * builds the environment from nothing.  Refuses uid 0.  session is PINFOLD_SESSION's value. */
int identity_prepare(struct identity *id, const struct policy *p, const struct policy_context *ctx,
		     const char *session, struct pinfold_error *e);

/* Child: a session keyring of its own, no supplementary groups, gid, uid, empty capability and
 * bounding sets, no_new_privs, no core dumps.  System calls only.  Returns -errno. */
int identity_enter(const struct identity *id);

/* The same for a helper process that needs nothing but an uid of its own. */
int identity_enter_helper(uid_t uid, gid_t gid);

/* Child: closes every descriptor but 0-2 and keep[0..n), which is sorted.  Opens /dev/null where
 * 0-2 are closed. */
int identity_close_fds(const int *keep, size_t n);

/* Parent: refuses descriptors that would pass a fence: an inet socket as 0-2 or in keep. */
int identity_check_fds(const int *keep, size_t n, struct pinfold_error *e);

void identity_done(struct identity *id);

#endif
