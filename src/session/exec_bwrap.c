/* SPDX-License-Identifier: MIT */
/*
 * The lesser pen: bubblewrap, for hosts whose kernel or rights don't do for a pen.  It shows the
 * trees that the policy grants, read-only where the policy says so, with the denied paths that
 * exist masked.  The network is shut as a whole.  What it does not have: rules for system calls,
 * denied names that come later, limits, a record of what was refused.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/mount.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/plan.h"
#include "identity/identity.h"
#include "policy/paths.h"
#include "policy/read.h"
#include "session/exec.h"

#define ID_TEXT 16
#define NAMES_SEEN_MAX 1000000 /* entries looked at for denied names */

static const char *const PLACES[] = { "/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap" };

static const char *find_program(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLACES); i++)
		if (access(PLACES[i], X_OK) == 0)
			return PLACES[i];
	return NULL;
}

/* Appends words. */
#define add(l, ...) add_words((l), (const char *const[]){ __VA_ARGS__, NULL })

static int add_words(struct string_list *l, const char *const *words)
{
	int r = 0;

	for (; *words && r == 0; words++)
		r = list_add(l, *words);
	return r;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The directories on the way: bubblewrap would make them for root alone. */
static int add_parents(struct string_list *l, const struct fs_plan *plan, const char *path)
{
	auto_free char *copy = strdup(path);
	int r = copy ? 0 : -ENOMEM;

	for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && r == 0;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!fs_plan_grants(plan, copy))
			r = add(l, "--perms", "0755", "--dir", copy);
		*slash = '/';
	}
	return r;
}

static int add_node(struct string_list *l, const struct fs_plan *plan, const struct fs_node *n)
{
	if (n->kind == NODE_TREE && add_parents(l, plan, n->path) < 0)
		return -ENOMEM;

	switch (n->kind) {
	case NODE_TREE:
		return add(l, n->attrs & MOUNT_ATTR_RDONLY ? "--ro-bind" : "--bind", n->path,
			   n->path);
	case NODE_LINK:
		return add(l, "--symlink", n->target, n->path);
	case NODE_DIR:
	case NODE_PLACE:
	case NODE_PROC:
	case NODE_STORED:
		break;
	}
	return 0;
}

static int add_mask(struct string_list *l, const char *path, bool is_dir)
{
	if (!is_dir)
		return add(l, "--ro-bind", "/dev/null", path);
	return add(l, "--perms", "0000", "--tmpfs", path, "--remount-ro", path);
}

static bool is_denied_name(const struct path_set *set, const char *path)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->rule[i].right == PATH_DENY && set->rule[i].pattern &&
		    path_rule_matches(&set->rule[i], path))
			return true;
	return false;
}

static int add_plan(struct string_list *l, const struct fs_plan *plan)
{
	int r = 0;

	for (size_t i = 0; i < plan->n_nodes && r == 0; i++)
		r = add_node(l, plan, &plan->node[i]);
	for (size_t i = 0; i < plan->n_masks && r == 0; i++)
		if (fs_plan_grants(plan, plan->mask[i].path))
			r = add_mask(l, plan->mask[i].path, plan->mask[i].is_dir);
	return r;
}

/* Denied names stand wherever a granted tree has them; those that are there are masked. */
static int mask_names(struct string_list *l, const struct path_set *set, char *tree,
		      struct pinfold_error *e)
{
	char *roots[] = { tree, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	size_t seen = 0;
	FTSENT *at;
	int r = fts ? 0 : -errno;

	while (r == 0 && (at = fts_read(fts))) {
		if (at->fts_info == FTS_DP)
			continue;
		if (++seen > NAMES_SEEN_MAX) {
			r = -E2BIG;
		} else if (is_denied_name(set, at->fts_path)) {
			r = add_mask(l, at->fts_path, at->fts_info == FTS_D);
			fts_set(fts, at, FTS_SKIP);
		}
	}
	if (fts)
		fts_close(fts);
	return r < 0 ? err_set(e, r, "cannot look for denied names in '%s': %s", tree, strerror(-r))
		     : 0;
}

static int add_names(struct string_list *l, const struct fs_plan *plan, const struct path_set *set,
		     struct pinfold_error *e)
{
	int r = 0;

	for (size_t i = 0; i < plan->n_nodes && r == 0; i++)
		if (plan->node[i].kind == NODE_TREE && !plan->node[i].is_system)
			r = mask_names(l, set, plan->node[i].path, e);
	return r;
}

static int add_own(struct string_list *l, const struct identity *id)
{
	int r = add(l, "--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs",
		    "/var/tmp", "--proc", "/proc", "--dev", "/dev");

	return r == 0 && id->home_is_private ? add(l, "--perms", "1777", "--tmpfs", id->home) : r;
}

/* What decides about the command must be out of its reach. */
static int refuse_writable(const struct exec *x, const struct path_set *set,
			   struct pinfold_error *e)
{
	const struct string_list *files = &x->args->agents->config->files;
	int r = 0;

	for (size_t i = 0; i < files->n && r == 0; i++)
		r = path_set_refuse_writable(set, files->s[i], "the configuration", e);
	return r;
}

static int add_files(struct string_list *l, const struct exec *x, const struct identity *id,
		     struct pinfold_error *e)
{
	const struct policy *p = &x->policy->policy;
	const char *home = id->home_is_private ? NULL : id->home;
	struct path_set set = { 0 };
	struct fs_plan plan = { 0 };
	int r = path_set_build(p, &x->policy->context.policy, home, &set, e);

	if (r == 0)
		r = refuse_writable(x, &set, e);
	if (r == 0)
		r = fs_plan_rules(&plan, p, &set, e);
	if (r == 0)
		r = fs_plan_finish(&plan, e);
	if (r == 0 && (add_own(l, id) < 0 || add_plan(l, &plan) < 0))
		r = err_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = add_names(l, &plan, &set, e);
	fs_plan_done(&plan);
	path_set_done(&set);
	return r;
}

/* ---- everything else ------------------------------------------------------------------------ */

/* Root gives itself away inside; for anybody else bubblewrap makes a user namespace. */
static int add_user(struct string_list *l, const struct identity *id)
{
	char uid[ID_TEXT];
	char gid[ID_TEXT];

	if (geteuid() != 0)
		return add(l, "--");
	snprintf(uid, sizeof(uid), "%u", (unsigned)id->uid);
	snprintf(gid, sizeof(gid), "%u", (unsigned)id->gid);
	return add(l, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add",
		   "CAP_SETPCAP", "--", "/usr/bin/setpriv", "--reuid", uid, "--regid", gid,
		   "--clear-groups", "--inh-caps", "-all", "--bounding-set", "-all",
		   "--no-new-privs", "--");
}

static int add_environment(struct string_list *l, const struct identity *id)
{
	int r = add(l, "--clearenv");

	for (char **v = id->env; *v && r == 0; v++) {
		const char *equals = strchr(*v, '=');
		auto_free char *name = equals ? strndup(*v, (size_t)(equals - *v)) : NULL;

		if (name)
			r = add(l, "--setenv", name, equals + 1);
	}
	return r;
}

static int add_rest(struct string_list *l, const struct exec *x, const struct identity *id,
		    struct pinfold_error *e)
{
	const struct policy *p = &x->policy->policy;
	const char *start = p->fence_to_lane && p->lane ? p->lane : p->workspace;
	int r = add_environment(l, id);

	if (r == 0)
		r = add(l, "--chdir", p->workspace_access == WORKSPACE_NONE ? "/" : start);
	if (r == 0)
		r = add_user(l, id);
	for (char *const *word = x->args->argv; *word && r == 0; word++)
		r = list_add(l, *word);
	return r < 0 ? err_set(e, r, "out of memory") : 0;
}

static int build(struct string_list *l, const struct exec *x, const char *program,
		 struct pinfold_error *e)
{
	struct identity id = { 0 };
	int r = identity_prepare(&id, &x->policy->policy, &x->policy->context.policy,
				 x->decision.place.session, e);

	if (r == 0 &&
	    add(l, program, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
		"--unshare-cgroup-try", "--die-with-parent", "--new-session") < 0)
		r = err_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = add_files(l, x, &id, e);
	if (r == 0)
		r = add_rest(l, x, &id, e);
	identity_done(&id);
	return r;
}

int exec_bwrap(struct exec *x, struct pinfold_error *e)
{
	const char *program = find_program();
	struct string_list words = { 0 };
	auto_free char **argv = NULL;
	int r;

	if (!program)
		return err_set(e, -ENOENT, "bubblewrap is not installed (%s)", PLACES[0]);
	r = build(&words, x, program, e);
	if (r == 0) {
		argv = calloc(words.n + 1, sizeof(*argv));
		r = argv ? 0 : err_set(e, -ENOMEM, "out of memory");
	}
	if (r == 0) {
		memcpy(argv, words.s, words.n * sizeof(*argv));
		x->location = EXEC_BWRAP;
		x->status = -1;
		r = exec_child(program, argv, &x->status, e);
		x->has_status = x->status != -1;
	}
	list_done(&words);
	/* -ENOENT is said of the program alone. */
	return r == -ENOENT ? -EIO : r;
}
