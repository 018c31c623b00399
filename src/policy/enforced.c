/* SPDX-License-Identifier: MIT */
/* Members that are read but that no fence holds yet.  A session must not start with one of them: a
 * row goes when its fence lands. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/parse.h"

/* Each returns whether the policy uses the member, and may put an element's text behind its name.
 */
static bool uses_verify(const struct policy *p, char *which, size_t size)
{
	for (size_t i = 0; i < p->net.allow.n; i++) {
		if (!p->net.allow.rule[i].verify_sni)
			continue;
		snprintf(which, size, " (%.60s)", p->net.allow.rule[i].text);
		return true;
	}
	return false;
}

static bool uses_pattern(const struct policy *p, char *which, size_t size)
{
	static const char *const held[] = { "**/.env", "**/.env.*" };

	for (size_t i = 0; i < p->fs.n; i++) {
		const struct path_rule *r = &p->fs.rule[i];
		bool known = !r->pattern;

		for (size_t k = 0; k < ARRAY_SIZE(held); k++)
			known = known || strcmp(r->path, held[k]) == 0;
		if (known)
			continue;
		snprintf(which, size, " (%.60s)", r->text);
		return true;
	}
	return false;
}

static bool uses_cut(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->net.on_revoke == REVOKE_CUT;
}

static bool uses_handover(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->identity.handover;
}

static bool uses_auto(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->identity.choice == UID_AUTO;
}

static bool uses_strict_deny(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->fs.strict_deny;
}

static bool uses_families(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->seccomp.families.n > 0;
}

static bool uses_nested(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->seccomp.allow_nested;
}

static bool uses_quiet(const struct policy *p, char *which, size_t size)
{
	(void)which, (void)size;
	return p->audit.quiet.n > 0;
}

static const struct {
	const char *member;
	bool (*is_used)(const struct policy *p, char *which, size_t size);
} UNENFORCED[] = {
	{ "network.allowOutbound[].verify", uses_verify },
	{ "filesystem.deny", uses_pattern },
	{ "network.onRevoke", uses_cut },
	{ "identity.handover", uses_handover },
	{ "identity.uid \"auto\"", uses_auto },
	{ "filesystem.strictDeny", uses_strict_deny },
	{ "seccomp.families", uses_families },
	{ "seccomp.allowNested", uses_nested },
	{ "audit.quiet", uses_quiet },
};

int policy_check_enforced(const struct policy *p, struct pinfold_error *e)
{
	char which[80] = "";

	for (size_t i = 0; i < ARRAY_SIZE(UNENFORCED); i++)
		if (UNENFORCED[i].is_used(p, which, sizeof(which)))
			return err_set(e, -EINVAL, "%.100s: not enforced yet: %s%s", p->source,
				       UNENFORCED[i].member, which);
	return 0;
}
