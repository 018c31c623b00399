/* SPDX-License-Identifier: MIT */
/* The public interface to policies and sessions. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "pinfold.h"
#include "policy/parse.h"
#include "session/api.h"
#include "session/confine.h"
#include "session/privilege.h"
#include "session/session.h"

const char *pinfold_version(void)
{
	return PINFOLD_VERSION;
}

/* ---- policies ------------------------------------------------------------------------------- */

/* The site's policy bounds every other one; absent is fine, unreadable or wrong is not. */
static int read_site(const struct context *c, struct policy *ret, bool *ret_present,
		     struct pinfold_error *e)
{
	auto_free char *text = NULL;
	size_t len;
	int r = io_read_file(AT_FDCWD, SITE_POLICY, POLICY_TEXT_MAX, &text, &len);

	*ret_present = false;
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_set(e, r, "cannot read %s: %s", SITE_POLICY, strerror(-r));
	r = policy_parse(text, len, SITE_POLICY, &c->policy, ret, e);
	*ret_present = r == 0;
	return r;
}

static int parse_file(const struct context *c, const char *path, struct policy *ret,
		      struct pinfold_error *e)
{
	auto_free char *text = NULL;
	size_t len;
	int r = io_read_file(AT_FDCWD, path, POLICY_TEXT_MAX, &text, &len);

	if (r < 0)
		return err_set(e, r, "cannot read the policy '%s': %s", path,
			       r == -EFBIG ? "it is larger than 1 MiB" : strerror(-r));
	return policy_parse(text, len, path, &c->policy, ret, e);
}

int session_read_policy(const struct context *c, const char *path, struct policy *ret,
			struct pinfold_error *e)
{
	struct policy p = { 0 };
	struct policy site = { 0 };
	bool has_site = false;
	int r = parse_file(c, path, &p, e);

	if (r == 0)
		r = read_site(c, &site, &has_site, e);
	if (r == 0 && has_site)
		r = policy_narrow(&p, &site, e);
	policy_done(&site);
	if (r < 0) {
		policy_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

static int open_handle(struct pinfold_policy **ret, struct pinfold_error *e)
{
	struct pinfold_policy *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	r = context_read(&p->context, e);
	if (r == 0)
		r = read_site(&p->context, &p->site, &p->has_site, e);
	if (r < 0) {
		pinfold_policy_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

static int finish_handle(struct pinfold_policy *p, int r, struct pinfold_policy **ret,
			 struct pinfold_error *e)
{
	if (r == 0 && p->has_site)
		r = policy_narrow(&p->policy, &p->site, e);
	if (r < 0) {
		pinfold_policy_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

int session_policy_handle(struct policy *take, struct pinfold_policy **ret, struct pinfold_error *e)
{
	struct pinfold_policy *p = NULL;
	int r = open_handle(&p, e);

	if (r < 0)
		return r;
	p->policy = *take;
	*take = (struct policy){ 0 };
	return finish_handle(p, 0, ret, e);
}

int pinfold_policy_default(const char *workspace, struct pinfold_policy **ret,
			   struct pinfold_error *e)
{
	struct pinfold_policy *p = NULL;
	int r = open_handle(&p, e);

	if (r < 0)
		return r;
	r = policy_default(workspace ? workspace : p->context.cwd, &p->context.policy, &p->policy,
			   e);
	return finish_handle(p, r, ret, e);
}

int pinfold_policy_load(const char *path, struct pinfold_policy **ret, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	struct pinfold_policy *p = NULL;
	size_t len;
	int r = io_read_file(AT_FDCWD, path, POLICY_TEXT_MAX, &text, &len);

	if (r < 0)
		return err_set(e, r, "cannot read the policy '%s': %s", path,
			       r == -EFBIG ? "it is larger than 1 MiB" : strerror(-r));
	r = open_handle(&p, e);
	if (r < 0)
		return r;
	r = policy_parse(text, len, path, &p->context.policy, &p->policy, e);
	return finish_handle(p, r, ret, e);
}

int pinfold_policy_add(struct pinfold_policy *p, enum pinfold_rule kind, const char *text,
		       struct pinfold_error *e)
{
	int r = policy_add(&p->policy, kind, text, "command line", &p->context.policy, e);

	if (r == 0 && p->has_site)
		r = policy_narrow(&p->policy, &p->site, e);
	return r;
}

int pinfold_policy_print(const struct pinfold_policy *p, char **ret, struct pinfold_error *e)
{
	int r = policy_print(&p->policy, ret);

	return r < 0 ? err_set(e, r, "cannot print the policy: %s", strerror(-r)) : 0;
}

void pinfold_policy_free(struct pinfold_policy *p)
{
	if (!p)
		return;
	policy_done(&p->policy);
	policy_done(&p->site);
	context_done(&p->context);
	free(p);
}

/* ---- sessions ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const int *x = a;
	const int *y = b;

	return (*x > *y) - (*x < *y);
}

/* A reader that went away, or a limit on file sizes, costs lines of the record, not the session:
 * with these blocked, writes fail instead. */
static const int WRITE_SIGNALS[] = { SIGPIPE, SIGXFSZ };

static void block_write_signals(sigset_t *ret_mask, sigset_t *ret_pending)
{
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(WRITE_SIGNALS); i++)
		sigaddset(&block, WRITE_SIGNALS[i]);
	sigpending(ret_pending);
	pthread_sigmask(SIG_BLOCK, &block, ret_mask);
}

/* What came meanwhile came by our writes and goes with them. */
static void restore_signals(const sigset_t *mask, const sigset_t *pending)
{
	const struct timespec now = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(WRITE_SIGNALS); i++) {
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, WRITE_SIGNALS[i]);
		if (!sigismember(pending, WRITE_SIGNALS[i]))
			sigtimedwait(&one, NULL, &now);
	}
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

int session_run(struct session *s, int *ret_status, struct pinfold_error *e)
{
	sigset_t mask;
	sigset_t pending;
	int r;

	block_write_signals(&mask, &pending);
	r = privilege_check("a pen", e);
	if (r == 0)
		r = session_prepare(s, e);
	if (r == 0 && s->confines_caller)
		r = session_confine_caller(s->wants_observe, e);
	if (r == 0)
		r = session_release(s, e);
	if (r == -EINVAL && s->link >= 0)
		r = -EOPNOTSUPP; /* from the child: no word about the policy */
	if (r == 0)
		r = session_watch(s, e);
	if (r == 0 && s->command.inspect)
		s->command.inspect(s, s->command.probe_data);
	if (s->ended)
		*ret_status = s->wait_status;
	session_done(s);
	restore_signals(&mask, &pending);
	return r;
}

void session_init(struct session *s, const struct pinfold_policy *p)
{
	*s = (struct session){
		.policy = &p->policy,
		.context = &p->context,
		.janitor_pipe = -1,
		.worker_pidfd = -1,
		.relay = RELAY_EMPTY,
		.relay_pidfd = -1,
		.init_pidfd = -1,
		.link = -1,
		.netns = -1,
		.cgroup = CGROUP_EMPTY,
		.control = CONTROL_EMPTY,
		.generation = 1,
		.dns = DNS_WORKER_EMPTY,
	};
}

static int run_under(const struct pinfold_policy *policy, const struct pinfold_run *args,
		     int *ret_status, struct pinfold_error *e)
{
	auto_free int *keep = NULL;
	struct session s;

	if (args->observe && policy->has_site)
		return err_set(e, -EINVAL,
			       "observing would widen what the site policy (%s) allows; run "
			       "without --observe",
			       SITE_POLICY);
	session_init(&s, policy);
	if (args->n_keep_fds) {
		keep = malloc(args->n_keep_fds * sizeof(*keep));
		if (!keep)
			return err_set(e, -ENOMEM, "out of memory");
		memcpy(keep, args->keep_fds, args->n_keep_fds * sizeof(*keep));
		qsort(keep, args->n_keep_fds, sizeof(*keep), by_number);
	}
	s.command.argv = args->argv;
	s.command.keep_fds = keep;
	s.command.n_keep_fds = args->n_keep_fds;
	s.agent = args->agent;
	s.log_path = args->log_path;
	s.log_to = args->log_to;
	s.state_dirs = args->state_dirs;
	s.n_state_dirs = args->n_state_dirs;
	s.wants_observe = args->observe;
	s.notice = args->notice;
	s.notice_data = args->notice_data;
	s.no_denial_notice = args->no_denial_notice;
	s.confines_caller = args->confine_caller;
	s.sight = args->sight;
	s.sight_data = args->sight_data;
	return session_run(&s, ret_status, e);
}

int pinfold_run(const struct pinfold_run *args, int *ret_status, struct pinfold_error *e)
{
	struct pinfold_policy *own = NULL;
	int r;

	if (!args->argv || !args->argv[0])
		return err_set(e, -EINVAL, "no command to run");
	if (args->policy)
		return run_under(args->policy, args, ret_status, e);
	r = pinfold_policy_default(NULL, &own, e);
	if (r == 0)
		r = run_under(own, args, ret_status, e);
	pinfold_policy_free(own);
	return r;
}
