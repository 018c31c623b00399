/* SPDX-License-Identifier: MIT */
/* From text to struct policy and back. */
#ifndef PINFOLD_POLICY_PARSE_H
#define PINFOLD_POLICY_PARSE_H

#include <stddef.h>

#include "pinfold.h"
#include "policy/policy.h"

/* The built-in policy: workspace (absolute) rw, system set, network shut.  -ENOMEM. */
int policy_default(const char *workspace, const struct policy_context *ctx, struct policy *ret,
		   struct pinfold_error *e);

/* Parses and checks a policy on top of the built-in one.  file is its name in messages; relative
 * paths in it are relative to file's directory.  -EINVAL with file, line, column and JSON path. */
int policy_parse(const char *text, size_t len, const char *file, const struct policy_context *ctx,
		 struct policy *ret, struct pinfold_error *e);

/* Adds one rule of the command line.  origin is kept as written. */
int policy_add(struct policy *p, enum pinfold_rule kind, const char *text, const char *origin,
	       const struct policy_context *ctx, struct pinfold_error *e);

/* Makes p no wider than site: -EPERM naming both origins when an entry of p is wider; denies of
 * the site are added to p; limits are lowered to the site's. */
int policy_narrow(struct policy *p, const struct policy *site, struct pinfold_error *e);

/* Canonical JSON, every member written out; free() it. */
int policy_print(const struct policy *p, char **ret);

/* Any state. */
void policy_done(struct policy *p);

#endif
