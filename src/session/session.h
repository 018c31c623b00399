/* SPDX-License-Identifier: MIT */
/* One session: its fences, its helper processes, its record.  Internal to this module. */
#ifndef PINFOLD_SESSION_SESSION_H
#define PINFOLD_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dns/worker.h"
#include "identity/handover.h"
#include "identity/identity.h"
#include "pinfold.h"
#include "policy/context.h"
#include "policy/paths.h"
#include "policy/policy.h"
#include "relay/worker.h"
#include "seccomp/filter.h"
#include "session/cgroup.h"
#include "session/control.h"

struct fs_fence;
struct guard;
struct landlock_audit;
struct look;
struct net_fence;
struct net_loader;
struct observe;
struct record;

#define SITE_POLICY "/etc/pinfold/site.json"
#define SESSION_ID_LEN 16 /* hexadecimal digits */

struct session;

/* What runs in the pen: a program, or (for the self-test) a function of ours. */
struct session_command {
	char *const *argv;
	const int *keep_fds; /* sorted */
	size_t n_keep_fds;
	bool has_terminal;        /* ours; without one the pen is a session of its own */
	int (*probe)(void *data); /* instead of argv; its result is the exit status */
	void *probe_data;
	/* NULL, or called when the probe has ended and all fences still stand. */
	void (*inspect)(const struct session *s, void *data);
};

struct session {
	char id[SESSION_ID_LEN + 1];
	char group[CGROUP_ID_MAX + 1]; /* the cgroup's name */
	const struct policy *policy;   /* borrowed, or `reloaded` */
	struct policy *reloaded;       /* NULL: still the one it was started with */
	const struct context *context; /* borrowed */
	struct session_command command;
	const char *agent;          /* borrowed */
	const char *channel;        /* borrowed; of a gateway's session */
	const char *const *sources; /* borrowed; files that the policy was made of */
	size_t n_sources;
	const char *scope;             /* borrowed; goes before the id in the cgroup's name */
	const char *log_path;          /* borrowed */
	const char *log_to;            /* borrowed; NULL: nowhere else */
	const char *attached;          /* borrowed: a cgroup that others made; NULL: a pen */
	const char *const *state_dirs; /* borrowed */
	size_t n_state_dirs;

	int janitor_pipe; /* closing it tells the janitor that we are gone */
	pid_t janitor;
	struct cgroup cgroup;
	struct path_set paths;
	struct identity identity;
	struct fs_fence *fs;
	struct net_loader *loader;
	struct guard *guard; /* NULL: none, in a degraded session */
	uint32_t guard_lost;
	uint32_t audit_session; /* of the kernel's audit; UINT32_MAX: the launcher's, or none */
	char quarantine[64 + SESSION_ID_LEN];
	struct net_fence *net;
	struct seccomp_filter filter;
	struct seccomp_filter worker_filter;
	struct seccomp_filter relay_filter;
	struct dns_worker dns;
	struct observe *observe; /* NULL: refusals refuse */
	struct look *look;       /* NULL: nobody looks at files */
	char *resolv_conf;
	pid_t worker;
	int worker_pidfd;
	unsigned worker_starts;
	unsigned relay_starts;
	pid_t relay_pid;
	int relay_pidfd;
	struct relay_worker relay; /* empty where no entry wants a name verified */
	unsigned generation;       /* of the policy, from 1 */

	pid_t init; /* pid 1 of the pen, as seen here */
	bool init_reaped;
	int init_pidfd;
	int link;  /* to init, SOCK_SEQPACKET */
	int netns; /* of a cgroup that others made; -1: of this process */

	struct control control;
	struct record *record;
	struct net_rules quiet;                 /* denials that are counted only */
	struct landlock_audit *landlock;        /* NULL: no record of the kernel's */
	char no_file_record[PINFOLD_ERROR_MAX]; /* why there is none of files; "": there is */
	struct {
		uint64_t dns;
		uint64_t fs;
		uint64_t calls;
		uint64_t everyday; /* counted by the kernel, but no attempt at anything */
	} denied;
	uint64_t started_us; /* CLOCK_MONOTONIC */
	int wait_status;     /* of the command, once it has ended */
	bool is_recorded;    /* somewhere: a file, a stream */
	bool watches_unix;   /* attempts at unix sockets outside are told */
	bool ended;
	bool wants_observe;
	bool timed_out;
	struct string_list made; /* repositories (made.h) */
	struct handover handover;
	struct string_list state; /* state directories, resolved */
	pid_t launcher;
	bool hinted;
	bool kill_wanted;    /* by whoever controls it */
	bool worker_renewed; /* the resolver's end is our doing */
	bool relay_renewed;  /* the relay's, too */
	bool no_denial_notice;
	bool confines_caller; /* before the command goes */

	void (*notice)(void *data, const char *text);
	void *notice_data;
	void (*sight)(void *data, const struct pinfold_sight *sight); /* NULL: nobody wants it */
	void *sight_data;
};

/* Everything up to the moment before the command: a janitor, a fenced cgroup, in it the pen's init
 * behind its own fences, a DNS worker, a record.  On failure call session_done(). */
int session_prepare(struct session *s, struct pinfold_error *e);

/* Part of it: starts the pen's init, which enters its fences and waits. */
int session_spawn(struct session *s, struct pinfold_error *e);

/* Once init has said that every fence has closed around it, lets the command go. */
int session_release(struct session *s, struct pinfold_error *e);

/* Serves the session until its command has ended. */
int session_watch(struct session *s, struct pinfold_error *e);

/* Kills what is left, removes the cgroup, writes session_end.  Any state. */
void session_done(struct session *s);

/* Starts (again) the DNS worker. */
int session_start_worker(struct session *s, struct pinfold_error *e);

/* For the network fence: where the helpers listen. */
struct net_resolver;
void session_helper_ports(const struct session *s, struct net_resolver *ret);

/* For the loop: what the resolver says (negative: nothing more will come of it), and its end (0: it
 * is started again). */
int session_dns_notes(struct session *s);
int session_worker_ended(struct session *s);

/* Does an entry of the policy want a server name verified? */
bool session_wants_relay(const struct policy *p);

/* Starts the relay, if so. */
int session_prepare_relay(struct session *s, struct pinfold_error *e);

/* For the loop: what the relay says (negative: nothing more will come of it), and its end (it is
 * started again). */
int session_relay_notes(struct session *s);
void session_relay_ended(struct session *s);

/* In a helper's process: nothing but the n descriptors in fds (-1: absent; they are sorted), no
 * privilege, no file, and the calls of the filter. */
int session_confine_helper(const struct seccomp_filter *filter, uid_t uid, int *fds, size_t n);

/* Forks the janitor, before anything exists that it would have to remove. */
int session_start_janitor(struct session *s, struct pinfold_error *e);

/* Tells the janitor that there is nothing to do for it; and waits for its end. */
void session_dismiss_janitor(struct session *s);
void session_reap_janitor(struct session *s);

/* Starts the guard of denied names; the fence is built. */
int session_start_guard(struct session *s, struct pinfold_error *e);

/* Writes down what the guard has said; -EPIPE when it is gone. */
int session_hear_guard(struct session *s);

/* Puts a failure of the guard at launch into words. */
int session_explain_guard(const struct session *s, int code, struct pinfold_error *e);

/* Closes every descriptor of this process but the n in keep. */
void session_close_all_but(const int *keep, size_t n);

#endif
