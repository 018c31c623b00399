/* SPDX-License-Identifier: MIT */
/*
 * DOC: The guard: denied names anywhere below a granted tree
 *
 * A mask needs something to be mounted upon.  Names that only a pattern tells, and denied paths
 * that do not exist yet, are the business of a process of its own:
 *
 *  1. It is pid 1 of a pid namespace in which the pen's own is nested.  When it dies, for whatever
 *     reason, the kernel ends the pen.  And whoever acts inside has a pid here, dead or alive,
 *     while everybody else has none: events can't lie about who planted a name.
 *  2. It joins the pen's mount namespace once the view stands, has the kernel report every name
 *     that appears on the file systems of the granted trees, and only then looks at the trees.
 *     What it finds, it masks there.
 *  3. The command is held for a short while at most.  When that is not enough the look goes on
 *     beside it, and until it is over every open in those trees is judged by the guard, and calls
 *     that rename, link, remove or change a file by its path wait (a seccomp listener).
 *  4. Afterwards a name that someone outside makes is masked; one that was made inside is moved
 *     into the quarantine directory and told to the supervisor.
 */
#ifndef PINFOLD_FS_GUARD_H
#define PINFOLD_FS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct clone_args;
struct fs_fence;
struct guard;
struct path_set;
struct pinfold_error;

#define GUARD_PATH_BYTES 4096

/* On a file system whose kernel side can't report names. */
enum guard_strictness { GUARD_REFUSES = 0, GUARD_DEGRADES };

enum guard_word {
	GUARD_NONE = 0,
	GUARD_MASKED,      /* a denied name that appeared while the session ran: path */
	GUARD_QUARANTINED, /* planted by pid, moved from path to moved_to */
	GUARD_REMOVED,     /* planted by pid, could not be moved, so removed */
	GUARD_BLIND,       /* names that appear later below path are not seen: error; degraded */
	GUARD_FAILED,      /* path can't be held: error; the guard ends, and the pen with it */
	GUARD_REPOSITORY,  /* a git repository came into being inside: path; at most 64 are told */
	GUARD_WORDS,
};

struct guard_message {
	enum guard_word word;
	int32_t error; /* negative errno */
	uint32_t lost; /* messages that the supervisor was too slow for, so far */
	char path[GUARD_PATH_BYTES];
	char moved_to[GUARD_PATH_BYTES];
};

/* Whether this kernel reports names to a guard: 0 or -errno. */
int guard_try(void);

/* Parent: starts the guard's process.  set and fence are the session's; quarantine is an absolute
 * path that is made when the first planted name has to go there. */
int guard_new(const struct path_set *set, const struct fs_fence *fence, const char *quarantine,
	      enum guard_strictness strictness, struct guard **ret, struct pinfold_error *e);

/* Parent: clone3(2) into namespaces nested in the guard's.  args has CLONE_NEWPID and CLONE_PIDFD
 * and no exit signal (wait for it with __WALL).  The child, ours as any, runs child(data), which
 * does not return.  Returns the child's pid, or -errno. */
pid_t guard_clone(const struct guard *g, const struct clone_args *args, void (*child)(void *data),
		  void *data);

/* Child, still root, when the view stands: waits until what exists is masked, or held.  System
 * calls only.  NULL is no guard. */
int guard_meet(const struct guard *g, bool *ret_hold);

/* Child, with no_new_privs set, when guard_meet() said hold: hands path changes to the guard.
 * System calls only. */
int guard_hold(const struct guard *g);

/* Parent: the command starts, and the look goes on beside it.  NULL is no guard. */
void guard_go(const struct guard *g);

/* Parent: readable when there is a message; -1 without a guard. */
int guard_fd(const struct guard *g);

/* Parent: one message; -EAGAIN, or -EPIPE when the guard is gone (the pen then is, too). */
int guard_receive(const struct guard *g, struct guard_message *ret);

/* Parent, when nothing runs in the pen any more and init is reaped (the kernel lets the guard's
 * namespace end only then): has the guard deal with what was planted last and waits for its end.
 * Messages stay readable. */
void guard_finish(struct guard *g);

/* The guard's process; for the record. */
pid_t guard_pid(const struct guard *g);

/* Like guard_finish(), and frees.  Accepts NULL. */
void guard_free(struct guard *g);

#endif
