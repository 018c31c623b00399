/* SPDX-License-Identifier: MIT */
/* The Landlock domain: which rights are handled, and what a rule on a file or directory grants. */
#ifndef PINFOLD_FS_DOMAIN_H
#define PINFOLD_FS_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinfold_error;

#define DOMAIN_ABI_MIN 6 /* below it signals and abstract sockets are open */

#define DOMAIN_GAPS_MAX 160

/* What a rule stands for; the set of rights follows from it and from the kernel's ABI. */
enum domain_grant {
	DOMAIN_READ = 0, /* read and list */
	DOMAIN_READ_EXEC,
	DOMAIN_WRITE,  /* everything but making and driving devices */
	DOMAIN_DEVICE, /* open a device, or all below a directory of devices, and drive it */
	DOMAIN_PROC,   /* read, list, write to existing files */
	DOMAIN_SOCKET, /* connect to the unix socket */
};

struct domain {
	int ruleset; /* -1: none */
	int abi;
};

/* Creates the ruleset with every right of the kernel's ABI handled.  -EOPNOTSUPP: no Landlock, or
 * one that is too old and old_is_accepted is false; the text says what would not hold. */
int domain_new(bool old_is_accepted, struct domain *ret, struct pinfold_error *e);

/* Writes what an ABI does not hold, separated by commas; false when it holds everything. */
bool domain_gaps(int abi, char *ret, size_t size);

/* fd: the file or directory, O_PATH suffices.  System calls only; returns 0 or -errno.  What the
 * ABI does not know, or a plain file can't carry, is left out. */
int domain_allow(const struct domain *d, int fd, bool is_dir, enum domain_grant grant);

/* As domain_allow(), for the rights of an inherited descriptor: reopening it by /proc/self/fd
 * gives no more than it has.  Pipes, sockets and closed descriptors need nothing. */
int domain_allow_inherited(const struct domain *d, int fd);

/* System calls only; returns 0 or -errno. */
int domain_enter(const struct domain *d);

/* The rights that an ABI knows; for tests. */
uint64_t domain_handled(int abi);
uint64_t domain_rights(int abi, bool is_dir, enum domain_grant grant);

void domain_done(struct domain *d);

#endif
