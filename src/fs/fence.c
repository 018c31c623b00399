/* SPDX-License-Identifier: MIT */
/* The file fence as a whole: what every pen has, what its policy grants, and both enters. */
#include "fs/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/domain.h"
#include "fs/pipes.h"
#include "fs/places.h"
#include "fs/plan.h"
#include "fs/resolve.h"
#include "fs/view.h"
#include "policy/paths.h"

#define RESOLV_CONF "/etc/resolv.conf"

/* Parts of the machine's memory that a pen's own file systems may take, 60 % in sum. */
#define TMP_PERCENT 20
#define HOME_PERCENT 20
#define VAR_TMP_PERCENT 10
#define SHM_PERCENT 10

struct fs_fence {
	struct domain domain;
	struct fs_plan plan;
	struct view view;
	int root;
	int store;
	char *workspace; /* canonical; NULL: not mounted */
	bool holds_git;
	bool observes;
};

/* Steps of fs_fence_enter_domain(), counted on after those of the view. */
enum domain_step { STEP_PROC_OPEN = 0, STEP_PROC_RULE, STEP_INHERITED, STEP_RESTRICT };

/* /sys is empty but for these, which run-times read to size themselves (nproc, JVM, Go, malloc):
 * processors, memory nodes, page size.  Nothing there names the host, its network or its cgroups.
 */
static const char *const sys_trees[] = {
	"/sys/devices/system/cpu",
	"/sys/devices/system/node",
	"/sys/kernel/mm/transparent_hugepage",
};

/* What /proc shows of the whole machine, or offers for driving it. */
static const struct fs_mask proc_masks[] = {
	{ .path = (char[]){ "/proc/acpi" }, .is_dir = true },
	{ .path = (char[]){ "/proc/bus" }, .is_dir = true },
	{ .path = (char[]){ "/proc/fs" }, .is_dir = true },
	{ .path = (char[]){ "/proc/irq" }, .is_dir = true },
	{ .path = (char[]){ "/proc/scsi" }, .is_dir = true },
	{ .path = (char[]){ "/proc/kcore" } },
	{ .path = (char[]){ "/proc/keys" } },
	{ .path = (char[]){ "/proc/key-users" } },
	{ .path = (char[]){ "/proc/kmsg" } },
	{ .path = (char[]){ "/proc/kallsyms" } },
	{ .path = (char[]){ "/proc/latency_stats" } },
	{ .path = (char[]){ "/proc/sched_debug" } },
	{ .path = (char[]){ "/proc/sysrq-trigger" } },
	{ .path = (char[]){ "/proc/timer_list" } },
};

enum need { PLACE_OPTIONAL = 0, PLACE_REQUIRED };

static int add_place(struct fs_fence *f, const char *path, int mount_fd, enum domain_grant grant,
		     enum need need, struct pinfold_error *e)
{
	struct fs_node n = {
		.kind = NODE_PLACE,
		.object = -1,
		.mount = mount_fd,
		.is_dir = true,
		.is_optional = need == PLACE_OPTIONAL,
		.is_ruled = true,
		.grant = grant,
	};

	if (mount_fd < 0)
		return mount_fd;
	return fs_plan_place(&f->plan, path, &n, e);
}

static int add_empty(struct fs_fence *f, enum fs_node_kind kind, const char *path,
		     struct pinfold_error *e)
{
	struct fs_node n = { .kind = kind, .object = -1, .mount = -1, .is_dir = true };

	return fs_plan_place(&f->plan, path, &n, e);
}

/* A shared /tmp is a rule of the path set. */
static int add_tmp(struct fs_fence *f, enum tmp_mode mode, struct pinfold_error *e)
{
	static const char *const path[] = { "/tmp", "/var/tmp" };
	/* Root's, so that the session can't rename directories that lead to its workspace. */
	static const struct place p[ARRAY_SIZE(path)] = {
		{ .mode = 01777, .ram_percent = TMP_PERCENT, .attrs = MOUNT_ATTR_NODEV },
		{ .mode = 01777, .ram_percent = VAR_TMP_PERCENT, .attrs = MOUNT_ATTR_NODEV },
	};
	int r = 0;

	for (size_t i = 0; mode == TMP_PRIVATE && i < ARRAY_SIZE(path) && r == 0; i++)
		r = add_place(f, path[i], place_tmpfs(&p[i], e), DOMAIN_WRITE, PLACE_OPTIONAL, e);
	return r;
}

static int add_dev(struct fs_fence *f, struct pinfold_error *e)
{
	static const struct place shm = { .mode = 01777,
					  .ram_percent = SHM_PERCENT,
					  .attrs = MOUNT_ATTR_NODEV };
	int r = add_place(f, "/dev", place_dev(e), DOMAIN_DEVICE, PLACE_REQUIRED, e);

	if (r == 0)
		r = add_place(f, "/dev/pts", place_devpts(e), DOMAIN_DEVICE, PLACE_REQUIRED, e);
	return r < 0 ? r
		     : add_place(f, "/dev/shm", place_tmpfs(&shm, e), DOMAIN_WRITE, PLACE_REQUIRED,
				 e);
}

static int add_sys(struct fs_fence *f, struct pinfold_error *e)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sys_trees) && r == 0; i++)
		r = fs_plan_tree(&f->plan, sys_trees[i], e);
	return r;
}

static int add_proc(struct fs_fence *f, struct pinfold_error *e)
{
	int r = add_empty(f, NODE_PROC, "/proc", e);

	for (size_t i = 0; i < ARRAY_SIZE(proc_masks) && r == 0; i++) {
		struct fs_mask m = proc_masks[i];

		m.is_optional = true;
		r = fs_plan_mask(&f->plan, &m);
		if (r < 0)
			return err_set(e, r, "cannot mask '%s': %s", m.path, strerror(-r));
	}
	return r;
}

/* Where "/" itself is granted, these have to hide the host's. */
static int hide_host(struct fs_fence *f, struct pinfold_error *e)
{
	static const char *const hidden[] = { "/run", "/sys" };
	static const struct place p = { .mode = 0755, .size = "1m", .attrs = MOUNT_ATTR_NODEV };
	bool is_needed = fs_plan_grants(&f->plan, "/");
	int r = 0;

	for (size_t i = 0; is_needed && i < ARRAY_SIZE(hidden) && r == 0; i++)
		r = add_place(f, hidden[i], place_tmpfs(&p, e), DOMAIN_READ, PLACE_REQUIRED, e);
	return r;
}

static int add_home(struct fs_fence *f, const struct fs_tenant *t, struct pinfold_error *e)
{
	struct place p = {
		.mode = 0700,
		.uid = t->uid,
		.gid = t->gid,
		.ram_percent = HOME_PERCENT,
		.attrs = MOUNT_ATTR_NODEV,
	};
	struct fs_resolved at = { .fd = -1 };
	int r;

	if (!t->home)
		return 0;
	r = fs_resolve(t->home, FS_FOLLOW_ALL, &at);
	if (r < 0)
		return err_set(e, r, "cannot follow HOME '%s': %s", t->home, strerror(-r));
	bool is_granted = !t->home_is_private && at.fd >= 0 && fs_plan_grants(&f->plan, at.path);

	fs_resolved_done(&at);
	if (is_granted)
		return 0;
	return add_place(f, t->home, place_tmpfs(&p, e), DOMAIN_WRITE, PLACE_REQUIRED, e);
}

static int add_resolv_conf(struct fs_fence *f, const struct fs_tenant *t, struct pinfold_error *e)
{
	struct fs_node n = {
		.kind = NODE_STORED,
		.object = -1,
		.mount = -1,
		.is_optional = true,
		.is_ruled = true,
		.grant = DOMAIN_READ,
	};

	if (!t->resolv_conf)
		return 0;
	n.target = strdup(PLACE_STORE_RESOLV);
	n.object = openat(f->store, PLACE_STORE_RESOLV, O_PATH | O_CLOEXEC);
	if (!n.target || n.object < 0) {
		int code = n.target ? -errno : -ENOMEM;

		free(n.target);
		if (n.object >= 0)
			close(n.object);
		return err_set(e, code, "cannot make %s: %s", RESOLV_CONF, strerror(-code));
	}
	return fs_plan_place(&f->plan, RESOLV_CONF, &n, e);
}

/* The lane is a directory of the workspace and no symlink in it: sessions of other lanes, or one
 * that has the whole workspace, could have planted that, and it would lead this one out. */
static int check_lane(const struct fs_fence *f, const struct policy *p, struct pinfold_error *e)
{
	struct fs_resolved ws = { .fd = -1 };
	struct fs_resolved lane = { .fd = -1 };
	auto_free char *want = NULL;
	const struct fs_node *n = NULL;
	int r = 0;

	if (!p->fence_to_lane || !p->lane || p->workspace_access == WORKSPACE_NONE)
		return 0;
	r = fs_resolve(p->workspace, FS_FOLLOW_ALL, &ws);
	if (r == 0)
		r = fs_resolve(p->lane, FS_FOLLOW_ALL, &lane);
	if (r == 0 && asprintf(&want, "%s%s", ws.path, p->lane + strlen(p->workspace)) < 0)
		r = -ENOMEM;
	if (r == 0) {
		n = fs_plan_find(&f->plan, want);
		/* The plan's own look counts: the link may come and go. */
		if (strcmp(want, lane.path) != 0 || (n && n->kind == NODE_LINK) ||
		    !fs_plan_grants(&f->plan, want))
			r = -ELOOP;
	}
	fs_resolved_done(&ws);
	fs_resolved_done(&lane);
	if (r == -ELOOP)
		return err_set(e, r,
			       "the lane '%.100s' goes through a symlink of the workspace, which a "
			       "session could have planted; name the real directory",
			       p->lane);
	return r < 0 ? err_set(e, r, "cannot follow the lane: %s", strerror(-r)) : 0;
}

static int plan_all(struct fs_fence *f, const struct policy *p, const struct path_set *set,
		    const struct fs_tenant *t, struct pinfold_error *e)
{
	int r;

	f->plan.observes = t->observes;
	r = fs_plan_rules(&f->plan, p, set, e);

	if (r == 0)
		r = check_lane(f, p, e);
	if (r == 0)
		r = hide_host(f, e);
	if (r == 0)
		r = add_tmp(f, t->observes ? TMP_SHARED : p->fs.tmp, e);
	if (r == 0)
		r = add_empty(f, NODE_DIR, "/var/run", e);
	if (r == 0)
		r = add_dev(f, e);
	if (r == 0)
		r = add_sys(f, e);
	if (r == 0)
		r = add_proc(f, e);
	if (r == 0)
		r = add_home(f, t, e);
	if (r == 0)
		r = add_resolv_conf(f, t, e);
	return r < 0 ? r : fs_plan_finish(&f->plan, e);
}

static int realize_node(struct fs_fence *f, struct fs_node *n, struct pinfold_error *e)
{
	static const struct place cover = { .mode = 0755,
					    .size = "1m",
					    .attrs = MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
	int r;

	if (n->kind == NODE_TREE) {
		r = place_clone(n->object, n->attrs, e);
		if (r < 0)
			return err_wrap(e, r, "'%s'", n->path);
		n->mount = r;
	}
	if (n->kind == NODE_PLACE && n->mount < 0) {
		r = place_tmpfs(&cover, e);
		if (r < 0)
			return r;
		n->mount = r;
	}
	if (!n->is_ruled)
		return 0;
	r = domain_allow(&f->domain, n->object >= 0 ? n->object : n->mount, n->is_dir, n->grant);
	if (r < 0)
		return err_set(e, r, "'%s': cannot add a Landlock rule: %s", n->path, strerror(-r));
	if (n->object >= 0)
		close(take_fd(n->object));
	return 0;
}

bool fs_fence_shows(const struct fs_fence *f, const char *path)
{
	const struct fs_node *n = fs_plan_find(&f->plan, path);

	return n && n->kind == NODE_TREE && !fs_plan_masks(&f->plan, path);
}

static int find_workspace(struct fs_fence *f, const struct policy *p, struct pinfold_error *e)
{
	const char *want = p->fence_to_lane && p->lane ? p->lane : p->workspace;
	struct fs_resolved at = { .fd = -1 };
	int r;

	if (p->workspace_access == WORKSPACE_NONE || !want)
		return 0;
	r = fs_resolve(want, FS_FOLLOW_ALL, &at);
	if (r < 0)
		return err_set(e, r, "cannot open the workspace '%s': %s", want, strerror(-r));
	if (at.fd >= 0 && S_ISDIR(at.st.st_mode) && fs_fence_shows(f, at.path))
		f->workspace = take_ptr(at.path);
	fs_resolved_done(&at);
	return 0;
}

static int build(struct fs_fence *f, const struct policy *p, const struct path_set *set,
		 const struct fs_tenant *t, struct pinfold_error *e)
{
	static const struct place root = { .mode = 0755,
					   .size = "8m",
					   .attrs = MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
	int r = domain_new(p->degrade, &f->domain, e);

	if (r < 0)
		return r;
	f->store = place_store(t->resolv_conf, e);
	if (f->store < 0)
		return f->store;
	f->root = place_tmpfs(&root, e);
	if (f->root < 0)
		return f->root;
	r = plan_all(f, p, set, t, e);
	for (size_t i = 0; i < f->plan.n_nodes && r == 0; i++)
		r = realize_node(f, &f->plan.node[i], e);
	if (r == 0)
		r = find_workspace(f, p, e);
	/* Whoever observes is shown the top of the host's tree. */
	if (r == 0 && f->observes)
		r = domain_allow(&f->domain, f->root, true, DOMAIN_READ);
	return r < 0 ? r : view_compile(&f->plan, f->root, f->store, &f->view, e);
}

int fs_fence_new(const struct policy *p, const struct path_set *set, const struct fs_tenant *tenant,
		 struct fs_fence **ret, struct pinfold_error *e)
{
	struct fs_fence *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return err_set(e, -ENOMEM, "out of memory");
	f->domain.ruleset = f->root = f->store = -1;
	f->observes = tenant->observes;
	f->holds_git = p->fs.protect_git && !f->observes;
	r = build(f, p, set, tenant, e);
	if (r < 0) {
		fs_fence_free(f);
		return r;
	}
	*ret = f;
	return 0;
}

int fs_fence_enter_view(const struct fs_fence *f, int *ret_step)
{
	size_t index = 0;

	fs_widen_inherited_pipes();
	int r = view_apply(&f->view, &index);

	if (r < 0)
		*ret_step = (int)index;
	return r;
}

static int enter_domain(const struct fs_fence *f, enum domain_step *step)
{
	*step = STEP_PROC_OPEN;
	auto_close int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return -errno;
	*step = STEP_PROC_RULE;
	int r = domain_allow(&f->domain, proc, true, DOMAIN_PROC);

	if (r == 0)
		*step = STEP_INHERITED;
	for (int fd = 0; fd < INHERITED_FDS && r == 0; fd++)
		r = domain_allow_inherited(&f->domain, fd);
	if (r < 0)
		return r;
	*step = STEP_RESTRICT;
	return domain_enter(&f->domain);
}

int fs_fence_enter_domain(const struct fs_fence *f, int *ret_step)
{
	enum domain_step step = STEP_PROC_OPEN;
	int r = enter_domain(f, &step);

	if (r < 0)
		*ret_step = (int)f->view.n + (int)step;
	return r;
}

int fs_fence_explain(const struct fs_fence *f, int step, int code, struct pinfold_error *e)
{
	static const char *const domain_steps[] = {
		[STEP_PROC_OPEN] = "opening /proc",
		[STEP_PROC_RULE] = "adding the Landlock rule of /proc",
		[STEP_INHERITED] = "adding a Landlock rule for standard input or output",
		[STEP_RESTRICT] = "entering the Landlock domain",
	};
	char text[PINFOLD_ERROR_MAX] = "an unknown step";
	bool restricts = step >= 0 && (size_t)step == f->view.n + STEP_RESTRICT;

	if (restricts && code == -E2BIG)
		return err_set(
		    e, code,
		    "cannot enter the Landlock domain: this process is inside 16 of them "
		    "already, and the kernel stacks no more; start fewer inside each other");
	_Static_assert(ARRAY_SIZE(domain_steps) == STEP_RESTRICT + 1, "one text for each step");
	if (step >= 0 && (size_t)step < f->view.n)
		view_op_text(&f->view.op[step], text, sizeof(text));
	else if (step >= 0 && (size_t)step - f->view.n < ARRAY_SIZE(domain_steps))
		return err_set(e, code, "%s failed: %s", domain_steps[(size_t)step - f->view.n],
			       strerror(-code));
	return err_set(e, code, "%s failed: %s", text,
		       code == -ESTALE ? "it was replaced while the pen was being built"
				       : strerror(-code));
}

const char *fs_fence_start_dir(const struct fs_fence *f, const char *cwd)
{
	if (cwd && fs_fence_shows(f, cwd))
		return cwd;
	return f->workspace ? f->workspace : "/";
}

bool fs_fence_is_guarded(const struct fs_fence *f, const char *path)
{
	return fs_plan_guards(&f->plan, path);
}

const char *fs_fence_gap(const struct fs_fence *f)
{
	return f->plan.gap;
}

bool fs_fence_holds_git(const struct fs_fence *f)
{
	return f->holds_git;
}

bool fs_fence_observes(const struct fs_fence *f)
{
	return f->observes;
}

int fs_fence_store(const struct fs_fence *f)
{
	return f->store;
}

void fs_fence_free(struct fs_fence *f)
{
	if (!f)
		return;
	view_done(&f->view);
	fs_plan_done(&f->plan);
	domain_done(&f->domain);
	if (f->root >= 0)
		close(f->root);
	if (f->store >= 0)
		close(f->store);
	free(f->workspace);
	free(f);
}
