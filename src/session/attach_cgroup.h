/* SPDX-License-Identifier: MIT */
/* A cgroup that others made, and what is in it. */
#ifndef PINFOLD_SESSION_ATTACH_CGROUP_H
#define PINFOLD_SESSION_ATTACH_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

#define ATTACH_CGROUPS_MAX 16384 /* in one tree */
#define ATTACH_PIDS_MAX 131072

struct attach_cgroup {
	int fd;
	uint64_t id;
	char path[PATH_MAX]; /* below the root of the hierarchy, as /proc/PID/cgroup has it */
};

/* Finds it: text is an absolute path in the cgroup2 hierarchy, or the form of /proc/PID/cgroup,
 * with or without its "0::".  -EINVAL with words: it is none, or the root.  Close ret->fd. */
int attach_cgroup_open(const char *text, struct attach_cgroup *ret, struct pinfold_error *e);

/* Whether it has been removed. */
bool attach_cgroup_is_gone(const struct attach_cgroup *c);

/* The tree below a cgroup at one moment. */
struct attach_tree {
	uint64_t *id; /* of the cgroups; the top one first */
	size_t n_ids;
	pid_t *pid; /* in them, as seen from here */
	size_t n_pids;
};

/* -E2BIG: it is larger than the maximum; others: it can't be read.  attach_tree_done() it. */
int attach_tree_read(const struct attach_cgroup *c, struct attach_tree *ret);

bool attach_tree_has(const struct attach_tree *t, uint64_t cgroup_id);

/* Any state. */
void attach_tree_done(struct attach_tree *t);

/* -EBUSY, -EINVAL with words when it can't be fenced: this process is inside; or it, one above or
 * one below has a fence already. */
int attach_refuse(const struct attach_cgroup *c, const struct attach_tree *t,
		  struct pinfold_error *e);

/*
 * Stops all processes inside, so that nothing happens between two steps, and makes sure that they
 * go on: by attach_thaw(), or when this process dies before.  What was frozen by others stays so.
 * Best effort: without it the steps are as safe, only ruder to what runs.
 */
struct attach_freeze {
	int pipe; /* -1: not frozen by us */
	pid_t waker;
};

void attach_freeze(const struct attach_cgroup *c, struct attach_freeze *ret);
void attach_thaw(const struct attach_cgroup *c, struct attach_freeze *f);

#endif
