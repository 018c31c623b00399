/* SPDX-License-Identifier: MIT */
/*
 * DOC: the order of attaching.  Everything that can fail with words is prepared first: the record,
 * the resolver, the programs.  Then the cgroup is stopped for a moment, the programs are attached,
 * the sockets that were there are found and judged, and it goes on.  So there is no moment in which
 * a new socket is refused for want of rules, and none in which an old one passes unjudged.
 *
 * The resolver listens where the processes live (their network namespace), and asks from where this
 * process lives.  Programs are attached to the cgroup, not linked to this process: if it dies, they
 * stay, and what they find in their maps goes on deciding.
 */
#include "session/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <linux/magic.h>

#include "audit/record.h"
#include "base/child.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "net/attached.h"
#include "net/fence.h"
#include "policy/parse.h"
#include "session/api.h"
#include "session/log.h"
#include "session/observe.h"
#include "session/privilege.h"
#include "session/quiet.h"

/* Behind these sockets names are resolved by others, past the fence; without them programs ask by
 * DNS, as they do where no such service runs.  The rest of the host's sockets is none of our
 * business here: what runs has its own view of files. */
static const char *const RESOLVER_DIRS[] = {
	"/run/systemd/resolve", "/var/run/systemd/resolve", "/run/nscd",
	"/var/run/nscd",        "/run/avahi-daemon",        "/var/run/avahi-daemon",
};

/* ---- pins ----------------------------------------------------------------------------------- */

void attach_pins_path(uint64_t cgroup_id, char ret[static PINS_PATH_MAX])
{
	snprintf(ret, PINS_PATH_MAX, PINS_DIR "/attach-%llu", (unsigned long long)cgroup_id);
}

int attach_pins_make(uint64_t cgroup_id, struct pinfold_error *e)
{
	char path[PINS_PATH_MAX];
	struct statfs fs;

	if (statfs("/sys/fs/bpf", &fs) < 0 || (unsigned long)fs.f_type != BPF_FS_MAGIC)
		return err_set(e, -EOPNOTSUPP,
			       "keeping a fence takes a BPF file system: mount -t bpf bpf "
			       "/sys/fs/bpf");
	attach_pins_remove(cgroup_id); /* of a cgroup that had the number before */
	attach_pins_path(cgroup_id, path);
	if ((mkdir(PINS_DIR, 0700) < 0 && errno != EEXIST) || mkdir(path, 0700) < 0)
		return err_set(e, -errno, "cannot make '%s': %s", path, strerror(errno));
	return 0;
}

void attach_pins_remove(uint64_t cgroup_id)
{
	char path[PINS_PATH_MAX];
	const struct dirent *entry;
	DIR *d;

	attach_pins_path(cgroup_id, path);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
	rmdir(PINS_DIR); /* if it was the last */
}

/* ---- the steps ------------------------------------------------------------------------------ */

static int open_target(struct attachment *a, struct pinfold_error *e)
{
	int r = attach_cgroup_open(a->args->cgroup, &a->cgroup, e);

	if (r < 0)
		return r;
	a->s.attached = a->cgroup.path;
	/* Two that attach at the same time would not see each other's programs. */
	if (flock(a->cgroup.fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, -EBUSY, "%.150s has a fence already, or is about to get one",
			       a->cgroup.path);
	r = attach_tree_read(&a->cgroup, &a->tree);
	if (r < 0)
		return err_set(e, r, "cannot read what is in %.150s: %s", a->cgroup.path,
			       strerror(-r));
	r = attach_refuse(&a->cgroup, &a->tree, e);
	attach_tree_done(&a->tree); /* read again when it stands still */
	return r;
}

static int open_record(struct attachment *a, struct pinfold_error *e)
{
	struct session *s = &a->s;
	const char *path = s->log_path ? s->log_path : s->policy->audit.path;
	struct record_who who = { .session = s->id, .agent = s->agent };
	uint64_t random;
	int r;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_set(e, -EIO, "no random numbers for the session's name");
	snprintf(s->id, sizeof(s->id), "%016llx", (unsigned long long)random);
	r = record_open(path, &who, &s->record, e);
	if (r == 0 && s->log_to)
		r = record_mirror(s->record, s->log_to, e);
	if (r < 0)
		return r == -EINVAL ? -EDESTADDRREQ : r; /* no word about the policy */
	s->is_recorded = path || s->log_to;
	return quiet_read(s->policy, &s->quiet, e);
}

static bool is_here(const struct old_netns *n)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) == 0 && st.st_ino == n->inode;
}

/* Where the resolver has to listen: where most of the processes live. */
static int find_netns(struct attachment *a, struct pinfold_error *e)
{
	struct attach_tree now = { 0 };
	struct old_sockets o = { 0 };
	const struct old_netns *most = NULL;
	int r = attach_tree_read(&a->cgroup, &now);

	if (r == 0)
		r = old_netns_read(&now, &o);
	for (size_t i = 0; r == 0 && i < o.n_netns; i++)
		if (!most || o.netns[i].n > most->n)
			most = &o.netns[i];
	if (most && !is_here(most)) {
		a->s.netns = fcntl(most->fd, F_DUPFD_CLOEXEC, 3);
		r = a->s.netns < 0 ? -errno : 0;
	}
	old_sockets_done(&o);
	attach_tree_done(&now);
	return r < 0 ? err_set(e, r, "cannot tell the network namespace of %.150s: %s",
			       a->cgroup.path, strerror(-r))
		     : 0;
}

static int bind_helpers(struct session *s, struct pinfold_error *e)
{
	const struct policy *p = s->observe ? observe_policy(s->observe) : s->policy;
	int back;
	int r = old_enter_netns(s->netns, &back);

	if (r < 0)
		return err_set(e, r, "cannot enter the cgroup's network namespace: %s",
			       strerror(-r));
	r = dns_worker_prepare(&s->dns, p, e);
	if (r == 0)
		r = session_prepare_relay(s, e);
	old_leave_netns(back);
	return r;
}

static int start_helpers(struct attachment *a, struct pinfold_error *e)
{
	struct session *s = &a->s;
	int r = seccomp_filter_prepare_worker(&s->worker_filter, e);

	if (r == 0)
		r = seccomp_filter_prepare_relay(&s->relay_filter, e);
	if (r == 0 && a->args->observe && observe_new(s->policy, &s->observe) < 0)
		r = err_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = find_netns(a, e);
	if (r == 0)
		r = bind_helpers(s, e);
	return r < 0 ? r : session_start_worker(s, e);
}

static int watch_unix_sockets(struct attachment *a)
{
	const struct policy *p = a->s.policy;
	const size_t n = ARRAY_SIZE(RESOLVER_DIRS) + 1;
	auto_free struct net_unix_tree *trees = calloc(n + p->n_unix_allow, sizeof(*trees));

	if (!trees)
		return -ENOMEM;
	trees[0] = (struct net_unix_tree){ "/", true };
	for (size_t i = 0; i < ARRAY_SIZE(RESOLVER_DIRS); i++)
		trees[i + 1] = (struct net_unix_tree){ RESOLVER_DIRS[i], false };
	for (size_t i = 0; i < p->n_unix_allow; i++)
		trees[n + i] = (struct net_unix_tree){ p->unix_allow[i].path, true };
	a->watches_unix = net_fence_unix_trees(a->s.net, trees, n + p->n_unix_allow) == 0;
	return 0;
}

static int load_fence(struct attachment *a, struct pinfold_error *e)
{
	int r = net_fence_new(a->s.policy, NULL, &a->s.net, e);

	if (r == 0 && a->s.observe)
		net_fence_observe(a->s.net);
	if (r == 0 && watch_unix_sockets(a) < 0)
		r = err_set(e, -ENOMEM, "out of memory");
	if (r == 0 && a->args->keep)
		r = attach_pins_make(a->cgroup.id, e);
	return r;
}

static int read_old(struct attachment *a, struct pinfold_error *e)
{
	int r = attach_tree_read(&a->cgroup, &a->tree);

	if (r == 0)
		r = old_netns_read(&a->tree, &a->old);
	if (r == 0)
		r = old_sockets_read(&a->tree, &a->old);
	return r < 0 ? err_set(e, r, "cannot list what %.120s has open: %s", a->cgroup.path,
			       strerror(-r))
		     : 0;
}

/* Between the two moments nothing inside runs. */
static int close_fence(struct attachment *a, struct pinfold_error *e)
{
	struct session *s = &a->s;
	struct net_resolver resolver;
	struct attach_freeze freeze;
	char pins[PINS_PATH_MAX];
	int r;

	session_helper_ports(s, &resolver);
	attach_freeze(&a->cgroup, &freeze);
	r = net_fence_attach(s->net, a->cgroup.fd, &resolver, e);
	a->is_attached = true; /* some of it may be */
	if (r == 0)
		r = read_old(a, e);
	if (r == 0) {
		old_sockets_adopt(&a->old, s->net, a->args->observe);
		if (a->args->cut)
			a->cut_error = old_sockets_cut(&a->old);
	}
	attach_pins_path(a->cgroup.id, pins);
	if (r == 0 && a->args->keep)
		r = net_fence_pin(s->net, pins, e);
	attach_thaw(&a->cgroup, &freeze);
	return r;
}

static int announce(struct attachment *a, struct pinfold_error *e)
{
	struct pinfold_attached found;

	(void)e;
	control_sweep();
	control_open(&a->s.control, a->s.id);
	attach_log_start(a);
	attach_count(a, &found);
	if (a->args->ready)
		a->args->ready(a->args->data, &found);
	return 0;
}

static int prepare(struct attachment *a, struct pinfold_error *e)
{
	static int (*const STEPS[])(struct attachment * a, struct pinfold_error * e) = {
		open_target, open_record, start_helpers, load_fence, close_fence, announce,
	};
	int r = privilege_check("a fence", e);

	for (size_t i = 0; i < ARRAY_SIZE(STEPS) && r == 0; i++)
		r = STEPS[i](a, e);
	return r;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void end_helpers(struct session *s)
{
	const pid_t pids[] = { s->worker, s->relay_pid };

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		if (pids[i] > 0) {
			child_kill(pids[i]);
			waitpid(pids[i], NULL, 0);
		}
	if (s->worker_pidfd >= 0)
		close(take_fd(s->worker_pidfd));
	if (s->relay_pidfd >= 0)
		close(take_fd(s->relay_pidfd));
}

/* The fence stays only where that was wanted, and works as far as it can without us. */
static void leave(struct attachment *a, bool failed)
{
	const bool stays = !failed && a->args->keep && a->end == ATTACH_ASKED;
	struct pinfold_error e = { 0 };

	if (!a->is_attached)
		return;
	if (stays && net_fence_no_helpers(a->s.net) == 0)
		return;
	if (net_attached_remove(a->cgroup.fd, &e) < 0 && !attach_cgroup_is_gone(&a->cgroup))
		log_degraded(&a->s, "network", e.text);
	attach_pins_remove(a->cgroup.id);
}

static void done(struct attachment *a, bool failed)
{
	struct session *s = &a->s;

	leave(a, failed);
	if (failed && a->args->keep && a->cgroup.fd >= 0 && !a->is_attached && s->net)
		attach_pins_remove(a->cgroup.id);
	if (s->control.listener >= 0)
		control_remove(s->id);
	control_done(&s->control);
	end_helpers(s);
	if (s->net && s->record)
		net_fence_read_events(s->net, log_net_event, s);
	if (s->record && !failed) {
		record_tick(s->record);
		attach_log_end(a);
	}
	record_free(s->record);
	net_fence_free(s->net);
	dns_worker_done(&s->dns);
	relay_worker_done(&s->relay);
	observe_free(s->observe);
	seccomp_filter_done(&s->worker_filter);
	seccomp_filter_done(&s->relay_filter);
	quiet_done(&s->quiet);
	if (s->reloaded)
		policy_done(s->reloaded);
	free(take_ptr(s->reloaded));
	clean_close(&s->netns);
	old_sockets_done(&a->old);
	attach_tree_done(&a->tree);
	clean_close(&a->cgroup.fd);
}

int pinfold_attach(const struct pinfold_attach *args, struct pinfold_error *e)
{
	struct attachment *a;
	int r;

	if (!args->policy || !args->cgroup)
		return err_set(e, -EINVAL, "a policy and a cgroup are wanted");
	if (args->observe && args->policy->has_site)
		return err_set(e, -EINVAL,
			       "observing would widen what the site policy (%s) allows; attach "
			       "without --observe",
			       SITE_POLICY);
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_set(e, -ENOMEM, "out of memory");
	session_init(&a->s, args->policy);
	a->args = args;
	a->cgroup.fd = -1;
	a->s.agent = args->agent;
	a->s.log_path = args->log_path;
	a->s.log_to = args->log_to;
	a->s.notice = args->notice;
	a->s.notice_data = args->data;
	a->s.started_us = clock_us();
	r = prepare(a, e);
	if (r == 0)
		r = attach_watch(a, e);
	done(a, r < 0);
	free(a);
	return r;
}
