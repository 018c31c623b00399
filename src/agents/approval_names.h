/* SPDX-License-Identifier: MIT */
/* Which program a command's first word starts, by all the names it has. */
#ifndef PINFOLD_AGENTS_APPROVAL_NAMES_H
#define PINFOLD_AGENTS_APPROVAL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAMES_HOPS_MAX 40 /* symlinks followed, as the kernel does */
#define PLACE_CWDS_MAX 8

/* Where a command is about to run. */
struct approval_place {
	const char *path; /* PATH; NULL: the system's */
	const char *home; /* what "~" is; NULL: not known */
	/* Directories that may be the current one: the first, and what a "cd" in front names. */
	const char *cwd[PLACE_CWDS_MAX];
	size_t n_cwds;
	bool shell; /* a shell starts it, so its builtins come first */
};

struct approval_names {
	char **name; /* as written, its last component, and both again for each symlink on the way
			and for the file at the end */
	size_t n;
	bool trusted; /* in the system's directories, root's file, which nobody else can write; or
			 the shell's own */
	bool system;  /* that, and written without a path */
};

/* Free with names_done().  -ENOMEM. */
int names_find(const struct approval_place *place, const char *word, struct approval_names *ret);
void names_done(struct approval_names *n);

/* Is one of them this? */
bool names_has(const struct approval_names *n, const char *name);

/* A name that the shell itself answers to, whatever PATH holds; not those that it is doubtful
 * about. */
bool names_is_builtin(const char *word);

const char *names_base(const char *path);

#endif
