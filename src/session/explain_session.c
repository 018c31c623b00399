/* SPDX-License-Identifier: MIT */
/* What is to be said of a session's command, besides its status. */
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "fs/fence.h"
#include "policy/policy.h"
#include "session/explain.h"
#include "session/log.h"
#include "session/session.h"

#define AT_ONCE_US (2 * 1000000ULL) /* a command that fails this early could not do its work */

static const char *path_of(const char *const *env)
{
	for (; env && *env; env++)
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	return NULL;
}

int explain_result(struct session *s, int exec_error, struct pinfold_error *e)
{
	const struct explain_pen pen = {
		.paths = &s->paths,
		.path = s->identity.path,
		.their_path = path_of(s->context->policy.env),
		.dir = fs_fence_start_dir(s->fs, s->context->cwd),
		.cwd = s->context->cwd,
		.uid = s->identity.uid,
		.gid = s->identity.gid,
	};
	bool at_once = clock_us() - s->started_us < AT_ONCE_US;
	struct explain_hint hint;
	int status;

	if (exec_error)
		return explain_exec(&pen, s->command.argv[0], exec_error, e);
	if (!s->command.argv || !s->notice || s->timed_out || !WIFEXITED(s->wait_status))
		return 0;
	status = WEXITSTATUS(s->wait_status);
	if ((at_once && explain_end(&pen, s->command.argv[0], status,
				    s->policy->seccomp.allow_nested, &hint)) ||
	    explain_git(s, &pen, status, &hint))
		log_explanation(s, hint.what, hint.advice);
	return 0;
}
