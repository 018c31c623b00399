/* SPDX-License-Identifier: MIT */
/* What the parts of the guard share: the state of its process. */
#ifndef PINFOLD_FS_GUARD_INNER_H
#define PINFOLD_FS_GUARD_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "fs/git.h"
#include "fs/guard.h"

/* One mount of the pen in which names are watched. */
struct guard_tree {
	char *path; /* as inside */
	int fd;     /* its root, through the pen's mount */
	dev_t dev;
	ino_t ino;
	uint64_t fsid; /* as the kernel's reports name the file system */
};

/* The last component of a deny rule: most names differ in the first bytes. */
struct guard_name {
	const char *glob;
	size_t literal; /* bytes before the first wildcard */
};

enum guard_origin { GUARD_OUTSIDE = 0, GUARD_INSIDE };

/* Beyond that many bytes no single path leads to a directory, and none is kept: it is opened by its
 * handle, and every name that could be denied somewhere is denied in it. */
#define GUARD_DEEP_BYTES 3500
#define GUARD_DEEP_PATH "(too deep for a path)"

struct file_handle;

/* A directory still to be looked at. */
struct guard_job {
	size_t tree;
	char *path;                 /* relative to the tree's root; "." */
	struct file_handle *handle; /* NULL: path leads there */
	enum guard_origin origin;
	bool for_links; /* looks for further names of denied files */
};

/* One directory under the eye. */
struct guard_look {
	int fd; /* -1: none */
	struct guard_job job;
	unsigned git_seen; /* GIT_SEEN_ bits of its entries */
};

struct guard_file {
	dev_t dev;
	ino_t ino;
};

struct guard_held {
	int fd;
	struct guard_file file;
};

/* A repository that was there, or a .git file (GIT_NONE). */
struct guard_repo {
	struct statx id; /* inode, device, birth */
	enum git_kind kind;
	char *path; /* where it was found; nothing else may be put there */
};

#define GUARD_MADE_MAX 64 /* repositories made inside that are told */

struct guard_core {
	const struct path_set *set;   /* borrowed */
	const struct fs_fence *fence; /* borrowed */
	enum guard_strictness strictness;
	const char *quarantine; /* borrowed */
	int quarantine_fd;      /* -1: not needed yet */
	int supervisor;
	int pen;
	int notify;
	int permit;   /* -1: no open is judged */
	int listener; /* -1: no call waits */
	int store;
	dev_t store_dev;
	int host_root; /* "/" of the host */
	int proc;      /* /proc/self of the host */
	int calls;     /* /proc of the guard's pid namespace; -1: nobody asks */
	int init;      /* pidfd of the pen's init; -1: not met */

	struct guard_tree *tree;
	size_t n_trees;
	struct guard_name *name;
	size_t n_names;
	bool has_deep_patterns; /* of more than one component */

	struct guard_job *job; /* a ring */
	size_t job_first;
	size_t n_jobs;
	size_t job_room;
	bool links_done;
	bool rests; /* the look waits for the command's start */
	struct guard_look at;

	struct guard_file *linked; /* denied, and with more than one name */
	size_t n_linked;
	struct guard_held *held; /* opens that wait for the end of the look */
	size_t n_held;

	bool holds_git;         /* protectGit */
	struct timespec met_at; /* repositories that are younger are the session's own */
	struct guard_repo *repo;
	size_t n_repos;
	char *made[GUARD_MADE_MAX];
	size_t n_made;

	uint32_t lost;
	unsigned n_quarantined;
	char *entries; /* what getdents64 gave; GUARD_ENTRIES_BYTES */
};

#define GUARD_ENTRIES_BYTES 65536
#define GUARD_MATES_MAX 100000 /* denied files with several names, and opens that wait */

/* guard_names.c */
int guard_names_compile(struct guard_core *g);
/* Cheap: false when no deny rule can end in name. */
bool guard_name_may_match(const struct guard_core *g, const char *name);
bool guard_path_is_denied(const struct guard_core *g, const char *path);
bool guard_dir_leads_to_denied(const struct guard_core *g, const char *path);
/* The path inside of an open object; -ENAMETOOLONG: it is too deep for one. */
int guard_path_of(const struct guard_core *g, int fd, char *ret, size_t size);

/* guard_trees.c: finds the mounts, has the kernel report names in them. */
int guard_trees_find(struct guard_core *g);
/* root, which it takes, is that of a mount at path. */
int guard_tree_add(struct guard_core *g, const char *path, int root);

/* guard_scan.c */
/* Takes job's handle, also on failure. */
int guard_scan_push(struct guard_core *g, const struct guard_job *job);
/* The same for a directory that is too deep for a path: name in dir. */
int guard_scan_push_deep(struct guard_core *g, const struct guard_job *job, int dir,
			 const char *name);
int guard_scan_all(struct guard_core *g, bool for_links);
/* Looks at a piece of one directory.  Returns 1 when there may be more to do, 0 when all is
 * known. */
int guard_scan_step(struct guard_core *g);
/* Forgets what was to be looked at for the sake of the living: what insiders moved remains. */
void guard_scan_leave_inside(struct guard_core *g);
bool guard_scan_is_idle(const struct guard_core *g);

/* guard_mask.c: what is done about a denied name in the directory dir.  Returns 1 when it was not
 * masked before, 0 when it was, or is gone. */
int guard_mask(struct guard_core *g, int dir, const char *name);
int guard_uncover(const struct guard_core *g, int dir, const char *name);
/* Moves it into the quarantine, unless it is masked. */
int guard_expel(struct guard_core *g, const struct guard_tree *t, int dir, const char *name,
		const char *path);
/* At the end, when something was moved there: what is old, or too much, goes. */
void guard_prune_quarantine(const struct guard_core *g);
bool guard_is_linked(const struct guard_core *g, const struct guard_file *f);
void guard_tell(struct guard_core *g, enum guard_word word, int error, const char *path,
		const char *moved_to);

/* guard_event.c */
int guard_read_names(struct guard_core *g);

/* guard_permit.c: judging of opens and waiting of path changes while the look goes on. */
int guard_permit_start(struct guard_core *g);
int guard_permit_read(struct guard_core *g);
/* For a tree that is found while opens are judged. */
int guard_permit_mark(const struct guard_core *g, int fd);
int guard_permit_end(struct guard_core *g);
int guard_listener_read(const struct guard_core *g);

/* guard_call.c */
int guard_calls_start(struct guard_core *g);
bool guard_open_writes(const struct guard_core *g, pid_t tid);

/* guard_main.c: the process. */
_Noreturn void guard_main(struct guard_core *g);

#endif
