/* SPDX-License-Identifier: MIT */
/* From text to struct policy and back. */
#ifndef PINFOLD_POLICY_PARSE_H
#define PINFOLD_POLICY_PARSE_H

#include <stddef.h>

#include "pinfold.h"
#include "policy/policy.h"

/* The built-in policy: workspace (absolute) rw, system set, network shut.  -EINVAL: the workspace
 * is the root directory or no absolute path; -ENOMEM. */
int policy_default(const char *workspace, const struct policy_context *ctx, struct policy *ret,
		   struct pinfold_error *e);

/* Parses and checks a policy on top of the built-in one.  file is its name in messages; relative
 * paths in it are relative to file's directory.  -EINVAL with file, line, column and JSON path. */
int policy_parse(const char *text, size_t len, const char *file, const struct policy_context *ctx,
		 struct policy *ret, struct pinfold_error *e);

struct json5;

/* The same from a tree; a message names the file of the value where it has one of its own. */
int policy_parse_tree(const struct json5 *root, const char *file, const struct policy_context *ctx,
		      struct policy *ret, struct pinfold_error *e);

/* Adds one rule of the command line; relative paths are relative to ctx->cwd.  origin is kept as
 * written.  A path that already stands in the policy may only become narrower (rw, rox, ro).
 * -EINVAL with words; p is then as before. */
int policy_add(struct policy *p, enum pinfold_rule kind, const char *text, const char *origin,
	       const struct policy_context *ctx, struct pinfold_error *e);

/* Makes p no wider than site.  What the site's text does not mention is left open.  What it does
 * mention is a ceiling:
 *  - each entry of p's lists must lie within one of the site's list (the grants of files together
 *    with the site's workspace; p's workspace and home count as grants), else -EPERM;
 *  - a plain member that p's own text sets wider is -EPERM; one that p does not mention takes the
 *    site's value;
 *  - limits are lowered to the site's, and the site's denies are added.
 * The words name both origins.  On failure p may be partly narrowed; only free it. */
int policy_narrow(struct policy *p, const struct policy *site, struct pinfold_error *e);

/* Canonical JSON, every member written out; free() it.  -ENOMEM.  Left out are members without a
 * value (lane, identity.uid, gid and home, audit.path). */
int policy_print(const struct policy *p, char **ret);

/* Any state. */
void policy_done(struct policy *p);

#endif
