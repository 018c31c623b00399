/* SPDX-License-Identifier: MIT */
/* The order of things: prepare, spawn (spawn.c), watch (watch.c), done. */
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "audit/landlock.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "fs/fence.h"
#include "net/fence.h"
#include "policy/parse.h"
#include "session/log.h"

static int choose_id(struct session *s, struct pinfold_error *e)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_set(e, -EIO, "no random numbers for the session's name");
	snprintf(s->id, sizeof(s->id), "%016llx", (unsigned long long)random);
	return 0;
}

static int prepare_record(struct session *s, struct pinfold_error *e)
{
	const char *path = s->log_path ? s->log_path : s->policy->audit.path;
	struct record_who who = {
		.session = s->id,
		.agent = s->agent,
		.lane = s->policy->lane,
	};
	int r = record_open(path, &who, &s->record, e);

	if (r < 0)
		return err_wrap(e, r, "the record");
	return 0;
}

/* The kernel's own record of file denials is a help, not a fence: without it a session starts, and
 * the record says so. */
static void prepare_landlock_audit(struct session *s)
{
	struct pinfold_error e = { 0 };

	if (landlock_audit_new(&s->landlock, &e) < 0)
		memcpy(s->no_file_record, e.text, sizeof(e.text));
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
	r = fs_fence_new(s->policy, &s->paths, &tenant, &s->fs, e);
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

	return r < 0 ? r : seccomp_filter_prepare_worker(&s->worker_filter, e);
}

static int prepare_cgroup(struct session *s, struct pinfold_error *e)
{
	cgroup_sweep(); /* what a power cut or a killed janitor left; a failure changes nothing */
	return cgroup_prepare(&s->cgroup, s->id, &s->policy->limits, s->policy->degrade, e);
}

static int prepare_resolver(struct session *s, struct pinfold_error *e)
{
	int r = dns_worker_prepare(&s->dns, s->policy, e);

	return r < 0 ? r : session_start_worker(s, e);
}

static int close_network(struct session *s, struct pinfold_error *e)
{
	struct net_resolver resolver = { .port = s->dns.port };
	int r = net_fence_new(s->policy, &s->net, e);

	return r < 0 ? r : net_fence_attach(s->net, s->cgroup.dir_fd, &resolver, e);
}

static int begin_record(struct session *s, struct pinfold_error *e)
{
	(void)e;
	prepare_landlock_audit(s);
	log_session_start(s);
	return 0;
}

/* The pen's init enters its fences while the network fence is being loaded: the two longest parts,
 * side by side.  It waits for session_release(). */
int session_prepare(struct session *s, struct pinfold_error *e)
{
	static int (*const STEPS[])(struct session * s, struct pinfold_error * e) = {
		choose_id,        session_start_janitor, prepare_identity, prepare_record,
		prepare_files,    prepare_filters,       prepare_cgroup,   session_spawn,
		prepare_resolver, close_network,         begin_record,
	};

	s->started_us = clock_us();
	for (size_t i = 0; i < ARRAY_SIZE(STEPS); i++) {
		int r = STEPS[i](s, e);

		if (r < 0)
			return r;
	}
	return 0;
}

static void end_worker(struct session *s)
{
	if (s->worker > 0)
		waitpid(s->worker, NULL, 0);
	if (s->worker_pidfd >= 0)
		close(take_fd(s->worker_pidfd));
}

/* Killing init ends everything in its pid namespace before waitpid returns. */
static void end_init(struct session *s)
{
	if (s->init > 0 && !s->init_reaped) {
		kill(s->init, SIGKILL);
		waitpid(s->init, NULL, 0);
		s->init_reaped = true;
	}
	if (s->init_pidfd >= 0)
		close(take_fd(s->init_pidfd));
}

/* What the kernel still had to tell when the command ended. */
static void drain_events(struct session *s)
{
	if (s->net && s->record)
		net_fence_read_events(s->net, log_net_event, s);
	if (s->landlock && s->record)
		landlock_audit_read(s->landlock, log_is_ours, log_landlock_denial, s);
}

void session_done(struct session *s)
{
	cgroup_kill(&s->cgroup);
	if (s->worker > 0)
		kill(s->worker, SIGKILL);
	end_init(s);
	cgroup_remove(&s->cgroup);
	end_worker(s);
	drain_events(s);
	if (s->record)
		log_session_end(s);
	session_stop_janitor(s);
	if (s->link >= 0)
		close(take_fd(s->link));
	landlock_audit_free(s->landlock);
	record_free(s->record);
	net_fence_free(s->net);
	dns_worker_done(&s->dns);
	free(s->resolv_conf);
	fs_fence_free(s->fs);
	seccomp_filter_done(&s->filter);
	seccomp_filter_done(&s->worker_filter);
	identity_done(&s->identity);
	path_set_done(&s->paths);
	cgroup_done(&s->cgroup);
}
