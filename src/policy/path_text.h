/* SPDX-License-Identifier: MIT */
/* Paths as a policy writes them. */
#ifndef PINFOLD_POLICY_PATH_TEXT_H
#define PINFOLD_POLICY_PATH_TEXT_H

#include <stdbool.h>

struct pinfold_error;
struct policy_context;

#define PATH_TEXT_BYTES_MAX 4095

/* Joins a relative path to base (absolute) and cleans it: no empty and no "." components, no
 * trailing slash.  ".." is taken at the start of a relative path only: behind a name it would mean
 * another directory than the kernel's when that name is a symlink.  free() *ret.  -EINVAL. */
int path_clean(const char *base, const char *path, char **ret);

/* Expands ~, ~name, a leading $VAR and relative paths, and cleans.  Refuses wildcards and control
 * characters.  free() *ret.  -EINVAL with words. */
int path_expand(const char *text, const char *base, const struct policy_context *ctx, char **ret,
		struct pinfold_error *why);

/* Whether text is meant as a pattern: it starts with two stars and a slash. */
bool path_is_pattern(const char *text);

/* Checks and cleans a pattern.  free() *ret.  -EINVAL with words. */
int path_pattern(const char *text, char **ret, struct pinfold_error *why);

/* Whether path is dir or lies below it.  Both absolute and clean. */
bool path_is_within(const char *path, const char *dir);

#endif
