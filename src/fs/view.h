/* SPDX-License-Identifier: MIT */
/*
 * DOC: The view: a flat list of operations, compiled by the parent, applied by the child.
 *
 * The child attaches the prepared root, makes what belongs into it in the order of the list, and
 * pivots.  Whatever lies in a tree of the host is never created, only mounted upon; it is opened
 * without following symlinks and must still be the object that the parent saw, so nobody outside
 * can turn a mask or a mount aside between the two.
 */
#ifndef PINFOLD_FS_VIEW_H
#define PINFOLD_FS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct fs_plan;
struct pinfold_error;

enum view_op_kind {
	VIEW_BEGIN = 0, /* private propagation; attach the store and the root (fd), go there */
	VIEW_DIR,       /* make a directory, 0755 */
	VIEW_FILE,      /* make an empty file, to be mounted upon */
	VIEW_LINK,      /* make a symlink to target */
	VIEW_MOUNT,     /* attach the detached mount fd */
	VIEW_PROC,      /* mount a fresh /proc */
	VIEW_FREEZE,    /* make what is there read-only, by a mount of itself */
	VIEW_STORED,    /* cover with the store's entry target */
	VIEW_MASK,      /* the same, with an inaccessible one */
	VIEW_SEAL,      /* make the root (fd) read-only */
	VIEW_PIVOT,     /* leave the host's root for the new one (fd), for good */
};

#define VIEW_OP_KINDS (VIEW_PIVOT + 1)

struct view_op {
	enum view_op_kind kind;
	char *path;       /* relative to the new root; "" for operations on the root itself */
	char *target;     /* VIEW_LINK, VIEW_STORED, VIEW_MASK */
	int fd;           /* borrowed from the plan or the fence; -1 */
	bool is_checked;  /* what is at path must be dev, ino */
	bool is_optional; /* absent is no failure */
	dev_t dev;
	ino_t ino;
};

struct view {
	struct view_op *op;
	size_t n;
	int store; /* borrowed: the mount that holds what masks are made of */
};

/* plan is finished; root is the mount that becomes "/" unless a tree is granted there. */
int view_compile(const struct fs_plan *plan, int root, int store, struct view *ret,
		 struct pinfold_error *e);

/* System calls only.  Returns 0 or -errno, and then the failed operation's index. */
int view_apply(const struct view *v, size_t *ret_index);

/* "mounting 'srv/ws'", for messages. */
void view_op_text(const struct view_op *op, char *ret, size_t size);

void view_done(struct view *v);

#endif
