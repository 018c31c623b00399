/* SPDX-License-Identifier: MIT */
/* Repositories in the plan: the one at the top of each tree for writing, and the metadata of the
 * main repository where that is a linked worktree, of its own elsewhere where it is a submodule.
 * Those further down are the guard's. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/git.h"
#include "fs/plan.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/policy.h"

#define TREES_MAX 256 /* for writing, that are looked at */

/* What an own tree in the plan is for. */
enum hold {
	HOLD_READ_ONLY = 0,
	HOLD_NAME, /* writable, but it can't be renamed or replaced */
	HOLD_OPEN, /* granted for writing */
};

/* What of the main repository is no business of its linked worktrees.  Git replaces these files
 * with others all the time, so they need not be the very ones that were seen. */
static const char *const main_only[] = { "HEAD", "index", "modules", "worktrees", NULL };

/* A tree for writing; the array of nodes moves while nodes are added. */
struct top {
	char *path;
	uint64_t attrs;
	const struct path_rule *rule;
};

static int out_of_memory(struct planner *pl)
{
	return err_set(pl->e, -ENOMEM, "out of memory");
}

/* Takes at's descriptor. */
static int add_held(struct planner *pl, const struct top *t, struct fs_resolved *at, enum hold hold)
{
	bool is_dir = S_ISDIR(at->st.st_mode);
	struct fs_node n = {
		.kind = NODE_TREE,
		.path = strdup(at->path),
		.object = -1,
		.mount = -1,
		.is_dir = is_dir,
		.is_ruled = is_dir,
		.is_held = hold != HOLD_OPEN,
		.on_host = true,
		.attrs = t->attrs | (hold == HOLD_READ_ONLY ? MOUNT_ATTR_RDONLY : 0),
		.grant = hold == HOLD_READ_ONLY ? DOMAIN_READ_EXEC : DOMAIN_WRITE,
		.dev = at->st.st_dev,
		.ino = at->st.st_ino,
		.rule = t->rule,
	};

	if (!n.path)
		return out_of_memory(pl);
	n.object = take_fd(at->fd);
	return plan_add_node(pl->plan, &n, pl->e);
}

static int hold_at(struct planner *pl, const struct top *t, const char *path, enum hold hold)
{
	struct fs_resolved at = { .fd = -1 };
	int r = fs_resolve(path, FS_FOLLOW_PARENTS, &at);

	if (r < 0)
		return err_set(pl->e, r, "cannot open '%s': %s", path, strerror(-r));
	/* A symlink on the way leads to something that is held under its own name, if at all. */
	if (at.fd >= 0 && at.n_links == 0)
		r = add_held(pl, t, &at, hold);
	fs_resolved_done(&at);
	return r;
}

int plan_hold_name(struct planner *pl, const struct fs_node *tree, const char *path)
{
	const struct top t = { .attrs = tree->attrs, .rule = tree->rule };

	return hold_at(pl, &t, path, HOLD_NAME);
}

static int hold_names(struct planner *pl, const struct top *t, const char *dir,
		      const char *const *name)
{
	int r = 0;

	for (; *name && r == 0; name++) {
		auto_free char *path = NULL;
		struct fs_resolved far = { .fd = -1 };

		if (asprintf(&path, "%s/%s", dir, *name) < 0)
			return out_of_memory(pl);
		r = hold_at(pl, t, path, HOLD_READ_ONLY);
		/* What a symlink leads to, where that can be written. */
		if (r == 0 && fs_resolve(path, FS_FOLLOW_ALL, &far) == 0 && far.fd >= 0 &&
		    far.n_links > 0 && plan_is_writable_at(pl->plan, far.path))
			r = add_held(pl, t, &far, HOLD_READ_ONLY);
		fs_resolved_done(&far);
	}
	return r;
}

/* ---- linked worktrees ----------------------------------------------------------------------- */

/* The canonical path that text, read in a file of dir, means; NULL: none that counts.  What a
 * session could have made lead elsewhere counts for nothing. */
static char *meant_path(const struct planner *pl, const char *dir, const char *text)
{
	struct fs_resolved at = { .fd = -1 };
	char path[PATH_MAX];
	char *found = NULL;
	int n = text[0] == '/' ? snprintf(path, sizeof(path), "%s", text)
			       : snprintf(path, sizeof(path), "%s/%s", dir, text);

	if (n < 0 || (size_t)n >= sizeof(path) || fs_resolve(path, FS_FOLLOW_ALL, &at) < 0)
		return NULL;
	if (at.fd >= 0)
		found = take_ptr(at.path);
	for (size_t i = 0; i < at.n_links; i++)
		if (plan_is_writable_at(pl->plan, at.link[i].path)) {
			free(found);
			found = NULL;
		}
	fs_resolved_done(&at);
	return found;
}

static int open_plain(const char *path, struct fs_resolved *ret)
{
	int r = fs_resolve(path, FS_FOLLOW_PARENTS, ret);

	if (r == 0 && (ret->fd < 0 || !S_ISDIR(ret->st.st_mode)))
		r = -ENOTDIR;
	return r;
}

/* Whether the main repository knows this very worktree: a .git file may say whatever it likes, but
 * what it names has to name it in turn, and lie where git puts it. */
static bool is_acknowledged(const struct planner *pl, const char *own, const char *tree)
{
	struct fs_resolved at = { .fd = -1 };
	char text[GIT_TEXT_MAX];
	auto_free char *back = NULL;
	auto_free char *want = NULL;
	bool is = false;

	if (open_plain(own, &at) == 0 && git_look(at.fd, "") == GIT_WORKTREE &&
	    git_read_line(at.fd, "commondir", "", text) == 0 && strcmp(text, "../..") == 0 &&
	    git_read_line(at.fd, "gitdir", "", text) == 0 &&
	    asprintf(&want, "%s/" GIT_ENTRY, tree) > 0) {
		back = meant_path(pl, own, text);
		is = back && strcmp(back, want) == 0;
	}
	fs_resolved_done(&at);
	return is;
}

/* The main repository of MAIN/worktrees/NAME, or NULL. */
static char *main_of(const char *own)
{
	const char *name = strrchr(own, '/');
	size_t len = name ? (size_t)(name - own) : 0;
	size_t end = strlen("/worktrees");
	struct fs_resolved at = { .fd = -1 };
	char *path;

	if (len <= end || strncmp(own + len - end, "/worktrees", end) != 0)
		return NULL;
	path = strndup(own, len - end);
	if (!path || open_plain(path, &at) < 0 || git_look(at.fd, "") != GIT_REPOSITORY) {
		free(path);
		path = NULL;
	}
	fs_resolved_done(&at);
	return path;
}

static int grant_main(struct planner *pl, const struct top *t, const char *main_dir,
		      const char *own)
{
	int r = hold_at(pl, t, main_dir, HOLD_OPEN);

	if (r == 0)
		r = hold_names(pl, t, main_dir, git_held(GIT_REPOSITORY));
	if (r == 0)
		r = hold_names(pl, t, main_dir, main_only);
	return r < 0 ? r : hold_at(pl, t, own, HOLD_OPEN);
}

/* ---- submodules ------------------------------------------------------------------------------ */

/* Whether own is where git puts a submodule's metadata: below modules/ of another repository, or of
 * a linked worktree of it. */
static bool is_in_modules(const char *own)
{
	const char *modules = "/modules/";
	const char *at = strstr(own, modules);

	for (; at; at = strstr(at + 1, modules)) {
		auto_free char *around = strndup(own, (size_t)(at - own));
		struct fs_resolved dir = { .fd = -1 };
		bool is =
		    around && open_plain(around, &dir) == 0 && git_look(dir.fd, "") != GIT_NONE;

		fs_resolved_done(&dir);
		if (is)
			return true;
	}
	return false;
}

/* Both directions have to agree here as well: the metadata's configuration names this very tree. */
static bool is_submodule(const struct planner *pl, const char *own, const char *tree)
{
	struct fs_resolved at = { .fd = -1 };
	char text[GIT_TEXT_MAX];
	auto_free char *back = NULL;
	bool is = false;

	if (is_in_modules(own) && open_plain(own, &at) == 0 &&
	    git_look(at.fd, "") == GIT_REPOSITORY && git_read_work_tree(at.fd, text) == 0) {
		back = meant_path(pl, own, text);
		is = back && strcmp(back, tree) == 0;
	}
	fs_resolved_done(&at);
	return is;
}

/* The .git file of a tree: read-only, and what it leads to is granted if it is what it says. */
static int plan_link_file(struct planner *pl, const struct top *t, int tree)
{
	char text[GIT_TEXT_MAX];
	auto_free char *own = NULL;
	auto_free char *main_dir = NULL;
	int r = 0;

	if (git_read_line(tree, GIT_ENTRY, "gitdir: ", text) < 0)
		return 0;
	own = meant_path(pl, t->path, text);
	if (!own)
		return 0;
	if (is_acknowledged(pl, own, t->path))
		main_dir = main_of(own);
	if (main_dir && !plan_is_writable_at(pl->plan, main_dir))
		r = grant_main(pl, t, main_dir, own);
	if (r == 0 && plan_is_writable_at(pl->plan, own))
		return hold_names(pl, t, own, git_held(GIT_WORKTREE));
	/* It lies outside the workspace, so it is there to be read and no more. */
	if (r == 0 && !main_dir && is_submodule(pl, own, t->path))
		r = hold_at(pl, t, own, HOLD_READ_ONLY);
	return r;
}

/* ---- the tops of trees ---------------------------------------------------------------------- */

static int plan_repository(struct planner *pl, const struct top *t, const char *dir)
{
	int r = hold_at(pl, t, dir, HOLD_NAME);

	return r < 0 ? r : hold_names(pl, t, dir, git_held(GIT_REPOSITORY));
}

/* One look at a tree's top. */
static int plan_top(struct planner *pl, const struct top *t)
{
	struct fs_resolved tree = { .fd = -1 };
	struct fs_resolved entry = { .fd = -1 };
	auto_free char *path = NULL;
	int r = fs_resolve(t->path, FS_FOLLOW_PARENTS, &tree);

	if (asprintf(&path, "%s/" GIT_ENTRY, t->path) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = fs_resolve(path, FS_FOLLOW_ALL, &entry);
	/* A loop of symlinks is no repository. */
	if (r < 0) {
		fs_resolved_done(&tree);
		return r == -ELOOP ? 0 : err_set(pl->e, r, "cannot look into '%s'", t->path);
	}
	enum git_kind kind = tree.fd >= 0 ? git_look(tree.fd, "") : GIT_NONE;

	r = hold_names(pl, t, t->path, git_held(kind));
	if (r == 0 && entry.n_links > 0)
		r = hold_at(pl, t, path, HOLD_NAME);
	if (r == 0 && entry.fd >= 0 && S_ISDIR(entry.st.st_mode) &&
	    plan_is_writable_at(pl->plan, entry.path))
		r = plan_repository(pl, t, entry.path);
	if (r == 0 && entry.fd >= 0 && !S_ISDIR(entry.st.st_mode) && entry.n_links == 0) {
		r = plan_link_file(pl, t, tree.fd);
		if (r == 0)
			r = hold_at(pl, t, path, HOLD_READ_ONLY);
	}
	fs_resolved_done(&tree);
	fs_resolved_done(&entry);
	return r;
}

static int list_tops(struct planner *pl, struct top *top, size_t *n)
{
	for (size_t i = 0; i < pl->plan->n_nodes; i++) {
		const struct fs_node *node = &pl->plan->node[i];

		if (node->kind != NODE_TREE || !node->is_dir || node->grant != DOMAIN_WRITE ||
		    !node->rule)
			continue;
		if (*n == TREES_MAX)
			return err_set(pl->e, -E2BIG,
				       "more than %d trees for writing, each of which may be a "
				       "repository; \"protectGit\": false looks at none",
				       TREES_MAX);
		top[*n] = (struct top){ .path = strdup(node->path),
					.attrs = node->attrs,
					.rule = node->rule };
		if (!top[(*n)++].path)
			return out_of_memory(pl);
	}
	return 0;
}

int plan_git(struct planner *pl)
{
	struct top *top = NULL;
	size_t n = 0;
	int r;

	if (!pl->policy->fs.protect_git)
		return 0;
	top = calloc(TREES_MAX, sizeof(*top));
	if (!top)
		return out_of_memory(pl);
	r = list_tops(pl, top, &n);
	for (size_t i = 0; i < n && r == 0; i++)
		r = plan_top(pl, &top[i]);
	for (size_t i = 0; i < n; i++)
		free(top[i].path);
	free(top);
	return r;
}
