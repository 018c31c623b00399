/* SPDX-License-Identifier: MIT */
/* One cgroup for each session: what the network fence hangs on, what bounds it, what ends it. */
#ifndef PINFOLD_SESSION_CGROUP_H
#define PINFOLD_SESSION_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct limits_policy;
struct pinfold_error;

#define CGROUP_SLICE "pinfold.slice" /* below the cgroup2 mount */
#define CGROUP_V1_SLICE "pinfold"    /* below each v1 hierarchy that a limit needs */
#define CGROUP_ID_MAX 64
#define CGROUP_REMOVE_MS 5000

/* The controllers behind limits; also bits of `missing`. */
enum cgroup_controller { CGROUP_PIDS = 0, CGROUP_MEMORY, CGROUP_CPU, CGROUP_N_CONTROLLERS };

struct cgroup {
	char id[CGROUP_ID_MAX + 1];
	uint64_t number; /* what bpf_get_current_cgroup_id() says */
	int root_fd;     /* of the cgroup2 mount */
	int dir_fd;      /* for CLONE_INTO_CGROUP and BPF_PROG_ATTACH; its flock says that the
			    owner lives, so nobody who outlives the owner may keep a copy */
	int procs_fd;    /* cgroup.procs */
	int kill_fd;     /* cgroup.kill */
	int events_fd;   /* cgroup.events: POLLPRI when `populated` changes */
	int v1_fd[CGROUP_N_CONTROLLERS];     /* the v1 hierarchies' roots; -1: not needed */
	int v1_dir_fd[CGROUP_N_CONTROLLERS]; /* the session's directory there */
	unsigned missing; /* 1u << controller: a limit that does not hold (only with degrade) */
};

#define CGROUP_EMPTY                                                                               \
	{                                                                                          \
		.root_fd = -1, .dir_fd = -1, .procs_fd = -1, .kill_fd = -1, .events_fd = -1,       \
		.v1_fd = { -1, -1, -1 }, .v1_dir_fd = { -1, -1, -1 },                              \
	}

/*
 * Makes pinfold.slice/<id> with the limits, by cgroup2 where it has the controller, else by v1
 * hierarchies.  id: letters, digits, '-' and '_'.  A limit that can't be had is -EOPNOTSUPP, or
 * with degrade a bit in c->missing.  -EEXIST: the id is taken.  On failure nothing is left.
 */
int cgroup_prepare(struct cgroup *c, const char *id, const struct limits_policy *limits,
		   bool degrade, struct pinfold_error *e);

/* Moves pid into the session's v1 cgroups; to be done before it goes on.  Returns -errno. */
int cgroup_join_v1(const struct cgroup *c, pid_t pid);

/* Whether a process is in it: 0, 1 or -errno. */
int cgroup_populated(const struct cgroup *c);

/* Kills every process inside, also those that are being forked (since Linux 5.14). */
int cgroup_kill(const struct cgroup *c);

enum cgroup_state { CGROUP_RUNNING = 0, CGROUP_FROZEN };

/* Stops every process inside, those born meanwhile too, or lets them go on (since Linux 5.2).  What
 * is frozen can be killed. */
int cgroup_freeze(const struct cgroup *c, enum cgroup_state state);

/* Waits until it is empty, at most CGROUP_REMOVE_MS, and removes it, everything made below it, and
 * the slices if they are empty.  -ETIMEDOUT: it is still in use.  Accepts CGROUP_EMPTY. */
int cgroup_remove(struct cgroup *c);

/* For the janitor, who has nothing but the id of a session whose owner died: kills what is inside,
 * then as cgroup_remove().  0 when there is no such cgroup. */
int cgroup_end(const char *id);

/* Removes what earlier runs left: empty cgroups of sessions whose owner is gone.  Returns their
 * number or -errno.  Sessions that live, or are being made, are not disturbed. */
int cgroup_sweep(void);

/* The word for a controller in messages: "pids", "memory", "cpu". */
const char *cgroup_controller_name(enum cgroup_controller which);

/* Closes the descriptors; removes nothing.  Accepts CGROUP_EMPTY. */
void cgroup_done(struct cgroup *c);

#endif
