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

#define IDENTITY_DEFAULT_ID 10001
#define IDENTITY_PRIVATE_HOME "/home/pinfold"

struct identity {
	uid_t uid;
	gid_t gid;
	char *home;
	bool home_is_private; /* not the policy's: made for the session, gone with it */
	char **env;           /* NULL-terminated; what the command sees */
	const char *path;     /* borrowed from env */
	unsigned files;       /* limit of open descriptors; 0: the launcher's */
};

/*
 * Resolves uid and gid (the policy's; else under sudo, with a launcher that is root, SUDO_UID and
 * SUDO_GID; else 10001) and builds the environment from nothing.  Refuses uid 0 and gid 0.
 * session is PINFOLD_SESSION's value.
 *
 * The environment is PATH HOME LANG TMPDIR USER LOGNAME SHELL PWD PINFOLD_SESSION, overlaid with
 * what keepEnv names in ctx->env, overlaid with setEnv:
 *  - an entry of keepEnv is a name, or a pattern in which `*` stands for anything.  A pattern
 *    never keeps a name that looks secret (KEY, TOKEN, SECRET, PASS in any case), nor one that
 *    pinfold sets itself, but for LANG;
 *  - what steers the loader, a shell's start or a proxy (LD_*, BASH_ENV, *_PROXY, ...) is never
 *    kept: as a name in keepEnv it is -EINVAL, a pattern passes over it.  setEnv may say it;
 *  - PINFOLD_SESSION is nobody else's: -EINVAL.
 */
int identity_prepare(struct identity *id, const struct policy *p, const struct policy_context *ctx,
		     const char *session, struct pinfold_error *e);

/* Sets PWD, once the directory that the command starts in is known.  -ENOMEM. */
int identity_set_dir(struct identity *id, const char *dir);

/*
 * Child, single-threaded, privileged: a session keyring of its own, no supplementary groups, gid,
 * uid, empty capability, bounding and ambient sets, locked securebits, no_new_privs, no core
 * dumps, umask 022, not dumpable (execve makes the command dumpable again; what does not exec,
 * such as the pen's init, must not be readable for the session).  System calls only.  Returns
 * -errno; the process must not go on then.
 *
 * Left to the caller: signal mask and dispositions, and PR_SET_PDEATHSIG, which the kernel clears
 * when the uid changes, so it has to be set after this.  A process that is not dumpable can't
 * open its own /proc/self/fd without privilege.
 */
int identity_enter(const struct identity *id);

/* The same for a helper process that needs nothing but an uid of its own. */
int identity_enter_helper(uid_t uid, gid_t gid);

/* Child: closes every descriptor but 0-2 and keep[0..n), which is sorted.  Opens /dev/null where
 * 0-2 are closed.  The flags of what stays, FD_CLOEXEC too, are left alone.  Returns -errno. */
int identity_close_fds(const int *keep, size_t n);

/*
 * Parent: refuses descriptors, as 0-2 or in keep, that would pass a fence: sockets other than
 * connected or listening AF_UNIX streams, directories and O_PATH handles, block devices, files of
 * proc, sysfs, cgroup and other kernel file systems, and anonymous kernel objects but eventfd,
 * timerfd and the like.  -EBADF: a member of keep is not open.
 */
int identity_check_fds(const int *keep, size_t n, struct pinfold_error *e);

/* Any state. */
void identity_done(struct identity *id);

#endif
