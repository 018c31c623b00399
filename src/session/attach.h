/* SPDX-License-Identifier: MIT */
/* A fence around a cgroup that others made.  Internal to this module. */
#ifndef PINFOLD_SESSION_ATTACH_H
#define PINFOLD_SESSION_ATTACH_H

#include "pinfold.h"
#include "session/attach_cgroup.h"
#include "session/attach_old.h"
#include "session/session.h"

#define PINS_DIR "/sys/fs/bpf/pinfold"
#define PINS_PATH_MAX 96

enum attach_end {
	ATTACH_RUNS = 0,
	ATTACH_ASKED,    /* by a signal */
	ATTACH_DETACHED, /* by pinfold detach or kill */
	ATTACH_LOST,     /* the programs were taken off by somebody else */
	ATTACH_GONE,     /* the cgroup was removed */
	ATTACH_ENDS,
};

struct attachment {
	struct session s;
	const struct pinfold_attach *args; /* borrowed */
	struct attach_cgroup cgroup;
	struct attach_tree tree;
	struct old_sockets old;
	bool watches_unix;
	bool is_attached;
	int cut_error;
	enum attach_end end;
};

/* Serves it until there is a reason to end. */
int attach_watch(struct attachment *a, struct pinfold_error *e);

/* "attach", and a line for each old socket that does not go on; "detach". */
void attach_log_start(struct attachment *a);
void attach_log_end(struct attachment *a);

/* What was found, in numbers. */
void attach_count(const struct attachment *a, struct pinfold_attached *ret);

/* Where the pins of a cgroup's fence are. */
void attach_pins_path(uint64_t cgroup_id, char ret[static PINS_PATH_MAX]);
int attach_pins_make(uint64_t cgroup_id, struct pinfold_error *e);
void attach_pins_remove(uint64_t cgroup_id);

#endif
