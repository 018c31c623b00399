/* SPDX-License-Identifier: MIT */
/*
 * The file fence: a root of its own in a private mount namespace, made of what is granted and of
 * nothing else, and a Landlock domain over it.
 */
#ifndef PINFOLD_FS_FENCE_H
#define PINFOLD_FS_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct path_set;
struct pinfold_error;
struct policy;

/* Who will be inside, and where. */
struct fs_tenant {
	uid_t uid;
	gid_t gid;
	const char *home; /* HOME inside; made as a private directory when not granted */
	bool home_is_private;
	const char *resolv_conf; /* text of /etc/resolv.conf inside */
	/* The set grants what a policy could grant, only to see what is used: nothing is narrowed,
	 * repositories are not held, /tmp is the host's. */
	bool observes;
};

struct fs_fence; /* heap object: many detached mounts and paths */

/* Parent, before the session's namespaces exist: opens every granted path once, clones its mount,
 * compiles the list of mount operations and the Landlock rules.  Refuses what can't be held. */
int fs_fence_new(const struct policy *p, const struct path_set *set, const struct fs_tenant *tenant,
		 struct fs_fence **ret, struct pinfold_error *e);

/* Child, in its new mount and pid namespaces, still root: builds the view and pivots into it.
 * System calls only.  Returns a negative errno; *ret_step is then the number of the failed step,
 * for fs_fence_explain(). */
int fs_fence_enter_view(const struct fs_fence *f, int *ret_step);

/* Child, with no_new_privs set: enters the Landlock domain.  System calls only. */
int fs_fence_enter_domain(const struct fs_fence *f, int *ret_step);

/* Parent: puts a failed step of either enter into words and returns code. */
int fs_fence_explain(const struct fs_fence *f, int step, int code, struct pinfold_error *e);

/* Whether the pen shows the host's path. */
bool fs_fence_shows(const struct fs_fence *f, const char *path);

/* The directory that the command starts in: cwd when it is granted, else the workspace, else /. */
const char *fs_fence_start_dir(const struct fs_fence *f, const char *cwd);

/* Landlock alone, forbidding every file, for helper processes that need none.  no_new_privs is
 * set by the caller.  Returns -errno when the kernel has no Landlock. */
int fs_enter_nothing(void);

/* Writes what the fence does not hold on this kernel's Landlock, separated by commas; false when it
 * holds everything.  Such a fence is made only for a policy that accepts it. */
bool fs_fence_gaps(char *ret, size_t size);

/* The Landlock ABI of this kernel; -errno when there is none. */
int fs_landlock_abi(void);

/* Whether path (as inside) lies in a tree of the host that a rule other than the system set's
 * grants: where patterns hold. */
bool fs_fence_is_guarded(const struct fs_fence *f, const char *path);

/* Which promise of the policy does not hold, where it may degrade; "" for none. */
const char *fs_fence_gap(const struct fs_fence *f);

/* Whether the policy has repositories protected (fs/git.h). */
bool fs_fence_holds_git(const struct fs_fence *f);

/* Whether the tenant observes: the command then waits until every denied name is held. */
bool fs_fence_observes(const struct fs_fence *f);

/* The mount that masks are made of (fs/places.h); it stays attached in the view, out of reach. */
int fs_fence_store(const struct fs_fence *f);

void fs_fence_free(struct fs_fence *f);

#endif
