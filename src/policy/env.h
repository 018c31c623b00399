/* SPDX-License-Identifier: MIT */
/* What a policy says about environment variables. */
#ifndef PINFOLD_POLICY_ENV_H
#define PINFOLD_POLICY_ENV_H

#include <stdbool.h>

struct identity_policy;

/* Whether a variable of the launcher passes into the pen.  One whose name looks secret passes only
 * where the policy writes that name out in full. */
bool env_is_kept(const struct identity_policy *id, const char *name);

/* KEY, TOKEN, SECRET or PASS anywhere in the name, in any case. */
bool env_name_looks_secret(const char *name);

enum env_name_form { ENV_NAME, ENV_NAME_OR_START };

/* Letters, digits and '_', not starting with a digit; with ENV_NAME_OR_START a star may end it.
 * Names that pinfold alone sets (PINFOLD_...) are not sound. */
bool env_name_is_sound(const char *name, enum env_name_form form);

/* Absolute directories with single colons between them. */
bool env_path_is_sound(const char *path);

#endif
