/* SPDX-License-Identifier: MIT */
/* What the local-user backend does beside the fences of a pen. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "session/exec.h"

static bool is_local_user(const struct exec *x)
{
	return strcasecmp(x->decision.sandbox.backend, BACKEND_LOCAL_USER) == 0;
}

static int add_state(struct string_list *l, const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) ? list_add(l, path) : 0;
}

/* The local-user backend closes what lies beside a state directory as well. */
int exec_list_state(const struct exec *x, struct string_list *ret, struct pinfold_error *e)
{
	const struct pinfold_exec *a = x->args;
	const char *own = x->decision.sandbox.state_dir;
	const char *const *dir = a->n_state_dirs ? a->state_dirs : &own;
	size_t n = a->n_state_dirs ? a->n_state_dirs : is_local_user(x);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		auto_free char *captures = NULL;

		r = a->n_state_dirs ? list_add(ret, dir[i]) : add_state(ret, dir[i]);
		if (r < 0 || !is_local_user(x))
			continue;
		if (asprintf(&captures, "%s.update-captures", dir[i]) < 0)
			return err_set(e, -ENOMEM, "out of memory");
		r = add_state(ret, captures);
	}
	if (r == 0 && is_local_user(x))
		r = add_state(ret, "/tmp/openclaw");
	return r < 0 ? err_set(e, r, "out of memory") : 0;
}

/* ---- HOME ----------------------------------------------------------------------------------- */

static int make_home(const char *home, const struct identity_policy *id, struct pinfold_error *e)
{
	auto_free char *copy = strdup(home);

	if (!copy)
		return err_set(e, -ENOMEM, "out of memory");
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return err_set(e, -errno, "cannot make '%s': %s", copy, strerror(errno));
		*slash = '/';
	}
	if (mkdir(home, 0700) < 0 || lchown(home, id->uid, id->gid) < 0)
		return err_set(e, -errno, "cannot make the HOME '%s': %s", home, strerror(errno));
	return 0;
}

int exec_make_home(const struct exec *x, struct pinfold_error *e)
{
	const struct identity_policy *id = &x->policy->policy.identity;
	const char *state = x->decision.sandbox.state_dir;
	const char *workspace = x->policy->policy.workspace;
	struct stat st;

	if (!is_local_user(x) || !id->home || id->choice != UID_FIXED)
		return 0;
	if (path_is_within(id->home, state))
		return err_set(e, -EINVAL, "the HOME '%s' lies in the gateway's state directory %s",
			       id->home, state);
	/* Nothing is made on the way to a start that can't be. */
	if (workspace && stat(workspace, &st) < 0)
		return err_set(e, -EINVAL, "the workspace '%s' does not exist; create it first",
			       workspace);
	if (lstat(id->home, &st) < 0)
		return errno == ENOENT ? make_home(id->home, id, e)
				       : err_set(e, -errno, "cannot look at '%s': %s", id->home,
						 strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != id->uid || (st.st_mode & (S_IRWXG | S_IRWXO)))
		return err_set(e, -EINVAL,
			       "the HOME '%s' has to be a directory of mode 700 that belongs to %u",
			       id->home, (unsigned)id->uid);
	return 0;
}
