/* SPDX-License-Identifier: MIT */
/* What the view consists of, before any mount is made: trees of the host, places of the session's
 * own, links, and the masks on top.  Reads the file system, changes nothing, needs no privilege. */
#ifndef PINFOLD_FS_PLAN_H
#define PINFOLD_FS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fs/domain.h"
#include "pinfold.h"

struct fs_resolved;
struct path_rule;
struct path_set;
struct pinfold_error;
struct policy;

#define PLAN_NODES_MAX 4096 /* each costs descriptors and a mount */
#define PLAN_MASKS_MAX 20000

enum fs_node_kind {
	NODE_DIR = 0, /* an empty directory */
	NODE_LINK,    /* a symlink of the host, seen at the same place */
	NODE_TREE,    /* a directory or file of the host */
	NODE_PLACE,   /* a file system of the session's own */
	NODE_PROC,    /* the process directory, made by the child */
	NODE_STORED,  /* a file of the store (places.h), whatever a rule says of that path */
};

struct fs_node {
	enum fs_node_kind kind;
	char *path;   /* canonical */
	char *target; /* NODE_LINK: where to; NODE_STORED: the name in the store */
	int object;   /* NODE_TREE: O_PATH; else -1 */
	int mount;    /* detached mount; -1 when none is made yet */
	bool is_dir;
	bool is_built_in;
	bool is_system;   /* of the system set: patterns don't hold there */
	bool on_host;     /* something is at path on the host: dev and ino say what */
	bool is_optional; /* where a tree of the host has no such path it is left out */
	bool is_ruled;    /* has a Landlock rule: grant */
	bool is_held;     /* keeps a mount of its own whatever lies around it (git.h) */
	uint64_t attrs;   /* MOUNT_ATTR_* */
	enum domain_grant grant;
	dev_t dev;
	ino_t ino;
	const struct path_rule *rule; /* borrowed, while planning; NULL: not from a rule */
};

struct fs_mask {
	char *path; /* canonical, but for a symlink's own name */
	bool is_dir;
	bool is_optional; /* of the session's own /proc or /dev: may be absent */
	bool may_vanish;  /* before the launch, in a guarded tree: a rule has this very name */
	dev_t dev;
	ino_t ino;
};

struct fs_plan {
	struct fs_node *node; /* after fs_plan_finish(): sorted, parents first */
	size_t n_nodes;
	struct fs_mask *mask; /* after fs_plan_finish(): sorted, none below another */
	size_t n_masks;
	char gap[PINFOLD_ERROR_MAX]; /* which promise does not hold, in a degraded session; "" */
	bool observes;               /* struct fs_tenant */
};

/* Resolves every rule: grants become trees and links, denies become masks, grants below a deny
 * vanish.  set must outlive the plan's use of rules, which ends with fs_plan_finish().  Built-in
 * grants that do not exist are skipped; others are errors that name the entry. */
int fs_plan_rules(struct fs_plan *plan, const struct policy *p, const struct path_set *set,
		  struct pinfold_error *e);

/* Adds a node of the session's own at path (a symlink on the way is followed and recreated).  It
 * gives way to a tree that a rule grants at that very path.  On success node's mount is the
 * plan's, and closed when it gives way. */
int fs_plan_place(struct fs_plan *plan, const char *path, struct fs_node *node,
		  struct pinfold_error *e);

/* Adds a tree of the host for reading that comes with every session; absent ones are skipped. */
int fs_plan_tree(struct fs_plan *plan, const char *path, struct pinfold_error *e);

/* Appends a mask.  path is copied. */
int fs_plan_mask(struct fs_plan *plan, const struct fs_mask *m);

/* Sorts, merges, checks that no grant hangs on a symlink that a session could have planted, and
 * gives narrower trees inside wider ones the mount flags that hold them. */
int fs_plan_finish(struct fs_plan *plan, struct pinfold_error *e);

/* Whether a tree of the host covers path.  Of any plan. */
bool fs_plan_grants(const struct fs_plan *plan, const char *path);

/* The innermost tree or place at or above path, or NULL.  Of a finished plan. */
const struct fs_node *fs_plan_find(const struct fs_plan *plan, const char *path);

/* Whether path lies in a tree where the guard follows names.  Of a finished plan. */
bool fs_plan_guards(const struct fs_plan *plan, const char *path);

/* Whether a mask is at or above path. */
bool fs_plan_masks(const struct fs_plan *plan, const char *path);

void fs_plan_done(struct fs_plan *plan);

#endif
