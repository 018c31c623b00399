/* SPDX-License-Identifier: MIT */
#include "review/lint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "base/json5.h"
#include "pinfold_review.h"
#include "policy/handle.h"
#include "policy/read.h"

#define ORIGIN_MAX 512

static const char *const CODES[] = {
	[LINT_SHADOWED] = "shadowed",
	[LINT_REDUNDANT] = "redundant",
	[LINT_TOO_BROAD] = "too-broad",
	[LINT_PUBLIC_SUFFIX] = "public-suffix",
	[LINT_PLAIN_TEXT] = "plain-text",
	[LINT_ANY_PORT] = "any-port",
	[LINT_WIDE_PORTS] = "wide-ports",
	[LINT_PRIVATE_LITERAL] = "private-literal",
	[LINT_DENY_UNBOUND] = "deny-unbound",
	[LINT_DENY_PORT] = "deny-port",
	[LINT_STEERED_PORT] = "steered-port",
	[LINT_METADATA] = "metadata",
	[LINT_INBOUND] = "inbound-anywhere",
	[LINT_ICMP] = "icmp",
	[LINT_LONG_TTL] = "long-ttl",
	[LINT_SENSITIVE_OFF] = "sensitive-off",
	[LINT_HOME_WORKSPACE] = "home-workspace",
	[LINT_UNUSED_LANE] = "unused-lane",
	[LINT_GIT_UNPROTECTED] = "git-unprotected",
	[LINT_SHARED_TMP] = "shared-tmp",
	[LINT_WRITABLE_POLICY] = "writable-policy",
	[LINT_ROOT_SOCKET] = "root-socket",
	[LINT_AGENT_SOCKET] = "agent-socket",
	[LINT_ROOT_IDENTITY] = "root-identity",
	[LINT_SECRET_ENV] = "secret-env",
	[LINT_NESTED] = "nested",
	[LINT_ODD_FAMILY] = "odd-family",
	[LINT_UNLIMITED] = "unlimited",
	[LINT_DEGRADE] = "degrade",
};
_Static_assert(ARRAY_SIZE(CODES) == LINT_CODES, "every finding has its code");

bool lint_is_own(const struct lint *l, const char *origin)
{
	size_t n = strlen(l->policy->source);

	return strncmp(origin, l->policy->source, n) == 0 && origin[n] == ':';
}

/* "FILE:LINE (PATH)": what stands in the brackets. */
static void doom(struct lint *l, const char *origin)
{
	const char *open = strrchr(origin, '(');
	size_t len = open ? strcspn(open + 1, ")") : 0;
	char **slot = len ? grow(&l->doomed, l->n_doomed, sizeof(*l->doomed)) : NULL;

	if (slot)
		*slot = strndup(open + 1, len);
	if (!slot || !*slot)
		l->out_of_memory = true;
	else
		l->n_doomed++;
}

void lint_tell(struct lint *l, enum lint_code code, const struct lint_entry *at,
	       enum lint_cure cure, const char *reason, const char *fix)
{
	const struct pinfold_lint_finding f = {
		.code = CODES[code],
		.rule = at->text,
		.origin = at->origin,
		.reason = reason,
		.fix = fix,
		.fixable = cure == LINT_REMOVE,
	};

	l->n++;
	if (cure == LINT_REMOVE)
		doom(l, at->origin);
	if (l->fn)
		l->fn(l->data, &f);
}

static unsigned line_of(const struct json5 *root, const char *name)
{
	const struct json5 *v = root;
	char key[64];

	while (v && *name) {
		size_t n = strcspn(name, ".");

		if (n >= sizeof(key))
			return 0;
		memcpy(key, name, n);
		key[n] = '\0';
		v = json5_member(v, key);
		name += n + (name[n] == '.');
	}
	return v ? v->line : 0;
}

void lint_tell_member(struct lint *l, enum lint_code code, enum member_id id, enum lint_cure cure,
		      const char *reason, const char *fix)
{
	const char *name = schema_member(id)->name;
	unsigned line = line_of(l->text, name);
	char origin[ORIGIN_MAX];
	const struct lint_entry at = { name, origin };

	if (line)
		snprintf(origin, sizeof(origin), "%.400s:%u (%s)", l->policy->source, line, name);
	else
		snprintf(origin, sizeof(origin), "%.400s (%s)", l->policy->source, name);
	lint_tell(l, code, &at, line ? cure : LINT_BY_HAND, reason, fix);
}

/* Only for line numbers: without it the findings are the same. */
static void read_text(struct lint *l)
{
	struct pinfold_error e;
	auto_free char *text = NULL;
	size_t len;

	if (io_read_file(AT_FDCWD, l->policy->source, POLICY_TEXT_MAX, &text, &len) == 0)
		(void)json5_parse(text, len, l->policy->source, &l->text, &e);
}

int lint_run(struct lint *l, struct pinfold_error *e)
{
	int r = path_set_build(l->policy, l->context, l->policy->identity.home, &l->paths, e);

	if (r < 0)
		return r;
	read_text(l);
	lint_network(l);
	lint_denies(l);
	r = lint_files(l);
	lint_session(l);
	if (r == 0 && l->out_of_memory)
		r = -ENOMEM;
	return r < 0 ? err_set(e, r, "out of memory") : 0;
}

void lint_done(struct lint *l)
{
	for (size_t i = 0; i < l->n_doomed; i++)
		free(l->doomed[i]);
	free(l->doomed);
	json5_free(l->text);
	path_set_done(&l->paths);
}

int pinfold_lint(const struct pinfold_policy *p,
		 void (*fn)(void *data, const struct pinfold_lint_finding *f), void *data,
		 struct pinfold_error *e)
{
	struct lint l = {
		.policy = &p->policy,
		.context = &p->context.policy,
		.fn = fn,
		.data = data,
	};
	int r = lint_run(&l, e);

	lint_done(&l);
	return r < 0 ? r : l.n;
}
