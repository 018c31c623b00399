/* SPDX-License-Identifier: MIT */
#include "session/tenancy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/fence.h"
#include "identity/handover.h"
#include "identity/state.h"
#include "policy/policy.h"
#include "policy/read.h"
#include "session/link.h"
#include "session/session.h"

#define MARKS_DIR "/var/lib/pinfold/handover"
#define FINDING_STEP STATE_DIRS_MAX /* a step is finding * this + index */

static int hand_over(struct session *s, struct pinfold_error *e)
{
	const struct policy *p = s->policy;
	const char *dir = p->fence_to_lane && p->lane ? p->lane : p->workspace;

	if (!p->identity.handover)
		return 0;
	if (p->workspace_access != WORKSPACE_RW)
		return err_set(e, -EINVAL,
			       "%.100s: identity.handover needs \"workspaceAccess\": \"rw\"",
			       p->source);
	return identity_handover(dir, s->identity.uid, s->identity.gid, MARKS_DIR, &s->handover, e);
}

static int close_state(struct session *s, struct pinfold_error *e)
{
	for (size_t i = 0; i < s->n_state_dirs; i++) {
		auto_free char *real = realpath(s->state_dirs[i], NULL);

		if (!real)
			return err_set(e, -errno, "cannot open the state directory '%s': %s",
				       s->state_dirs[i], strerror(errno));
		if (list_add(&s->state, real) < 0)
			return err_set(e, -ENOMEM, "out of memory");
	}
	s->launcher = getpid();
	return state_close((const char *const *)s->state.s, s->state.n, e);
}

int tenancy_prepare(struct session *s, struct pinfold_error *e)
{
	int r = hand_over(s, e);

	return r < 0 ? r : close_state(s, e);
}

static struct state_test test_of(const struct session *s)
{
	return (struct state_test){
		.dir = (const char *const *)s->state.s,
		.n = s->state.n,
		.launcher = s->launcher,
		.workspace = s->policy->workspace_access == WORKSPACE_RW
				 ? fs_fence_start_dir(s->fs, NULL)
				 : NULL,
	};
}

int tenancy_try(const struct session *s, struct link_message *failed)
{
	struct state_test t = test_of(s);
	enum state_finding finding;
	int index;

	if (t.n == 0)
		return 0;
	finding = state_try(&t, &index);
	failed->step = (int)finding * FINDING_STEP + index;
	return finding == STATE_FINE ? 0 : -EPERM;
}

int tenancy_explain(const struct session *s, const struct link_message *m, struct pinfold_error *e)
{
	struct state_test t = test_of(s);

	return state_explain(&t, (enum state_finding)(m->step / FINDING_STEP),
			     m->step % FINDING_STEP, e);
}

void tenancy_done(struct session *s)
{
	list_done(&s->state);
}
