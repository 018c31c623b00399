/* SPDX-License-Identifier: MIT */
/* What is wrong with a policy.  One file for each part of it, and lint_fix.c. */
#ifndef PINFOLD_REVIEW_LINT_H
#define PINFOLD_REVIEW_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/paths.h"
#include "policy/schema.h"

struct json5;
struct pinfold_error;
struct pinfold_lint_finding;
struct policy;
struct policy_context;

/* What a finding is called.  pinfold-lint(1) and docs/lint.md have a paragraph for each. */
enum lint_code {
	LINT_SHADOWED = 0,
	LINT_REDUNDANT,
	LINT_TOO_BROAD,
	LINT_PUBLIC_SUFFIX,
	LINT_PLAIN_TEXT,
	LINT_ANY_PORT,
	LINT_WIDE_PORTS,
	LINT_PRIVATE_LITERAL,
	LINT_DENY_UNBOUND,
	LINT_DENY_PORT,
	LINT_STEERED_PORT,
	LINT_METADATA,
	LINT_INBOUND,
	LINT_ICMP,
	LINT_LONG_TTL,
	LINT_SENSITIVE_OFF,
	LINT_HOME_WORKSPACE,
	LINT_UNUSED_LANE,
	LINT_GIT_UNPROTECTED,
	LINT_SHARED_TMP,
	LINT_WRITABLE_POLICY,
	LINT_ROOT_SOCKET,
	LINT_AGENT_SOCKET,
	LINT_ROOT_IDENTITY,
	LINT_SECRET_ENV,
	LINT_NESTED,
	LINT_ODD_FAMILY,
	LINT_UNLIMITED,
	LINT_DEGRADE,
	LINT_CODES,
};

struct lint {
	const struct policy *policy;
	const struct policy_context *context;
	struct path_set paths;
	struct json5 *text; /* the file as it is now, for the lines of members; NULL: unknown */
	void (*fn)(void *data, const struct pinfold_lint_finding *f);
	void *data;
	int n;
	/* For lint_fix(): the JSON paths of what is to be removed. */
	char **doomed;
	size_t n_doomed;
	bool out_of_memory;
};

enum lint_cure { LINT_BY_HAND = 0, LINT_REMOVE };

/* One finding about an entry with an origin of its own ("FILE:LINE (JSON path)"). */
struct lint_entry {
	const char *text;
	const char *origin;
};

void lint_tell(struct lint *l, enum lint_code code, const struct lint_entry *at,
	       enum lint_cure cure, const char *reason, const char *fix);

/* The same about a plain member. */
void lint_tell_member(struct lint *l, enum lint_code code, enum member_id id, enum lint_cure cure,
		      const char *reason, const char *fix);

/* Whether an entry stands in the policy's own file, not in the site's. */
bool lint_is_own(const struct lint *l, const char *origin);

void lint_network(struct lint *l);
void lint_denies(struct lint *l);
int lint_files(struct lint *l);
void lint_session(struct lint *l);

/* Runs every check over l->policy.  lint_done() afterwards, whatever the result. */
int lint_run(struct lint *l, struct pinfold_error *e);
void lint_done(struct lint *l);

/* Whether a domain is one under which strangers register names; *ret_of_registry: it is run by a
 * registry, else by a company that hands out names below its own. */
bool lint_is_public_suffix(const char *name, bool *ret_of_registry);

/* The text without the values at those JSON paths (with their keys and commas).  free() *ret.
 * -ENOENT: there is no such value. */
int lint_cut_text(const char *text, size_t len, const char *const *paths, size_t n, char **ret);

#endif
