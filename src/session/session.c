/* SPDX-License-Identifier: MIT */
/* The order of things: prepare, spawn (spawn.c), watch (watch.c), done. */
#include "session/session.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "audit/landlock.h"
#include "audit/record.h"
#include "base/child.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/guard.h"
#include "net/fence.h"
#include "policy/parse.h"
#include "policy/read.h"
#include "session/log.h"
#include "session/look.h"
#include "session/observe.h"
#include "session/quiet.h"
#include "session/tenancy.h"

static int start_loader(struct session *s, struct pinfold_error *e)
{
	return net_loader_start(&s->loader, e);
}

static int choose_id(struct session *s, struct pinfold_error *e)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_set(e, -EIO, "no random numbers for the session's name");
	snprintf(s->id, sizeof(s->id), "%016llx", (unsigned long long)random);
	snprintf(s->group, sizeof(s->group), "%.40s%s%s", s->scope ? s->scope : "",
		 s->scope ? "-" : "", s->id);
	return 0;
}

static int prepare_record(struct session *s, struct pinfold_error *e)
{
	const char *path = s->log_path ? s->log_path : s->policy->audit.path;
	struct record_who who = {
		.session = s->id,
		.agent = s->agent,
		.lane = s->policy->lane,
		.channel = s->channel,
	};
	int r = record_open(path, &who, &s->record, e);

	if (r == 0 && s->log_to)
		r = record_mirror(s->record, s->log_to, e);
	if (r < 0)
		return r == -EINVAL ? -EDESTADDRREQ : r; /* no word about the policy */
	s->is_recorded = path || s->log_to;
	return quiet_read(s->policy, &s->quiet, e);
}

/* The kernel's own record of denials is a help, not a fence: without it a session starts, and the
 * record says so.  Refused calls are told where refused files are not. */
static void prepare_landlock_audit(struct session *s)
{
	struct pinfold_error e = { 0 };

	if (landlock_audit_new(&s->landlock, &e) == 0)
		return;
	memcpy(s->no_file_record, e.text, sizeof(e.text));
	landlock_audit_new_for_calls(&s->landlock, &e);
}

/* The path without symlinks of a file that may not exist yet; NULL: nowhere.  free() it. */
static char *resolve_file(const char *path)
{
	auto_free char *copy = strdup(path);
	auto_free char *dir = NULL;
	char *real = realpath(path, NULL);
	const char *slash = strrchr(path, '/');

	if (real || !copy)
		return real;
	dir = realpath(dirname(copy), NULL);
	if (!dir || asprintf(&real, "%s/%s", dir, slash ? slash + 1 : path) < 0)
		return NULL;
	return real;
}

/* What decides about the session, or tells of it, must be out of its reach. */
static int refuse_writable(const struct session *s, struct pinfold_error *e)
{
	bool has_file = strcmp(s->policy->source, POLICY_BUILT_IN) != 0;
	const struct {
		const char *path;
		const char *what;
	} FILES[] = {
		{ has_file ? s->policy->source : NULL, "the policy" },
		{ SITE_POLICY, "the site policy" },
		{ CONTROL_DIR, "the control socket" },
		{ s->log_path ? s->log_path : s->policy->audit.path, "the log" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(FILES); i++) {
		bool is_file = FILES[i].path && strcmp(FILES[i].path, "-") != 0;
		auto_free char *real = is_file ? resolve_file(FILES[i].path) : NULL;
		int r = real ? path_set_refuse_writable(&s->paths, real, FILES[i].what, e) : 0;

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < s->n_sources; i++) {
		int r = path_set_refuse_writable(&s->paths, s->sources[i], "the configuration", e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int prepare_files(struct session *s, struct pinfold_error *e)
{
	struct fs_tenant tenant = {
		.uid = s->identity.uid,
		.gid = s->identity.gid,
		.home = s->identity.home,
		.home_is_private = s->identity.home_is_private,
	};
	int r = path_set_build(s->policy, &s->context->policy,
			       s->identity.home_is_private ? NULL : s->identity.home, &s->paths, e);

	if (r < 0)
		return r;
	r = dns_resolv_conf(&s->resolv_conf);
	if (r < 0)
		return err_set(e, r, "cannot make the pen's resolv.conf: %s", strerror(-r));
	tenant.resolv_conf = s->resolv_conf;
	tenant.observes = s->wants_observe;
	r = s->wants_observe ? look_prepare(s, e) : 0;
	if (r == 0)
		r = fs_fence_new(s->policy, s->look ? look_shown(s->look) : &s->paths, &tenant,
				 &s->fs, e);
	if (r == 0)
		r = refuse_writable(s, e);
	if (r < 0)
		return r;
	r = identity_set_dir(&s->identity, fs_fence_start_dir(s->fs, s->context->cwd));
	return r < 0 ? err_set(e, r, "out of memory") : 0;
}

static int prepare_identity(struct session *s, struct pinfold_error *e)
{
	int r = identity_check_fds(s->command.keep_fds, s->command.n_keep_fds, e);

	return r < 0 ? r : identity_prepare(&s->identity, s->policy, &s->context->policy, s->id, e);
}

static int prepare_filters(struct session *s, struct pinfold_error *e)
{
	int r = seccomp_filter_prepare(&s->filter, s->policy, e);

	if (r == 0)
		r = seccomp_filter_prepare_worker(&s->worker_filter, e);
	if (r == 0 && session_wants_relay(s->policy))
		r = seccomp_filter_prepare_relay(&s->relay_filter, e);
	return r;
}

static int prepare_cgroup(struct session *s, struct pinfold_error *e)
{
	/* What a power cut or a killed janitor left; a failure changes nothing. */
	if (cgroup_sweep() > 0)
		control_sweep();
	return cgroup_prepare(&s->cgroup, s->group, &s->policy->limits, s->policy->degrade, e);
}

static int prepare_resolver(struct session *s, struct pinfold_error *e)
{
	int r = s->wants_observe ? observe_new(s->policy, &s->observe) : 0;

	if (r < 0)
		return err_set(e, r, "out of memory");
	r = dns_worker_prepare(&s->dns, s->observe ? observe_policy(s->observe) : s->policy, e);
	s->dns.tells_absent = s->observe != NULL;
	return r < 0 ? r : session_start_worker(s, e);
}

/* The hooks on unix sockets only tell: what is outside has no name in the pen anyway.  They read
 * the kernel's types, which takes longer than everything else together, so they are there where
 * somebody reads the record, and where the kernel has them (since Linux 6.7). */
static int watch_unix_sockets(struct session *s, struct pinfold_error *e)
{
	static const char *const PRIVATE[] = { "/tmp", "/var/tmp", "/dev/shm" };
	size_t n = 0;
	auto_free struct net_unix_tree *trees =
	    calloc(s->paths.n + ARRAY_SIZE(PRIVATE) + 1 + s->policy->n_unix_allow, sizeof(*trees));

	if (!trees)
		return err_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < ARRAY_SIZE(PRIVATE); i++)
		trees[n++] = (struct net_unix_tree){ PRIVATE[i], true };
	for (size_t i = 0; i < s->paths.n; i++)
		if (!s->paths.rule[i].pattern && !s->paths.rule[i].glob)
			trees[n++] = (struct net_unix_tree){ s->paths.rule[i].path,
							     s->paths.rule[i].right == PATH_RW };
	for (size_t i = 0; i < s->policy->n_unix_allow; i++)
		trees[n++] = (struct net_unix_tree){ s->policy->unix_allow[i].path, true };
	if (s->identity.home_is_private)
		trees[n++] = (struct net_unix_tree){ s->identity.home, true };
	s->watches_unix = net_fence_unix_trees(s->net, trees, n) == 0;
	return 0;
}

static int close_network(struct session *s, struct pinfold_error *e)
{
	struct net_resolver resolver;
	int r = net_fence_new(s->policy, s->loader, &s->net, e);

	session_helper_ports(s, &resolver);
	if (r == 0 && s->observe)
		net_fence_observe(s->net);
	/* An observer sees them by itself, and lets them pass. */
	if (r == 0 && s->is_recorded && !s->look)
		r = watch_unix_sockets(s, e);
	return r < 0 ? r : net_fence_attach(s->net, s->cgroup.dir_fd, &resolver, e);
}

/* A session runs as well without: nobody can ask it anything then. */
static int open_control(struct session *s, struct pinfold_error *e)
{
	(void)e;
	control_open(&s->control, s->id);
	return 0;
}

/* A policy that accepts less than it promises is told what it does not get. */
static void tell_gaps(struct session *s)
{
	char text[PINFOLD_ERROR_MAX];

	if (fs_fence_gaps(text, sizeof(text)))
		log_degraded(s, "files", text);
	for (enum cgroup_controller i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (!(s->cgroup.missing & 1u << i))
			continue;
		snprintf(text, sizeof(text), "limits.%s can't be held here",
			 cgroup_controller_name(i));
		log_degraded(s, "limits", text);
	}
}

static int begin_record(struct session *s, struct pinfold_error *e)
{
	(void)e;
	if (s->is_recorded)
		prepare_landlock_audit(s);
	log_session_start(s);
	tell_gaps(s);
	return 0;
}

/* The programs of the network fence are loaded beside everything else, and the pen's init enters
 * its fences beside what is left.  It waits for session_release(). */
int session_prepare(struct session *s, struct pinfold_error *e)
{
	static const struct {
		int (*fn)(struct session *s, struct pinfold_error *e);
		bool judges_policy;
	} STEPS[] = {
		{ start_loader, false },          { choose_id, false },
		{ session_start_janitor, false }, { prepare_identity, true },
		{ prepare_files, true },          { prepare_record, false },
		{ tenancy_prepare, true },        { prepare_filters, false },
		{ prepare_cgroup, false },        { session_start_guard, false },
		{ session_spawn, false },         { prepare_resolver, false },
		{ session_prepare_relay, false }, { close_network, false },
		{ open_control, false },          { begin_record, false },
	};

	s->started_us = clock_us();
	for (size_t i = 0; i < ARRAY_SIZE(STEPS); i++) {
		int r = STEPS[i].fn(s, e);

		/* To the caller -EINVAL means that the policy is at fault. */
		if (r == -EINVAL && !STEPS[i].judges_policy)
			return -EOPNOTSUPP;
		if (r < 0)
			return r;
	}
	return 0;
}

static void end_helpers(struct session *s)
{
	if (s->worker > 0)
		waitpid(s->worker, NULL, 0);
	if (s->worker_pidfd >= 0)
		close(take_fd(s->worker_pidfd));
	if (s->relay_pid > 0)
		waitpid(s->relay_pid, NULL, 0);
	if (s->relay_pidfd >= 0)
		close(take_fd(s->relay_pidfd));
}

/* Killing init ends everything in its pid namespace before waitpid returns. */
static void end_init(struct session *s)
{
	if (s->init > 0 && !s->init_reaped) {
		child_kill(s->init);
		waitpid(s->init, NULL, __WALL);
		s->init_reaped = true;
	}
	if (s->init_pidfd >= 0)
		close(take_fd(s->init_pidfd));
}

/* What the kernel still had to tell when the command ended. */
static void drain_events(struct session *s)
{
	if (s->guard && s->record)
		session_hear_guard(s);
	if (s->net && s->record)
		net_fence_read_events(s->net, log_net_event, s);
	if (s->landlock && s->record)
		landlock_audit_read(s->landlock, log_is_ours, log_landlock_denial, s);
}

void session_done(struct session *s)
{
	cgroup_kill(&s->cgroup);
	if (s->worker > 0)
		child_kill(s->worker);
	if (s->relay_pid > 0)
		child_kill(s->relay_pid);
	end_init(s);
	guard_finish(s->guard);
	cgroup_remove(&s->cgroup);
	if (s->control.listener >= 0)
		control_remove(s->id);
	control_done(&s->control);
	session_dismiss_janitor(s);
	end_helpers(s);
	drain_events(s);
	if (s->record) {
		record_tick(s->record); /* what was folded comes before the end */
		log_session_end(s);
	}
	if (s->link >= 0)
		close(take_fd(s->link));
	landlock_audit_free(s->landlock);
	record_free(s->record);
	net_fence_free(s->net);
	net_loader_free(s->loader);
	dns_worker_done(&s->dns);
	observe_free(s->observe);
	look_free(s->look);
	relay_worker_done(&s->relay);
	free(s->resolv_conf);
	guard_free(s->guard);
	fs_fence_free(s->fs);
	seccomp_filter_done(&s->filter);
	seccomp_filter_done(&s->worker_filter);
	seccomp_filter_done(&s->relay_filter);
	identity_done(&s->identity);
	path_set_done(&s->paths);
	list_done(&s->made);
	tenancy_done(s);
	quiet_done(&s->quiet);
	if (s->reloaded)
		policy_done(s->reloaded);
	free(take_ptr(s->reloaded));
	cgroup_done(&s->cgroup);
	session_reap_janitor(s);
}
