/* SPDX-License-Identifier: MIT */
/* The plan as a set of nodes: adding, sorting, merging. */
#include "fs/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/paths.h"

void plan_node_done(struct fs_node *node)
{
	free(node->path);
	free(node->target);
	if (node->object >= 0)
		close(node->object);
	if (node->mount >= 0)
		close(node->mount);
	*node = (struct fs_node){ .object = -1, .mount = -1 };
}

int plan_add_node(struct fs_plan *plan, struct fs_node *node, struct pinfold_error *e)
{
	struct fs_node *bigger = NULL;

	if (plan->n_nodes < PLAN_NODES_MAX)
		bigger = reallocarray(plan->node, plan->n_nodes + 1, sizeof(*bigger));
	/* The old one is gone, whatever comes next. */
	if (bigger)
		plan->node = bigger;
	if (!bigger || !node->path) {
		bool full = plan->n_nodes == PLAN_NODES_MAX;

		plan_node_done(node);
		return full ? err_set(e, -E2BIG, "more than %d paths are granted", PLAN_NODES_MAX)
			    : err_set(e, -ENOMEM, "out of memory");
	}
	plan->node[plan->n_nodes++] = *node;
	*node = (struct fs_node){ .object = -1, .mount = -1 };
	return 0;
}

int plan_add_links(struct fs_plan *plan, const struct fs_resolved *at, const struct path_rule *rule,
		   struct pinfold_error *e)
{
	for (size_t i = 0; i < at->n_links; i++) {
		struct fs_node link = {
			.kind = NODE_LINK,
			.path = strdup(at->link[i].path),
			.target = strdup(at->link[i].target),
			.object = -1,
			.mount = -1,
			.rule = rule,
		};
		int r = link.target ? plan_add_node(plan, &link, e)
				    : err_set(e, -ENOMEM, "out of memory");

		plan_node_done(&link);
		if (r < 0)
			return r;
	}
	return 0;
}

int fs_plan_place(struct fs_plan *plan, const char *path, struct fs_node *node,
		  struct pinfold_error *e)
{
	struct fs_resolved at = { .fd = -1 };
	int r = fs_resolve(path, FS_FOLLOW_ALL, &at);

	if (r < 0) {
		plan_node_done(node);
		return err_set(e, r, "cannot follow '%s': %s", path, strerror(-r));
	}
	node->path = strdup(at.path);
	node->on_host = at.fd >= 0 && (bool)S_ISDIR(at.st.st_mode) == node->is_dir;
	node->dev = at.st.st_dev;
	node->ino = at.st.st_ino;
	node->is_built_in = true;
	r = plan_add_node(plan, node, e);
	if (r == 0)
		r = plan_add_links(plan, &at, NULL, e);
	fs_resolved_done(&at);
	return r;
}

int fs_plan_tree(struct fs_plan *plan, const char *path, struct pinfold_error *e)
{
	struct fs_resolved at = { .fd = -1 };
	int r = fs_resolve(path, FS_FOLLOW_ALL, &at);

	if (r < 0)
		return err_set(e, r, "cannot open '%s': %s", path, strerror(-r));
	if (at.fd >= 0) {
		struct fs_node n = {
			.kind = NODE_TREE,
			.path = strdup(at.path),
			.object = -1,
			.mount = -1,
			.is_dir = S_ISDIR(at.st.st_mode),
			.is_built_in = true,
			.is_system = true,
			.is_ruled = true,
			.on_host = true,
			.attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
				 MOUNT_ATTR_RDONLY,
			.grant = DOMAIN_READ,
			.dev = at.st.st_dev,
			.ino = at.st.st_ino,
		};

		n.object = take_fd(at.fd);
		r = plan_add_node(plan, &n, e);
	}
	if (r == 0)
		r = plan_add_links(plan, &at, NULL, e);
	fs_resolved_done(&at);
	return r;
}

int fs_plan_mask(struct fs_plan *plan, const struct fs_mask *m)
{
	struct fs_mask *bigger = NULL;

	if (plan->n_masks == PLAN_MASKS_MAX)
		return -E2BIG;
	bigger = reallocarray(plan->mask, plan->n_masks + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	plan->mask = bigger;
	bigger[plan->n_masks] = *m;
	bigger[plan->n_masks].path = strdup(m->path);
	if (!bigger[plan->n_masks].path)
		return -ENOMEM;
	plan->n_masks++;
	return 0;
}

/* What an observer is only shown counts as well: patterns and the search for links are for grants.
 */
bool plan_is_system(const struct path_rule *rule)
{
	return strcmp(rule->origin, PATH_ORIGIN_SYSTEM) == 0 ||
	       strcmp(rule->origin, PATH_ORIGIN_OBSERVE) == 0;
}

/* At one path the system set loses to other rules, and of those the narrower wins, as in
 * path_set_judge(). */
static int rank(const struct fs_node *n)
{
	static const int by_grant[] = {
		[DOMAIN_READ] = 0,   [DOMAIN_READ_EXEC] = 1, [DOMAIN_WRITE] = 2,
		[DOMAIN_DEVICE] = 3, [DOMAIN_PROC] = 4,      [DOMAIN_SOCKET] = 5,
	};

	if (n->kind == NODE_STORED)
		return 0;
	_Static_assert(ARRAY_SIZE(by_grant) == DOMAIN_SOCKET + 1, "one rank for each grant");
	if (n->kind == NODE_TREE && n->rule)
		return (plan_is_system(n->rule) ? 20 : 10) + by_grant[n->grant];
	if (n->kind == NODE_TREE)
		return 30 + by_grant[n->grant];
	return 50 - (int)n->kind;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct fs_node *x = a;
	const struct fs_node *y = b;
	int r = path_order(x->path, y->path);

	return r ? r : rank(x) - rank(y);
}

static int compare_masks(const void *a, const void *b)
{
	const struct fs_mask *x = a;
	const struct fs_mask *y = b;

	return path_order(x->path, y->path);
}

bool plan_is_writable_at(const struct fs_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind == NODE_TREE && n->grant == DOMAIN_WRITE && n->is_dir &&
		    fs_path_is_at_or_below(path, n->path))
			return true;
	}
	return false;
}

static int check_links(const struct fs_plan *plan, struct pinfold_error *e)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind != NODE_LINK || !plan_is_writable_at(plan, n->path))
			continue;
		if (!n->rule)
			return err_set(e, -EACCES,
				       "the symlink '%s' lies in a writable tree and could have "
				       "been planted; a path that the pen needs goes through it",
				       n->path);
		return err_set(e, -EACCES,
			       "%s: '%s' goes through the symlink '%s', which lies in a writable "
			       "tree and could have been planted; name the real path",
			       n->rule->origin, n->rule->text, n->path);
	}
	return 0;
}

/* Keeps the first node of each path. */
static void merge_nodes(struct fs_plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		if (kept > 0 && strcmp(plan->node[kept - 1].path, plan->node[i].path) == 0)
			plan_node_done(&plan->node[i]);
		else
			plan->node[kept++] = plan->node[i];
	}
	plan->n_nodes = kept;
}

/* Of a sorted plan: the innermost tree around node[i], or NULL. */
static struct fs_node *tree_around(const struct fs_plan *plan, size_t i)
{
	const char *path = plan->node[i].path;

	while (i-- > 0) {
		struct fs_node *n = &plan->node[i];

		if ((n->kind == NODE_TREE || n->kind == NODE_PLACE) && n->is_dir &&
		    fs_path_is_at_or_below(path, n->path))
			return n->kind == NODE_TREE ? n : NULL;
	}
	return NULL;
}

static bool lies_in_writable_node(const struct fs_plan *plan, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		const struct fs_node *n = &plan->node[j];

		if (n->is_ruled && n->is_dir && n->grant == DOMAIN_WRITE &&
		    fs_path_is_at_or_below(plan->node[i].path, n->path))
			return true;
	}
	return false;
}

/* Landlock adds up along a path, so a tree inside a wider one is held by its mount alone. */
static void narrow_nodes(struct fs_plan *plan)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		struct fs_node *n = &plan->node[i];
		bool is_narrow = n->grant == DOMAIN_READ || n->grant == DOMAIN_READ_EXEC;

		if (n->kind == NODE_TREE && is_narrow && lies_in_writable_node(plan, i))
			n->attrs |= MOUNT_ATTR_RDONLY;
	}
}

/* A tree inside one of the same kind needs no mount of its own. */
static void drop_repeats(struct fs_plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		struct fs_node n = plan->node[i];

		plan->node[kept] = n;
		const struct fs_node *around = tree_around(plan, kept);

		if (n.kind == NODE_TREE && !n.is_held && around && around->grant == n.grant &&
		    around->attrs == n.attrs &&
		    (!plan->observes || !n.is_dir || around->is_system == n.is_system))
			plan_node_done(&plan->node[kept]);
		else
			kept++;
	}
	plan->n_nodes = kept;
}

const struct fs_node *fs_plan_find(const struct fs_plan *plan, const char *path)
{
	const struct fs_node *found = NULL;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind != NODE_DIR && n->kind != NODE_LINK &&
		    fs_path_is_at_or_below(path, n->path))
			found = n;
	}
	return found;
}

bool fs_plan_guards(const struct fs_plan *plan, const char *path)
{
	const struct fs_node *n = fs_plan_find(plan, path);

	return n && n->kind == NODE_TREE && n->is_dir && n->is_ruled && !n->is_system;
}

/* A mask is needed where a tree of the host shows the path, and in the pen's own /proc and /dev;
 * elsewhere nothing is there to mount it upon. */
static bool is_needed(const struct fs_plan *plan, const struct fs_mask *m)
{
	const struct fs_node *n = fs_plan_find(plan, m->path);

	return m->is_optional || (n && n->kind == NODE_TREE);
}

static void sort_masks(struct fs_plan *plan)
{
	size_t kept = 0;

	if (plan->n_masks > 1)
		qsort(plan->mask, plan->n_masks, sizeof(*plan->mask), compare_masks);
	for (size_t i = 0; i < plan->n_masks; i++) {
		struct fs_mask *m = &plan->mask[i];
		bool is_below =
		    kept > 0 && fs_path_is_at_or_below(m->path, plan->mask[kept - 1].path);

		if (is_below || !is_needed(plan, m))
			free(m->path);
		else
			plan->mask[kept++] = *m;
	}
	plan->n_masks = kept;
}

int fs_plan_finish(struct fs_plan *plan, struct pinfold_error *e)
{
	int r = plan->observes ? 0 : check_links(plan, e);

	if (r < 0)
		return r;
	if (plan->n_nodes > 1)
		qsort(plan->node, plan->n_nodes, sizeof(*plan->node), compare_nodes);
	merge_nodes(plan);
	narrow_nodes(plan);
	drop_repeats(plan);
	sort_masks(plan);
	for (size_t i = 0; i < plan->n_nodes; i++)
		plan->node[i].rule = NULL;
	return 0;
}

bool fs_plan_grants(const struct fs_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		if (plan->node[i].kind == NODE_TREE &&
		    fs_path_is_at_or_below(path, plan->node[i].path))
			return true;
	}
	return false;
}

bool fs_plan_masks(const struct fs_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_masks; i++) {
		if (fs_path_is_at_or_below(path, plan->mask[i].path))
			return true;
	}
	return false;
}

void fs_plan_done(struct fs_plan *plan)
{
	for (size_t i = 0; i < plan->n_nodes; i++)
		plan_node_done(&plan->node[i]);
	for (size_t i = 0; i < plan->n_masks; i++)
		free(plan->mask[i].path);
	free(plan->node);
	free(plan->mask);
	*plan = (struct fs_plan){ 0 };
}
