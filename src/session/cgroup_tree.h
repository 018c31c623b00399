/* SPDX-License-Identifier: MIT */
/* Finding, making and removing directories of cgroupfs. */
#ifndef PINFOLD_SESSION_CGROUP_TREE_H
#define PINFOLD_SESSION_CGROUP_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* The cgroup2 mount (controller NULL) or the v1 hierarchy with that controller, as a directory
 * descriptor.  mountinfo is the text of /proc/self/mountinfo.  -ENOENT: there is none. */
int cgroup_find_root(const char *mountinfo, const char *controller);

/* Makes slice/id below root_fd although others remove and make slice at the same time.  Returns
 * the directory's descriptor, with an exclusive flock.  -EEXIST: id is there already. */
int cgroup_make(int root_fd, const char *slice, const char *id);

/* Removes slice/id, all below it, and slice if it is empty then.  Waits for dying
 * processes until deadline_ms of CLOCK_MONOTONIC; -EBUSY then. */
int cgroup_unmake(int root_fd, const char *slice, const char *id, int64_t deadline_ms);

int64_t cgroup_now_ms(void);

/* Whether text, words between blanks or commas, has word. */
bool cgroup_has_word(const char *text, const char *word);

/* Whether name is one that cgroup_prepare accepts. */
bool cgroup_id_is_sane(const char *name);

#endif
