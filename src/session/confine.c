/* SPDX-License-Identifier: MIT */
/*
 * DOC: what the supervisor keeps while a session runs
 *
 * It was root to build the pen.  To serve it, fewer capabilities do, and no program is executed,
 * no module loaded, nothing mounted, no memory made executable.  A Landlock domain is not among
 * it: the kernel would then refuse a look at processes outside of that domain, which are all those
 * that the record tells of.
 */
#include "session/confine.h"

#include <linux/capability.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/lessen.h"
#include "seccomp/filter.h"

/* docs/threat-model.md lists the same, and a test compares. */
static const struct lessen_cap KEPT[] = {
	{ CAP_BPF, "the fence's maps: names that were resolved, reloads" },
	{ CAP_NET_ADMIN, "connections that a reload refuses are ended" },
	{ CAP_SYS_PTRACE, "the record names programs; observing reads their arguments" },
	{ CAP_KILL, "the pen's processes have another uid" },
	{ CAP_SETUID, "a resolver or relay that is started again becomes nobody" },
	{ CAP_SETGID, "the same" },
	{ CAP_SETPCAP, "the same: it gives up its bounding set" },
	{ CAP_CHOWN, "handing files over at the end" },
	{ CAP_FOWNER, "the same" },
	{ CAP_DAC_OVERRIDE, "the same; policies and records that belong to others" },
	/* Last, and when observing only. */
	{ CAP_SYS_ADMIN, "secrets are held by a question at each open (fanotify)" },
};

int session_confine_caller(bool observes, struct pinfold_error *e)
{
	const size_t n = ARRAY_SIZE(KEPT) - (observes ? 0 : 1);
	struct seccomp_filter filter = { 0 };
	int r = seccomp_filter_prepare_supervisor(&filter, e);

	if (r < 0)
		return r;
	r = lessen_to(KEPT, n);
	if (r == 0)
		r = seccomp_filter_enter(&filter);
	seccomp_filter_done(&filter);
	if (r < 0)
		return err_set(e, r, "cannot confine the supervisor: %s", strerror(-r));
	return 0;
}
