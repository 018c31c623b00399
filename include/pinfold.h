/* SPDX-License-Identifier: MIT */
/*
 * pinfold: start a command in a pen that the Linux kernel enforces.
 *
 * Conventions of this interface, said once:
 *  - Functions return 0 (or a count) on success and a negative errno on failure; on failure the
 *    caller's `struct pinfold_error` holds one sentence for a person, and outputs are untouched.
 *  - Pointers named `ret` or `ret_x` are outputs, written only on success.  What they yield is the
 *    caller's to free with the function named there.
 *  - Strings are UTF-8 and NUL-terminated.  Input strings are copied, never kept.
 *  - Handles are not thread-safe; different handles may be used by different threads.
 *  - Nothing here prints, exits, or changes the calling process's own confinement.
 */
#ifndef PINFOLD_H
#define PINFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINFOLD_ERROR_MAX 256

/* One failure in words.  Lives on the caller's stack: nothing to allocate, nothing to free.
 * `text` is empty until a function fails.  Since 0.1. */
struct pinfold_error {
	char text[PINFOLD_ERROR_MAX];
};

#define PINFOLD_VERSION "0.1.0"

/* The library's version, for example "0.1.0".  Static storage.  Since 0.1. */
const char *pinfold_version(void);

/* ---- policy ------------------------------------------------------------------------------ */

struct pinfold_policy;

/* What `pinfold run` uses without a policy file: the workspace (an absolute path; NULL is the
 * current directory) read-write, the system set read-only, the network shut.
 * Free with pinfold_policy_free().  Since 0.1. */
int pinfold_policy_default(const char *workspace, struct pinfold_policy **ret,
			   struct pinfold_error *e);

/* Reads a policy file on top of the default and, when it exists, the site policy
 * (/etc/pinfold/site.json).  -EINVAL: the file is not a valid policy, or widens the site's; the
 * text then names file, line, column and JSON path.  Other errors: the file could not be read.
 * Free with pinfold_policy_free().  Since 0.1. */
int pinfold_policy_load(const char *path, struct pinfold_policy **ret, struct pinfold_error *e);

/* The kinds of rule that a command line can add.  Since 0.1. */
enum pinfold_rule {
	PINFOLD_RULE_ALLOW,     /* HOST[:PORT][/PROTO], as in network.allowOutbound */
	PINFOLD_RULE_DENY_NET,  /* the same, as in network.denyOutbound */
	PINFOLD_RULE_RW,        /* PATH, as in filesystem.rw */
	PINFOLD_RULE_RO,        /* PATH, as in filesystem.ro */
	PINFOLD_RULE_ROX,       /* PATH, as in filesystem.rox */
	PINFOLD_RULE_DENY_PATH, /* PATH, as in filesystem.deny */
	PINFOLD_RULE_UNIX,      /* PATH, as in unixSockets.allow */
};

/* Adds one rule, as the command line's --allow, --rw and so on do; relative paths are relative to
 * the current directory.  -EINVAL: the rule is malformed or can't be enforced.  -EPERM: the site
 * policy forbids it.  Since 0.1. */
int pinfold_policy_add(struct pinfold_policy *p, enum pinfold_rule kind, const char *text,
		       struct pinfold_error *e);

/* The whole effective policy as canonical JSON; free() it.  Parsing what this prints and printing
 * it again gives the same text.  -ENOMEM.  Since 0.1. */
int pinfold_policy_print(const struct pinfold_policy *p, char **ret, struct pinfold_error *e);

/* Accepts NULL.  Since 0.1. */
void pinfold_policy_free(struct pinfold_policy *p);

/* ---- why --------------------------------------------------------------------------------- */

/* A question to a policy.  Since 0.1. */
enum pinfold_question {
	PINFOLD_WHY_CONNECT, /* HOST:PORT[/udp], HOST a name, an IPv4 address or [IPv6] */
	PINFOLD_WHY_READ,    /* PATH */
	PINFOLD_WHY_WRITE,   /* PATH */
	PINFOLD_WHY_EXEC,    /* PATH */
	PINFOLD_WHY_RESOLVE, /* NAME */
	PINFOLD_WHY_UNIX,    /* PATH of a socket, or @NAME for an abstract one */
};

/* PINFOLD_NOT_OURS: only of pinfold_why_last(). */
enum pinfold_verdict { PINFOLD_DENY = 0, PINFOLD_ALLOW, PINFOLD_ASK, PINFOLD_NOT_OURS };

#define PINFOLD_WHY_TEXT_MAX 512

/* An answer: by the same code that enforces.  Unused texts are empty.  Since 0.1. */
struct pinfold_answer {
	enum pinfold_verdict verdict;
	char rule[PINFOLD_WHY_TEXT_MAX];   /* the entry that decided, as written */
	char origin[PINFOLD_WHY_TEXT_MAX]; /* where that entry stands: file, line, JSON path */
	char reason[PINFOLD_WHY_TEXT_MAX]; /* one sentence */
	char fix[PINFOLD_WHY_TEXT_MAX];    /* how to change the verdict, or empty */
};

/* -EINVAL: the question is malformed.  Since 0.1. */
int pinfold_why(const struct pinfold_policy *p, enum pinfold_question q, const char *subject,
		struct pinfold_answer *ret, struct pinfold_error *e);

/* What a record tells of a session: its last denial, explained.  Unused texts are empty.
 * Since 0.1. */
struct pinfold_last {
	char session[64];
	char time[40];                      /* of the denial; without one, of the session's start */
	char event[40];                     /* "net_deny", "dns_deny", ... */
	char op[PINFOLD_WHY_TEXT_MAX];      /* "connect", "fs.write_file", ... */
	char subject[PINFOLD_WHY_TEXT_MAX]; /* what was asked for, as pinfold_why() takes it */
	char process[80];                   /* "node (pid 4711)" */
	uint64_t denials;                   /* of the session, over all */
	bool observed;                      /* it was only noticed, not refused */
	bool allowed_now;                   /* the policy would allow it by now */
	struct pinfold_answer answer;       /* PINFOLD_DENY or PINFOLD_NOT_OURS */
};

/* Reads the record at log_path (NULL: the policy's audit.path, else $PINFOLD_LOG, else
 * /var/log/pinfold/audit.jsonl; "-": standard input) for the last denial of a session (NULL: the
 * one that started last).  When policy is not NULL it is asked again, as it is now.  -ENOENT: there
 * is none, or no such session in it.  Since 0.1. */
int pinfold_why_last(const struct pinfold_policy *policy, const char *log_path, const char *session,
		     struct pinfold_last *ret, struct pinfold_error *e);

/* ---- sessions ---------------------------------------------------------------------------- */

/* What an observed session did, as it was about to; for struct pinfold_run.  Since 0.2. */
enum pinfold_sight_kind {
	PINFOLD_SIGHT_FILE,        /* path, uses */
	PINFOLD_SIGHT_UNIX,        /* path of a socket that was connected or sent to */
	PINFOLD_SIGHT_NAME,        /* name was resolved */
	PINFOLD_SIGHT_DESTINATION, /* address, port, proto, and name where one led there */
};

/* What a path was used for, bits.  Since 0.2. */
#define PINFOLD_USE_LOOK 1u    /* stat, chdir, readlink */
#define PINFOLD_USE_READ 2u    /* read, or listed */
#define PINFOLD_USE_WRITE 4u   /* an existing file was opened for writing */
#define PINFOLD_USE_EXEC 8u    /* executed, or mapped as code */
#define PINFOLD_USE_MAKE 16u   /* the name came into being */
#define PINFOLD_USE_REMOVE 32u /* the name went */
#define PINFOLD_USE_CHANGE 64u /* mode, owner or times were set */

struct pinfold_sight {
	enum pinfold_sight_kind kind;
	/* PINFOLD_DENY: it stayed shut.  PINFOLD_ALLOW: the policy allows it.  PINFOLD_ASK: it went
	 * through, and the policy would refuse it. */
	enum pinfold_verdict verdict;
	unsigned uses;       /* PINFOLD_USE_ bits */
	unsigned missing;    /* those of them that the policy would refuse */
	const char *path;    /* absolute, symlinks resolved */
	bool is_dir;         /* path is a directory */
	const char *name;    /* NULL: none */
	const char *address; /* as text */
	uint16_t port;
	const char *proto;   /* "tcp", "udp" */
	const char *reason;  /* word of the record; NULL */
	const char *program; /* of the process; "" when it is gone */
};

/* How to start a session.  Zero-initialise; every member may stay zero but argv.  Since 0.1. */
struct pinfold_run {
	const struct pinfold_policy *policy; /* borrowed for the call; NULL is the default */
	char *const *argv;                   /* borrowed; NULL-terminated, argv[0] is looked up
						in the policy's PATH */
	const int *keep_fds;                 /* borrowed; descriptors beyond 0-2 to pass on */
	size_t n_keep_fds;
	const char *agent;    /* for the record */
	const char *log_path; /* overrides audit.path; "-" is standard error */
	const char *log_to; /* also there: "journal" or "syslog", each line a datagram; NULL: no */
	/* Borrowed.  Directories of the caller's state: group and other lose access to them, and
	 * nothing starts if the session could read one of them or the caller's environment, or
	 * could not write a workspace granted for writing. */
	const char *const *state_dirs;
	size_t n_state_dirs;
	/* Let destinations, names, files and unix sockets through that the policy refuses, and
	 * record them as "would_deny".  Metadata, the never-list, denied and sensitive paths stay
	 * shut, and so does every other fence.  See pinfold-observe(7). */
	bool observe;
	/* With observe: called for each use that was seen.  Strings live for the call.  May be
	 * NULL. */
	void (*sight)(void *data, const struct pinfold_sight *sight);
	void *sight_data;
	/* Called in the calling process with one sentence for a person: a denial's hint, a
	 * degraded promise.  May be NULL. */
	void (*notice)(void *data, const char *text);
	void *notice_data;
	/* notice is not called for the session's first denial; what keeps the command from starting
	 * is told all the same.  For a standard error that nobody looks at. */
	bool no_denial_notice;
	/* The calling process gives up, for good, what is only needed to build a pen: most
	 * capabilities, and by a system call filter executing programs, mounting, loading.  For a
	 * process that does nothing else than this.  Since 0.2. */
	bool confine_caller;
};

/* Runs argv in a pen and waits for its end.  Signals of the caller (INT, TERM, QUIT, USR1, USR2,
 * WINCH) are passed on while it waits, as a shell would; the caller's own handlers are put back
 * afterwards.  HUP opens the record anew, and is passed on when there is none, or when it tells
 * that the terminal is gone.  Needs CAP_SYS_ADMIN, CAP_BPF, CAP_NET_ADMIN, CAP_SETUID, CAP_SETGID.
 *
 * Returns 0 and stores the wait status (see waitpid(2)) of the command.  Any error means that the
 * command was not started: -EINVAL for a policy that can't be enforced, -ENOENT and -EACCES with
 * *ret_status = 127 << 8 or 126 << 8 when argv[0] could not be executed, anything else: it could
 * not be confined.
 * Whatever happens, when this returns nothing of the session is left.  Since 0.1. */
int pinfold_run(const struct pinfold_run *args, int *ret_status, struct pinfold_error *e);

/* ---- sessions that run -------------------------------------------------------------------- */

/* For root only; sessions of every caller of this library on this host that could make
 * /run/pinfold.  `session` is a session's name, or the beginning of it that no other has.
 * Errors: -ESRCH: there is none; -ENOTUNIQ: there are several; -EACCES: not root; -ETIMEDOUT: its
 * supervisor does not answer. */

/* A JSON array of objects with the members session, agent, pid (of the supervisor), uid, ageMs,
 * generation, workspace and command (an array, secrets redacted); of a session that does not
 * answer, session alone.  free() it.  Since 0.1. */
int pinfold_sessions(char **ret, struct pinfold_error *e);

/* A JSON object: the same members and hash, source, denied, allowed, evicted, lost, vouched (an
 * array of address, name, seconds left) and policy.  free() it.  Since 0.1. */
int pinfold_session_show(const char *session, char **ret, struct pinfold_error *e);

/* Puts the network part of the policy file in place of the one that holds.  The session's
 * supervisor reads the file.  -EINVAL: it is not valid, widens the site's, could be written by the
 * session, or changes more than the network; the old policy then holds on.  Since 0.1. */
int pinfold_session_reload(const char *session, const char *path, struct pinfold_error *e);

/* Asks the session's command to end, kills it after five seconds, and waits until nothing of it is
 * left.  Since 0.1. */
int pinfold_session_kill(const char *session, struct pinfold_error *e);

/* ---- cgroups that others made -------------------------------------------------------------- */

/* What was found when a cgroup got its fence.  Strings live for the call.  Since 0.2. */
struct pinfold_attached {
	const char *session; /* its name, as in pinfold_sessions() */
	const char *cgroup;  /* its path below the root of the hierarchy */
	size_t processes;
	size_t sockets; /* that were open before */
	size_t kept;    /* of them: they go on, and are judged from now on */
	size_t refused; /* nothing passes through them any more */
	size_t outside; /* made in another cgroup: the fence does not hold for them */
	size_t cut;     /* of the last two: ended */
};

/* How to fence a cgroup.  Zero-initialise.  Since 0.2. */
struct pinfold_attach {
	const struct pinfold_policy *policy; /* borrowed for the call; its network part counts */
	const char *cgroup;   /* a path in the cgroup2 hierarchy, or as in /proc/PID/cgroup */
	const char *agent;    /* for the record */
	const char *log_path; /* overrides audit.path; "-" is standard error */
	const char *log_to;   /* as in struct pinfold_run */
	bool keep;            /* pin it, and leave it in place when this call ends */
	bool cut;             /* end the sockets that were there before and that are refused */
	bool observe;         /* as in struct pinfold_run */
	/* Called once the fence holds.  May be NULL. */
	void (*ready)(void *data, const struct pinfold_attached *a);
	/* As in struct pinfold_run. */
	void (*notice)(void *data, const char *text);
	void *data;
};

/* Puts the network fence of a policy around a cgroup that others made (a unit's, a container's) and
 * serves it: names, record, live control.  Returns 0 when it is asked to end (SIGINT, SIGTERM,
 * pinfold_detach(), pinfold_session_kill()) or the cgroup is gone; SIGHUP opens the record anew.
 * At the end the fence is taken off, unless `keep` holds and a signal asked.  If the process dies
 * otherwise, the fence stays and goes on denying; only names and the record have an end.
 *
 * The other fences (files, system calls, identity) can't be put around what runs already; the
 * record says so.  Needs CAP_SYS_ADMIN, CAP_BPF, CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_SETUID,
 * CAP_SETGID. -EINVAL: the policy, or the cgroup: there is none, it is the root, or holds the
 * calling process; -EBUSY: it, one above or one inside has a fence already.  Since 0.2. */
int pinfold_attach(const struct pinfold_attach *args, struct pinfold_error *e);

/* Asks whoever serves the cgroup's fence to end, and takes the fence and its pins away.
 * -ENOENT: it has none.  Since 0.2. */
int pinfold_detach(const char *cgroup, struct pinfold_error *e);

/* ---- what this host can do ---------------------------------------------------------------- */

enum pinfold_state { PINFOLD_MISSING = 0, PINFOLD_PARTIAL, PINFOLD_READY };

/* One line of `pinfold doctor`.  Strings live for the call only.  Since 0.1. */
struct pinfold_finding {
	const char *fence; /* "files", "network", ... */
	enum pinfold_state state;
	const char *detail; /* what was found, by trying */
	const char *fix;    /* the switch for what is missing, or "" */
};

/* Tries each mechanism and reports it.  Returns the number of MISSING ones.  Since 0.1. */
int pinfold_doctor(void (*report)(void *data, const struct pinfold_finding *f), void *data,
		   struct pinfold_error *e);

/* Starts a real session under `policy` (NULL: the default) and tries one allowed and one forbidden
 * action of every fence.  Reports each; returns the number of failures.  Since 0.1. */
int pinfold_selftest(const struct pinfold_policy *policy,
		     void (*report)(void *data, const char *check, bool passed, const char *detail),
		     void *data, struct pinfold_error *e);

#ifdef __cplusplus
}
#endif

#endif
