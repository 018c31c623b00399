/* SPDX-License-Identifier: MIT */
/* Whose homes there are. */
#ifndef PINFOLD_POLICY_ACCOUNTS_H
#define PINFOLD_POLICY_ACCOUNTS_H

#include <stddef.h>
#include <sys/types.h>

#define ACCOUNTS_MAX 65536

struct accounts {
	char **home; /* of every account that may log in; absolute, clean, not "/" */
	size_t n;
};

/* Reads a file in the format of passwd(5).  Only that file, no directory service: enumerating one
 * can take minutes, and most refuse it.  A missing file is an empty list. */
int accounts_read(const char *path, struct accounts *ret);

void accounts_done(struct accounts *a);

/* The home of one account, by any service of nsswitch.conf.  free() it.  -ENOENT: no such account,
 * or its home is not an absolute path. */
int account_home(const char *name, char **ret);
int account_home_of(uid_t uid, char **ret);

#endif
