/* SPDX-License-Identifier: MIT */
/* Rules that grant, and all rules in their order. */
#include "fs/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/plan_internal.h"
#include "fs/resolve.h"
#include "policy/paths.h"

#define BUILT_IN "built-in"

/* Places that no rule opens, whatever it says. */
static const struct {
	const char *path;
	bool below_too;
	const char *why;
} closed_places[] = {
	{ "/proc", true, "the pen has a process directory of its own" },
	{ "/dev", false, "name the devices" },
	{ "/dev/pts", true, "the pen has terminals of its own" },
	{ "/sys/fs/cgroup", true, "the pen must not see the groups that hold it" },
	{ "/sys/fs/bpf", true, "the pen must not see the programs that hold it" },
	{ "/sys/kernel/security", true, "it is never shown to a pen" },
	{ "/sys/kernel/debug", true, "it is never shown to a pen" },
	{ "/sys/kernel/tracing", true, "it is never shown to a pen" },
};

static bool is_built_in(const struct path_rule *r)
{
	return strncmp(r->origin, BUILT_IN, strlen(BUILT_IN)) == 0;
}

static int out_of_memory(struct planner *pl)
{
	return err_set(pl->e, -ENOMEM, "out of memory");
}

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
	/* The system set stays writable as a mount where Landlock tells what it refuses (since
	 * ABI 7), so that its record names the file; it belongs to root anyway.  /opt often does
	 * not. */
	if (plan_is_system(n->rule) && !fs_path_is_at_or_below(n->path, "/opt") &&
	    fs_landlock_abi() >= 7)
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
		.is_system = plan_is_system(rule),
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

/* Granting what every pen has of its own anyway is no error. */
static bool is_in_every_pen(const char *path)
{
	static const char *const device[] = {
		"/dev/null",   "/dev/zero",   "/dev/full",     "/dev/random", "/dev/urandom",
		"/dev/tty",    "/dev/ptmx",   "/dev/pts",      "/dev/fd",     "/dev/stdin",
		"/dev/stdout", "/dev/stderr", "/dev/pts/ptmx",
	};

	for (size_t i = 0; i < ARRAY_SIZE(device); i++) {
		if (strcmp(path, device[i]) == 0)
			return true;
	}
	return false;
}

static int plan_grant(struct planner *pl, const struct path_rule *rule)
{
	struct fs_resolved at = { .fd = -1 };
	int r;

	if (is_in_every_pen(rule->path))
		return 0;

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
	if (at->fd < 0)
		r = err_set(pl->e, -ENOENT, "%s: '%s' does not exist", u->origin, u->text);
	else if (!S_ISSOCK(at->st.st_mode))
		r = err_set(pl->e, -ENOENT, "%s: '%s' is not a socket", u->origin, u->text);
	else if (plan_is_writable_at(pl->plan, at->path))
		r = err_set(pl->e, -EINVAL,
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
	static const char *const own[] = { "/proc", "/dev", "/sys", "/run" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (is_built_in(rule) && strcmp(rule->origin, PATH_ORIGIN_OBSERVE) != 0 &&
		    strcmp(rule->path, own[i]) == 0)
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
	if (r == 0 && !pl->plan->observes)
		r = plan_git(pl);
	if (r == 0 && !pl->plan->observes)
		r = plan_strict(pl);
	if (r == 0 && !pl->plan->observes)
		r = plan_sockets(pl);
	if (r < 0)
		return r;
	plan_drop_denied(pl);
	r = plan_masks(pl);
	if (r == 0)
		r = plan_other_names(pl);
	if (r == 0 && !pl->plan->observes)
		r = plan_outside_sockets(pl);
	return r < 0 ? r : mask_closed(pl);
}

int fs_plan_rules(struct fs_plan *plan, const struct policy *p, const struct path_set *set,
		  struct pinfold_error *e)
{
	struct planner pl = { .plan = plan, .policy = p, .set = set, .e = e };
	int r = plan_all(&pl);

	for (size_t i = 0; i < pl.n_denies; i++)
		free(pl.deny[i].mask.path);
	free(pl.deny);
	return r;
}
