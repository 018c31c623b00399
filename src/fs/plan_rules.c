/* SPDX-License-Identifier: MIT */
/* From the rules of a path set to nodes and masks. */
#include "fs/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/paths.h"

#define PATTERN_PREFIX "**/"
#define BUILT_IN "built-in"

/* Places that no rule opens, whatever it says. */
static const struct {
	const char *path;
	bool below_too;
	const char *why;
} closed_places[] = {
	{ "/proc", true, "the pen has a process directory of its own" },
	{ "/dev", false, "name the devices" },
	{ "/sys/fs/cgroup", true, "the pen must not see the groups that hold it" },
	{ "/sys/fs/bpf", true, "the pen must not see the programs that hold it" },
	{ "/sys/kernel/security", true, "it is never shown to a pen" },
	{ "/sys/kernel/debug", true, "it is never shown to a pen" },
	{ "/sys/kernel/tracing", true, "it is never shown to a pen" },
};

/* A denied path, as far as planning goes. */
struct deny {
	const struct path_rule *rule;
	char *path; /* canonical */
};

struct planner {
	struct fs_plan *plan;
	const struct policy *policy;
	const struct path_set *set;
	struct deny *deny;
	size_t n_denies;
	struct pinfold_error *e;
};

static bool is_built_in(const struct path_rule *r)
{
	return strncmp(r->origin, BUILT_IN, strlen(BUILT_IN)) == 0;
}

static int out_of_memory(struct planner *pl)
{
	return err_set(pl->e, -ENOMEM, "out of memory");
}

/* ---- denies ---- */

static int add_deny(struct planner *pl, const struct path_rule *rule, const struct fs_resolved *at)
{
	struct deny *bigger = reallocarray(pl->deny, pl->n_denies + 1, sizeof(*bigger));

	if (!bigger)
		return out_of_memory(pl);
	pl->deny = bigger;
	bigger[pl->n_denies] = (struct deny){ .rule = rule, .path = strdup(at->path) };
	if (!bigger[pl->n_denies].path)
		return out_of_memory(pl);
	pl->n_denies++;
	if (at->fd < 0)
		return 0;

	struct fs_mask m = {
		.path = at->path,
		.is_dir = S_ISDIR(at->st.st_mode),
		.is_optional = fs_path_is_at_or_below(at->path, "/proc") ||
			       fs_path_is_at_or_below(at->path, "/dev"),
		.dev = at->st.st_dev,
		.ino = at->st.st_ino,
	};
	int r = fs_plan_mask(pl->plan, &m);

	return r < 0 ? err_set(pl->e, r, "more than %d denied paths exist", PLAN_MASKS_MAX) : 0;
}

/* A denied symlink is held by its own name as well as by what it leads to. */
static int deny_path(struct planner *pl, const struct path_rule *rule, const char *path)
{
	static const enum fs_follow ways[] = { FS_FOLLOW_ALL, FS_FOLLOW_PARENTS };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways) && r == 0; i++) {
		struct fs_resolved at = { .fd = -1 };

		r = fs_resolve(path, ways[i], &at);
		/* A path that nobody can walk leads to nothing that could be read. */
		if (r == -ELOOP || r == -ENAMETOOLONG)
			return 0;
		if (r < 0)
			return err_set(pl->e, r, "%s: cannot open the denied '%s': %s",
				       rule->origin, path, strerror(-r));
		bool had_links = at.n_links > 0;

		r = add_deny(pl, rule, &at);
		fs_resolved_done(&at);
		if (!had_links)
			break;
	}
	return r;
}

static int deny_glob(struct planner *pl, const struct path_rule *rule)
{
	glob_t found = { 0 };
	int r = glob(rule->path, GLOB_NOSORT | GLOB_PERIOD, NULL, &found);

	if (r == GLOB_NOMATCH)
		return 0;
	if (r != 0)
		return err_set(pl->e, -EIO, "%s: cannot look up '%s'", rule->origin, rule->text);
	for (size_t i = 0; i < found.gl_pathc && r == 0; i++)
		r = deny_path(pl, rule, found.gl_pathv[i]);
	globfree(&found);
	return r;
}

static int plan_deny(struct planner *pl, const struct path_rule *rule)
{
	int r = deny_path(pl, rule, rule->path);

	if (r == 0 && strpbrk(rule->path, "*?["))
		r = deny_glob(pl, rule);
	return r;
}

/* What star-star patterns match directly in a granted tree.  Deeper matches are not looked for:
 * a launch must not cost more the more files a tree has. */
static int deny_top_names(struct planner *pl, const struct path_rule *rule, const char *tree,
			  const char *name)
{
	auto_free char *path = NULL;

	if (fnmatch(rule->path + strlen(PATTERN_PREFIX), name, FNM_PERIOD) != 0)
		return 0;
	if (asprintf(&path, "%s/%s", strcmp(tree, "/") == 0 ? "" : tree, name) < 0)
		return out_of_memory(pl);
	if (path_set_judge(pl->set, path).right != PATH_DENY)
		return 0;
	return deny_path(pl, rule, path);
}

static int scan_top(struct planner *pl, DIR *dir, const char *tree)
{
	const struct dirent *d;
	int r = 0;

	while (r == 0 && (d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		for (size_t i = 0; i < pl->set->n && r == 0; i++) {
			const struct path_rule *rule = &pl->set->rule[i];

			if (rule->pattern && rule->right == PATH_DENY)
				r = deny_top_names(pl, rule, tree, d->d_name);
		}
	}
	return r;
}

static int plan_patterns(struct planner *pl)
{
	size_t n = pl->plan->n_nodes;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct fs_node *node = &pl->plan->node[i];

		if (node->kind != NODE_TREE || !node->is_dir || node->is_built_in)
			continue;
		int fd = openat(node->object, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		DIR *dir = fd < 0 ? NULL : fdopendir(fd);

		if (!dir) {
			r = err_set(pl->e, -errno, "cannot list '%s': %s", node->path,
				    strerror(errno));
			clean_close(&fd);
			break;
		}
		r = scan_top(pl, dir, node->path);
		closedir(dir);
	}
	return r;
}

static bool is_denied(const struct planner *pl, const struct fs_node *n)
{
	for (size_t i = 0; i < pl->n_denies; i++) {
		const struct deny *d = &pl->deny[i];

		if (fs_path_is_at_or_below(n->path, d->path) ||
		    (n->rule && fs_path_is_at_or_below(n->rule->path, d->rule->path)))
			return true;
	}
	return false;
}

/* Deny always wins: what lies below one is not even mounted. */
static void drop_denied_nodes(struct planner *pl)
{
	struct fs_plan *plan = pl->plan;
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_nodes; i++) {
		if (is_denied(pl, &plan->node[i]))
			plan_node_done(&plan->node[i]);
		else
			plan->node[kept++] = plan->node[i];
	}
	plan->n_nodes = kept;
}

/* ---- grants ---- */

static int refuse_closed(struct planner *pl, const struct path_rule *rule, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(closed_places); i++) {
		const char *closed = closed_places[i].path;

		if (strcmp(path, closed) == 0 ||
		    (closed_places[i].below_too && fs_path_is_at_or_below(path, closed)))
			return err_set(pl->e, -EINVAL, "%s: '%s' can't be granted: %s",
				       rule->origin, rule->text, closed_places[i].why);
	}
	if (strcmp(path, "/") == 0 && rule->right == PATH_RW)
		return err_set(pl->e, -EINVAL,
			       "%s: '%s' can't be granted for writing: name the directories",
			       rule->origin, rule->text);
	return 0;
}

static int refuse_missing(struct planner *pl, const struct path_rule *rule)
{
	return err_set(pl->e, -ENOENT, "%s: '%s' does not exist%s", rule->origin, rule->text,
		       rule->right == PATH_RW ? "; create it first" : "");
}

static void set_rights(struct fs_node *n, enum path_right right, mode_t mode)
{
	static const struct {
		enum domain_grant grant;
		uint64_t attrs;
	} by_right[] = {
		[PATH_RO] = { DOMAIN_READ, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC },
		[PATH_ROX] = { DOMAIN_READ_EXEC, MOUNT_ATTR_RDONLY },
		[PATH_RW] = { DOMAIN_WRITE, 0 },
	};

	n->grant = by_right[right].grant;
	n->attrs = by_right[right].attrs | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	/* The system set stays writable as a mount, so that Landlock is what refuses and its
	 * record names the file; it belongs to root anyway.  /opt often does not. */
	if (n->is_built_in && right == PATH_ROX && !fs_path_is_at_or_below(n->path, "/opt"))
		n->attrs &= ~(uint64_t)MOUNT_ATTR_RDONLY;
	if (right == PATH_RW && (S_ISCHR(mode) || S_ISBLK(mode))) {
		n->grant = DOMAIN_DEVICE;
		n->attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	}
}

static int add_tree(struct planner *pl, const struct path_rule *rule, struct fs_resolved *at)
{
	struct fs_node n = {
		.kind = NODE_TREE,
		.path = strdup(at->path),
		.object = -1,
		.mount = -1,
		.is_dir = S_ISDIR(at->st.st_mode),
		.is_built_in = is_built_in(rule),
		.is_ruled = true,
		.on_host = true,
		.dev = at->st.st_dev,
		.ino = at->st.st_ino,
		.rule = rule,
	};

	if (!n.path) {
		plan_node_done(&n);
		return out_of_memory(pl);
	}
	n.object = take_fd(at->fd);
	set_rights(&n, rule->right, at->st.st_mode);
	return plan_add_node(pl->plan, &n, pl->e);
}

static int plan_grant(struct planner *pl, const struct path_rule *rule)
{
	struct fs_resolved at = { .fd = -1 };
	int r;

	r = fs_resolve(rule->path, FS_FOLLOW_ALL, &at);
	if (r < 0)
		return err_set(pl->e, r, "%s: cannot open '%s': %s", rule->origin, rule->text,
			       strerror(-r));
	r = refuse_closed(pl, rule, at.path);
	if (r == 0 && at.fd < 0 && !is_built_in(rule))
		r = refuse_missing(pl, rule);
	if (r == 0 && at.fd >= 0) {
		r = add_tree(pl, rule, &at);
		if (r == 0)
			r = plan_add_links(pl->plan, &at, rule, pl->e);
	}
	fs_resolved_done(&at);
	return r;
}

/* ---- unix sockets outside ---- */

static bool writable_around(const struct fs_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_nodes; i++) {
		const struct fs_node *n = &plan->node[i];

		if (n->kind == NODE_TREE && n->grant == DOMAIN_WRITE &&
		    fs_path_is_at_or_below(path, n->path))
			return true;
	}
	return false;
}

static int add_socket(struct planner *pl, const struct unix_rule *u, struct fs_resolved *at)
{
	struct fs_node n = {
		.kind = NODE_TREE,
		.path = strdup(at->path),
		.object = -1,
		.mount = -1,
		.is_ruled = true,
		.on_host = true,
		.attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
		.grant = DOMAIN_SOCKET,
		.dev = at->st.st_dev,
		.ino = at->st.st_ino,
	};
	int r = 0;

	if (!n.path)
		return out_of_memory(pl);
	if (at->fd < 0 || !S_ISSOCK(at->st.st_mode))
		r = err_set(pl->e, -ENOENT, "%s: '%s' is not a socket", u->origin, u->text);
	else if (writable_around(pl->plan, at->path))
		r = err_set(pl->e, -EACCES,
			    "%s: '%s' lies in a writable tree, where the pen could put another "
			    "socket in its place",
			    u->origin, u->text);
	if (r < 0) {
		free(n.path);
		return r;
	}
	n.object = take_fd(at->fd);
	return plan_add_node(pl->plan, &n, pl->e);
}

static int plan_sockets(struct planner *pl)
{
	int r = 0;

	for (size_t i = 0; i < pl->policy->n_unix_allow && r == 0; i++) {
		const struct unix_rule *u = &pl->policy->unix_allow[i];
		struct fs_resolved at = { .fd = -1 };

		r = fs_resolve(u->path, FS_FOLLOW_ALL, &at);
		if (r < 0)
			return err_set(pl->e, r, "%s: cannot open '%s': %s", u->origin, u->text,
				       strerror(-r));
		r = add_socket(pl, u, &at);
		if (r == 0)
			r = plan_add_links(pl->plan, &at, NULL, pl->e);
		fs_resolved_done(&at);
	}
	return r;
}

/* ---- all ---- */

/* A grant of /sys does not open what is closed below it. */
static int mask_closed(struct planner *pl)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(closed_places) && r == 0; i++) {
		const char *path = closed_places[i].path;
		struct fs_resolved at = { .fd = -1 };

		if (!fs_path_is_at_or_below(path, "/sys") || !fs_plan_grants(pl->plan, path))
			continue;
		r = fs_resolve(path, FS_FOLLOW_PARENTS, &at);
		if (r == 0 && at.fd >= 0)
			r = fs_plan_mask(pl->plan, &(struct fs_mask){ .path = at.path,
								      .is_dir = true,
								      .dev = at.st.st_dev,
								      .ino = at.st.st_ino });
		fs_resolved_done(&at);
		if (r < 0)
			return err_set(pl->e, r, "cannot mask '%s': %s", path, strerror(-r));
	}
	return 0;
}

/* The system set may name places that every pen has of its own. */
static bool is_made_by_the_fence(const struct path_rule *rule)
{
	static const char *const own[] = { "/proc", "/dev", "/sys", "/tmp", "/var/tmp", "/run" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (is_built_in(rule) && strcmp(rule->path, own[i]) == 0)
			return true;
	}
	return false;
}

static int plan_all(struct planner *pl)
{
	int r = 0;

	for (size_t i = 0; i < pl->set->n && r == 0; i++) {
		const struct path_rule *rule = &pl->set->rule[i];

		if (rule->right == PATH_DENY && !rule->pattern)
			r = plan_deny(pl, rule);
		else if (rule->right != PATH_DENY && !is_made_by_the_fence(rule))
			r = plan_grant(pl, rule);
	}
	if (r == 0)
		r = plan_patterns(pl);
	if (r == 0)
		r = plan_sockets(pl);
	if (r < 0)
		return r;
	drop_denied_nodes(pl);
	return mask_closed(pl);
}

int fs_plan_rules(struct fs_plan *plan, const struct policy *p, const struct path_set *set,
		  struct pinfold_error *e)
{
	struct planner pl = { .plan = plan, .policy = p, .set = set, .e = e };
	int r = plan_all(&pl);

	for (size_t i = 0; i < pl.n_denies; i++)
		free(pl.deny[i].path);
	free(pl.deny);
	return r;
}
