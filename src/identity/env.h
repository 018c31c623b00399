/* SPDX-License-Identifier: MIT */
/* An environment under construction, and the judgement of names. */
#ifndef PINFOLD_IDENTITY_ENV_H
#define PINFOLD_IDENTITY_ENV_H

#include <stdbool.h>
#include <stddef.h>

#define ENV_VARS_MAX 4096

/* Zero-initialise. */
struct env_list {
	char **var; /* NULL-terminated once anything is in it */
	size_t n;
};

/* Sets or replaces.  -EINVAL: name is empty or holds '='.  -E2BIG, -ENOMEM. */
int env_set(struct env_list *env, const char *name, const char *value);

/* The value in a NULL-terminated NAME=value list, or NULL. */
const char *env_get(const char *const *env, const char *name);

/* Steers the dynamic loader, the start of a shell, or the way to the network. */
bool env_name_is_dangerous(const char *name);

void env_done(struct env_list *env);

#endif
