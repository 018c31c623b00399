/* SPDX-License-Identifier: MIT */
/* Single entries that are paths. */
#ifndef PINFOLD_POLICY_PARSE_FS_H
#define PINFOLD_POLICY_PARSE_FS_H

#include "policy/policy.h"

struct json5;
struct pinfold_error;
struct reader;

/* One entry; relative to base (absolute).  The result has no origin yet.  -EINVAL with words. */
int fs_entry_parse(enum path_right right, const char *text, const char *base,
		   const struct policy_context *ctx, struct path_rule *ret,
		   struct pinfold_error *why);
int unix_entry_parse(const char *text, const struct policy_context *ctx, struct unix_rule *ret,
		     struct pinfold_error *why);

/* -EINVAL when one path stands in two of rw, ro and rox; the two rules, in their order. */
int fs_check_conflicts(const struct fs_policy *fs, const struct path_rule **ret_a,
		       const struct path_rule **ret_b);

/* After all members: what only shows when all lists are read. */
int read_fs_finish(struct reader *r, const struct json5 *root);

void path_rule_done(struct path_rule *r);
void unix_rule_done(struct unix_rule *r);

#endif
