/* SPDX-License-Identifier: MIT */
/* Whether an argument leads to the path that a pattern names, by whatever way it is written. */
#ifndef PINFOLD_AGENTS_APPROVAL_PATH_H
#define PINFOLD_AGENTS_APPROVAL_PATH_H

#include <stdbool.h>

struct approval_place;

/* Does a pattern's word name a path (from the root, from a home, or from here)? */
bool path_is_meant(const char *pattern);

/* Removes "//", "." and "..", and slashes at the end, as text.  -ENAMETOOLONG. */
int path_tidy(const char *dir, const char *path, char *ret);

/* pattern is a compiled word that path_is_meant(). */
bool path_meets(const char *pattern, const char *argument, const struct approval_place *place);

#endif
