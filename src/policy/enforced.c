/* SPDX-License-Identifier: MIT */
/* Members that are read but that no fence holds yet.  A session must not start with one of them: a
 * row goes when its fence lands. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/parse.h"

/* Each returns the entry of the policy that uses the member ("" for a plain one), or NULL. */
static const char *find_strict_deny(const struct policy *p)
{
	return p->fs.strict_deny ? "" : NULL;
}

static const struct {
	const char *member;
	const char *(*find)(const struct policy *p);
} UNENFORCED[] = {
	{ "filesystem.strictDeny", find_strict_deny },
};

int policy_check_enforced(const struct policy *p, struct pinfold_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(UNENFORCED); i++) {
		const char *entry = UNENFORCED[i].find(p);

		if (entry)
			return err_set(e, -EINVAL, "%.100s: not enforced yet: %s%s%.60s%s",
				       p->source, UNENFORCED[i].member, *entry ? " (" : "", entry,
				       *entry ? ")" : "");
	}
	return 0;
}
