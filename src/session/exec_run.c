/* SPDX-License-Identifier: MIT */
/* Where a command runs: what was decided, or one step down, if that is allowed, and then loudly. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "policy/read.h"
#include "session/api.h"
#include "session/exec.h"
#include "session/privilege.h"
#include "session/session.h"

/* The backends that a pen stands in for.  Others run elsewhere: nothing of them can be had here. */
static const struct {
	const char *name;
	enum sandbox_implementation implementation;
} BACKENDS[] = {
	{ BACKEND_PINFOLD, IMPLEMENTATION_AUTO }, { BACKEND_LOCAL_USER, IMPLEMENTATION_PINFOLD },
	{ "auto", IMPLEMENTATION_AUTO },          { "docker", IMPLEMENTATION_AUTO },
	{ "podman", IMPLEMENTATION_AUTO },        { "bubblewrap", IMPLEMENTATION_BWRAP },
	{ "bwrap", IMPLEMENTATION_BWRAP },
};

static int choose(const struct exec *x, enum sandbox_implementation *ret, struct pinfold_error *e)
{
	const struct agents_sandbox *s = &x->decision.sandbox;

	for (size_t i = 0; i < ARRAY_SIZE(BACKENDS); i++) {
		if (strcasecmp(s->backend, BACKENDS[i].name) != 0)
			continue;
		*ret = BACKENDS[i].implementation == IMPLEMENTATION_AUTO
			   ? s->implementation
			   : BACKENDS[i].implementation;
		return 0;
	}
	return err_set(e, -EOPNOTSUPP,
		       "the sandbox backend '%.60s' is none that pinfold can stand in for; "
		       "\"pinfold\" is",
		       s->backend);
}

/* ---- the pen -------------------------------------------------------------------------------- */

static int run_session(struct exec *x, const struct string_list *state, struct pinfold_error *e)
{
	const struct string_list *files = &x->args->agents->config->files;
	struct session s;
	int r;

	session_init(&s, x->policy);
	s.command.argv = x->args->argv;
	s.agent = x->decision.place.agent;
	s.channel = place_provider(&x->decision.place);
	s.sources = (const char *const *)files->s;
	s.n_sources = files->n;
	s.scope = x->decision.place.scope_name;
	s.log_path = x->args->log_path;
	s.log_to = x->args->log_to;
	s.state_dirs = (const char *const *)state->s;
	s.n_state_dirs = state->n;
	s.notice = x->args->notice;
	s.notice_data = x->args->notice_data;
	x->status = -1;
	r = session_run(&s, &x->status, e);
	x->has_status = x->status != -1;
	return r;
}

static int run_pen(struct exec *x, struct pinfold_error *e)
{
	struct string_list state = { 0 };
	int r = exec_list_state(x, &state, e);

	if (r == 0)
		r = pen_seed(&x->decision.sandbox, &x->decision.place, e);
	if (r == 0)
		r = exec_make_home(x, e);
	x->location = EXEC_PEN;
	if (r == 0)
		r = run_session(x, &state, e);
	list_done(&state);
	return r;
}

/* ---- stepping down -------------------------------------------------------------------------- */

/* Only what this host can't do counts, never what was refused or is wrong. */
static bool is_incapable(const struct exec *x, int r)
{
	return !x->has_status && (r == -EOPNOTSUPP || r == -ENOSYS);
}

static int try_pen(struct exec *x, bool *ret_incapable, struct pinfold_error *e)
{
	int r = privilege_check("a pen", e);

	if (r == -EPERM) {
		x->location = EXEC_PEN;
		*ret_incapable = true;
		return r;
	}
	r = r < 0 ? r : run_pen(x, e);
	*ret_incapable = r < 0 && is_incapable(x, r);
	return r;
}

static void tell_step(struct exec *x, enum exec_location location, const char *reason)
{
	exec_notice(x, "warning: not in a pen but in %s: %s",
		    location == EXEC_HOST ? "no pen at all, on the host"
					  : "bubblewrap, which fences "
					    "files only",
		    reason);
	exec_log_degraded(x, "sandbox", reason, location);
}

static int step_down(struct exec *x, struct pinfold_error *e)
{
	const struct pinfold_error first = *e;
	int r;

	tell_step(x, EXEC_BWRAP, first.text);
	r = exec_bwrap(x, e);
	if (r != -ENOENT || x->has_status)
		return r;
	tell_step(x, EXEC_HOST, e->text);
	x->location = EXEC_HOST;
	return exec_child(NULL, x->args->argv, &x->status, e);
}

static int run_fenced(struct exec *x, struct pinfold_error *e)
{
	enum sandbox_implementation how;
	bool incapable = false;
	int r = choose(x, &how, e);

	if (r < 0)
		return r;
	if (how == IMPLEMENTATION_BWRAP) {
		r = pen_seed(&x->decision.sandbox, &x->decision.place, e);
		return r < 0 ? r : exec_bwrap(x, e);
	}
	r = try_pen(x, &incapable, e);
	if (!incapable || how != IMPLEMENTATION_AUTO || !x->policy->policy.degrade)
		return r;
	return step_down(x, e);
}

int exec_run(struct exec *x, struct pinfold_error *e)
{
	x->run_us = clock_us();
	if (x->decision.place.in_pen && !x->elevated)
		return run_fenced(x, e);
	x->location = EXEC_HOST;
	x->status = -1;
	int r = exec_child(NULL, x->args->argv, &x->status, e);

	x->has_status = x->status != -1;
	return r;
}
