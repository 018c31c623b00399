/* SPDX-License-Identifier: MIT */
/* The parent's half of the view: from the plan to operations. */
#include "fs/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/places.h"
#include "fs/plan.h"
#include "fs/resolve.h"

#define NESTING_MAX 64 /* mounts within mounts */

struct compiler {
	const struct fs_plan *plan;
	struct view view;
	size_t cap;
	const struct fs_node *open[NESTING_MAX]; /* the mounts around the current node */
	size_t depth;
	const char *previous; /* path of the node before, whose directories exist */
};

static int emit(struct compiler *c, const struct view_op *op, const char *path, size_t len)
{
	struct view *v = &c->view;

	if (v->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 64;
		struct view_op *bigger = realloc(v->op, cap * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		v->op = bigger;
		c->cap = cap;
	}
	struct view_op *slot = &v->op[v->n];

	*slot = *op;
	slot->path = strndup(path + (path[0] == '/'), len - (path[0] == '/'));
	slot->target = op->target ? strdup(op->target) : NULL;
	v->n++;
	return slot->path && (slot->target || !op->target) ? 0 : -ENOMEM;
}

static int emit_root(struct compiler *c, enum view_op_kind kind, int fd)
{
	return emit(c, &(struct view_op){ .kind = kind, .fd = fd }, "", 0);
}

static bool is_mount(const struct fs_node *n)
{
	return n->kind != NODE_DIR && n->kind != NODE_LINK;
}

/* Makes the directories between dir and path's last component that do not exist yet.  Nodes come
 * in the order of the tree, so those that lead to the node before are there. */
static int make_covers(struct compiler *c, const char *dir, const char *path)
{
	size_t start = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
	const char *slash = strchr(path + start + 1, '/');
	int r = 0;

	for (; slash && r == 0; slash = strchr(slash + 1, '/')) {
		size_t len = (size_t)(slash - path);

		if (c->previous && strncmp(c->previous, path, len) == 0 &&
		    (c->previous[len] == '/' || c->previous[len] == '\0'))
			continue;
		r = emit(c, &(struct view_op){ .kind = VIEW_DIR, .fd = -1 }, path, len);
	}
	return r;
}

static int emit_attach(struct compiler *c, const struct fs_node *n, bool on_host)
{
	static const enum view_op_kind attacher[] = {
		[NODE_TREE] = VIEW_MOUNT,
		[NODE_PLACE] = VIEW_MOUNT,
		[NODE_PROC] = VIEW_PROC,
		[NODE_STORED] = VIEW_STORED,
	};
	struct view_op op = {
		.kind = attacher[n->kind],
		.target = n->target,
		.fd = n->mount,
		/* Git replaces these files with others; whatever has the name is covered. */
		.is_checked = on_host && !(n->is_held && !n->is_dir),
		.is_optional = n->is_held && !n->is_dir,
		.dev = n->dev,
		.ino = n->ino,
	};

	return emit(c, &op, n->path, strlen(n->path));
}

/* Inside a tree of the host nothing may be made: what is there is mounted upon. */
static int compile_on_host(struct compiler *c, const struct fs_node *n, struct pinfold_error *e)
{
	if (!is_mount(n) || (!n->on_host && n->is_optional))
		return 0;
	if (!n->on_host)
		return err_set(e, -ENOENT,
			       "'%s' has to exist: it lies in the granted tree '%s', where no "
			       "directory is made for it",
			       n->path, c->open[c->depth - 1]->path);
	return emit_attach(c, n, true);
}

static int compile_inside(struct compiler *c, const struct fs_node *n)
{
	static const enum view_op_kind maker[] = {
		[NODE_DIR] = VIEW_DIR,   [NODE_LINK] = VIEW_LINK, [NODE_TREE] = VIEW_DIR,
		[NODE_PLACE] = VIEW_DIR, [NODE_PROC] = VIEW_DIR,  [NODE_STORED] = VIEW_FILE,
	};
	struct view_op op = {
		.kind = maker[n->kind],
		.fd = -1,
		.target = n->kind == NODE_LINK ? n->target : NULL,
	};
	int r = make_covers(c, c->depth ? c->open[c->depth - 1]->path : "/", n->path);

	if (op.kind == VIEW_DIR && !n->is_dir)
		op.kind = VIEW_FILE;
	if (r == 0)
		r = emit(c, &op, n->path, strlen(n->path));
	if (r == 0 && is_mount(n))
		r = emit_attach(c, n, false);
	return r;
}

static bool lies_on_host(const struct compiler *c)
{
	return c->depth > 0 && c->open[c->depth - 1]->kind == NODE_TREE;
}

static int compile_node(struct compiler *c, const struct fs_node *n, struct pinfold_error *e)
{
	int r;

	while (c->depth > 0 && !fs_path_is_at_or_below(n->path, c->open[c->depth - 1]->path))
		c->depth--;
	if (strcmp(n->path, "/") == 0)
		r = 0; /* the root is attached by VIEW_BEGIN */
	else if (lies_on_host(c))
		r = compile_on_host(c, n, e);
	else
		r = compile_inside(c, n);
	c->previous = n->path;
	if (r < 0 || !is_mount(n) || !n->is_dir)
		return r;
	if (n->is_optional && !n->on_host && lies_on_host(c))
		return 0;
	if (c->depth == NESTING_MAX)
		return err_set(e, -E2BIG, "'%s' lies in more than %d nested grants", n->path,
			       NESTING_MAX);
	c->open[c->depth++] = n;
	return 0;
}

/* What has gone since it was looked at is a name that does not exist, where somebody follows names
 * or is asked at each open. */
static bool may_vanish(const struct fs_plan *plan, const struct fs_mask *m)
{
	return m->is_optional ||
	       (m->may_vanish && (plan->observes || fs_plan_guards(plan, m->path)));
}

static int compile_masks(struct compiler *c)
{
	static char store_dir[] = PLACE_STORE_DIR;
	static char store_file[] = PLACE_STORE_FILE;
	int r = 0;

	for (size_t i = 0; i < c->plan->n_masks && r == 0; i++) {
		const struct fs_mask *m = &c->plan->mask[i];
		struct view_op op = {
			.kind = VIEW_MASK,
			.target = m->is_dir ? store_dir : store_file,
			.fd = -1,
			.is_checked = !m->is_optional,
			.is_optional = may_vanish(c->plan, m),
			.dev = m->dev,
			.ino = m->ino,
		};

		r = emit(c, &op, m->path, strlen(m->path));
	}
	return r;
}

static int compile_all(struct compiler *c, int root, struct pinfold_error *e)
{
	const struct fs_plan *plan = c->plan;
	struct view_op freeze = { .kind = VIEW_FREEZE, .fd = -1, .is_optional = true };
	int r;

	if (plan->n_nodes > 0 && strcmp(plan->node[0].path, "/") == 0)
		root = plan->node[0].mount;
	r = emit_root(c, VIEW_BEGIN, root);
	for (size_t i = 0; i < plan->n_nodes && r == 0; i++)
		r = compile_node(c, &plan->node[i], e);
	if (r == 0)
		r = compile_masks(c);
	if (r == 0)
		r = emit(c, &freeze, "/proc/sys", strlen("/proc/sys"));
	if (r == 0)
		r = emit_root(c, VIEW_SEAL, root);
	return r < 0 ? r : emit_root(c, VIEW_PIVOT, root);
}

int view_compile(const struct fs_plan *plan, int root, int store, struct view *ret,
		 struct pinfold_error *e)
{
	auto_free struct compiler *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->plan = plan;
	c->view.store = store;
	r = compile_all(c, root, e);
	if (r < 0) {
		view_done(&c->view);
		return r == -ENOMEM ? err_set(e, r, "out of memory") : r;
	}
	*ret = c->view;
	return 0;
}

void view_op_text(const struct view_op *op, char *ret, size_t size)
{
	static const char *const verb[] = {
		[VIEW_BEGIN] = "attaching the new root (a chroot needs a mount as its root)",
		[VIEW_DIR] = "making the directory",
		[VIEW_FILE] = "making the file",
		[VIEW_LINK] = "making the symlink",
		[VIEW_MOUNT] = "mounting",
		[VIEW_PROC] = "mounting a fresh",
		[VIEW_FREEZE] = "making read-only",
		[VIEW_STORED] = "mounting the pen's own",
		[VIEW_MASK] = "masking",
		[VIEW_SEAL] = "sealing the new root",
		[VIEW_PIVOT] = "leaving the host's root",
	};

	_Static_assert(ARRAY_SIZE(verb) == VIEW_OP_KINDS, "one verb for each operation");
	if (op->path[0] == '\0')
		(void)snprintf(ret, size, "%s", verb[op->kind]);
	else
		(void)snprintf(ret, size, "%s '/%s'", verb[op->kind], op->path);
}

void view_done(struct view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->op[i].path);
		free(v->op[i].target);
	}
	free(v->op);
	*v = (struct view){ .store = -1 };
}
