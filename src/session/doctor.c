/* SPDX-License-Identifier: MIT */
/* What this host can enforce, found by trying each mechanism, not by asking for versions. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/landlock.h"
#include "base/clean.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/guard.h"
#include "net/fence.h"
#include "pinfold.h"
#include "policy/parse.h"
#include "seccomp/filter.h"
#include "session/api.h"
#include "session/cgroup.h"
#include "session/session.h"

#define LANDLOCK_ABI_AUDIT 7 /* since Linux 6.15 */

struct trial {
	const struct pinfold_policy *policy; /* the default one */
	char detail[PINFOLD_ERROR_MAX];
	const char *fix;
};

typedef enum pinfold_state (*trial_fn)(struct trial *t);

static enum pinfold_state found(struct trial *t, enum pinfold_state state, const char *detail)
{
	snprintf(t->detail, sizeof(t->detail), "%s", detail);
	return state;
}

static enum pinfold_state try_landlock(struct trial *t)
{
	char gaps[PINFOLD_ERROR_MAX - 64];
	int abi = fs_landlock_abi();

	t->fix = "boot with lsm=landlock,... and CONFIG_SECURITY_LANDLOCK; Linux 6.12 has ABI 6";
	if (abi < 0)
		return found(t, PINFOLD_MISSING, "this kernel has no Landlock");
	if (!fs_fence_gaps(gaps, sizeof(gaps))) {
		/* The mounts that hold metadata hide denials from the record: fs/plan_rules.c. */
		snprintf(t->detail, sizeof(t->detail), "Landlock ABI %d%s", abi,
			 abi < LANDLOCK_ABI_AUDIT
			     ? ""
			     : "; of a file in /usr or /etc that belongs to the session's own uid, "
			       "mode, times and attributes are not held");
		return PINFOLD_READY;
	}
	t->fix = "Linux 6.12; until then only a policy with \"onUnavailable\": \"degrade\" runs";
	snprintf(t->detail, sizeof(t->detail), "Landlock ABI %d does not hold: %s", abi, gaps);
	return PINFOLD_PARTIAL;
}

static enum pinfold_state try_guard(struct trial *t)
{
	int r = guard_try();

	t->fix = "needs fanotify (Linux 5.9) and CAP_SYS_ADMIN";
	if (r < 0)
		return found(t, PINFOLD_MISSING, "the kernel reports no new names");
	return found(t, PINFOLD_READY,
		     "what appears under a denied name is masked, or if planted inside moved to "
		     "the quarantine; creating one fails where it exists or nothing is writable");
}

static enum pinfold_state try_landlock_audit(struct trial *t)
{
	struct landlock_audit *a = NULL;
	struct pinfold_error e = { 0 };

	t->fix =
	    "Linux 6.15 with audit enabled (audit=1 at boot) records denials of files and calls";
	if (landlock_audit_new(&a, &e) < 0)
		return found(t, PINFOLD_PARTIAL, e.text);
	landlock_audit_free(a);
	return found(t, PINFOLD_READY,
		     "Landlock's denials come back from the kernel, with path; what has no name "
		     "inside, is masked or mounted read-only fails without a record");
}

/* Several doctors may be at work. */
static int make_cgroup(struct cgroup *c, const struct limits_policy *limits,
		       struct pinfold_error *e)
{
	char id[32];

	snprintf(id, sizeof(id), "doctor-%d", (int)getpid());
	return cgroup_prepare(c, id, limits, false, e);
}

static enum pinfold_state try_cgroup(struct trial *t)
{
	struct limits_policy none = { 0 };
	struct cgroup c = CGROUP_EMPTY;
	struct pinfold_error e = { 0 };
	int r = make_cgroup(&c, &none, &e);

	t->fix = "mount cgroup2 (mount -t cgroup2 none /sys/fs/cgroup) and run as root";
	if (r == 0)
		cgroup_remove(&c);
	cgroup_done(&c);
	return r < 0 ? found(t, PINFOLD_MISSING, e.text)
		     : found(t, PINFOLD_READY, "a cgroup of our own can be made");
}

static enum pinfold_state try_limits(struct trial *t)
{
	struct limits_policy all = { .pids = 64, .memory = 64 << 20, .cpu_percent = 100 };
	struct cgroup c = CGROUP_EMPTY;
	struct pinfold_error e = { 0 };
	int r = make_cgroup(&c, &all, &e);

	t->fix = "enable the pids, memory and cpu controllers";
	if (r == 0)
		cgroup_remove(&c);
	cgroup_done(&c);
	return r < 0 ? found(t, PINFOLD_PARTIAL, e.text)
		     : found(t, PINFOLD_READY, "pids, memory and cpu can be limited");
}

static enum pinfold_state try_network(struct trial *t)
{
	struct net_fence *net = NULL;
	struct pinfold_error e = { 0 };

	t->fix = "needs CAP_BPF and CAP_NET_ADMIN, CONFIG_CGROUP_BPF and Linux 6.1";
	if (net_fence_new(&t->policy->policy, NULL, &net, &e) < 0)
		return found(t, PINFOLD_MISSING, e.text);
	net_fence_free(net);
	return found(t, PINFOLD_READY, "the BPF programs load");
}

static enum pinfold_state try_unix_hooks(struct trial *t)
{
	struct net_fence *net = NULL;
	struct pinfold_error e = { 0 };
	bool hooks = false;

	t->fix = "Linux 6.7 has hooks on unix sockets; without them refusals are not recorded";
	if (net_fence_new(&t->policy->policy, NULL, &net, &e) == 0)
		hooks = net_fence_unix_trees(net, NULL, 0) == 0;
	net_fence_free(net);
	return hooks
		   ? found(t, PINFOLD_READY, "connections to unix sockets are judged and recorded")
		   : found(t, PINFOLD_PARTIAL,
			   "outside sockets are out of reach, but attempts are not recorded");
}

static int in_child(int (*fn)(const struct trial *t), const struct trial *t)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fn(t) == 0 ? 0 : 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPERM;
}

static int enter_filter(const struct trial *t)
{
	struct seccomp_filter f = { 0 };
	struct pinfold_error e = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    seccomp_filter_prepare(&f, &t->policy->policy, &e) < 0)
		return -1;
	return seccomp_filter_enter(&f);
}

static enum pinfold_state try_seccomp(struct trial *t)
{
	t->fix = "CONFIG_SECCOMP_FILTER";
	return in_child(enter_filter, t) < 0
		   ? found(t, PINFOLD_MISSING, "a seccomp filter could not be entered")
		   : found(t, PINFOLD_READY, "the session's filter can be entered");
}

static int enter_namespaces(const struct trial *t)
{
	(void)t;
	return unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC);
}

static enum pinfold_state try_namespaces(struct trial *t)
{
	t->fix = "needs CAP_SYS_ADMIN (run as root)";
	return in_child(enter_namespaces, t) < 0
		   ? found(t, PINFOLD_MISSING, "no mount, pid and IPC namespaces can be made")
		   : found(t, PINFOLD_READY, "mount, pid and IPC namespaces can be made");
}

static const struct {
	const char *fence;
	trial_fn fn;
} TRIALS[] = {
	{ "files", try_landlock },
	{ "view", try_namespaces },
	{ "denied names", try_guard },
	{ "network", try_network },
	{ "unix record", try_unix_hooks },
	{ "system calls", try_seccomp },
	{ "session cgroup", try_cgroup },
	{ "limits", try_limits },
	{ "file record", try_landlock_audit },
};

int pinfold_doctor(void (*report)(void *data, const struct pinfold_finding *f), void *data,
		   struct pinfold_error *e)
{
	struct pinfold_policy *policy = NULL;
	int missing = 0;
	int r = pinfold_policy_default(NULL, &policy, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(TRIALS); i++) {
		struct trial t = { .policy = policy, .fix = "" };
		struct pinfold_finding f = { .fence = TRIALS[i].fence };

		f.state = TRIALS[i].fn(&t);
		f.detail = t.detail;
		f.fix = f.state == PINFOLD_READY ? "" : t.fix;
		missing += f.state == PINFOLD_MISSING;
		report(data, &f);
	}
	pinfold_policy_free(policy);
	return missing;
}
