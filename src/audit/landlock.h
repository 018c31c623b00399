/* SPDX-License-Identifier: MIT */
/* Reads Landlock's denials from the kernel's audit stream (ABI 7, Linux 6.15), without auditd. */
#ifndef PINFOLD_AUDIT_LANDLOCK_H
#define PINFOLD_AUDIT_LANDLOCK_H

#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

#define LANDLOCK_PATH_MAX 4096

struct landlock_denial {
	uint64_t domain;
	pid_t pid;          /* of the record that announced the domain, or of the access */
	char blockers[128]; /* "fs.read_file,fs.write_file", "scope.signal", "net.connect_tcp" */
	char path[LANDLOCK_PATH_MAX];
	char comm[32];
	char exe[256];
};

struct landlock_audit; /* heap object */

/* Joins the kernel's read-only audit group, in the first network namespace when this process may
 * enter that.  -EOPNOTSUPP: the kernel makes no such records, or auditing is off. */
int landlock_audit_new(struct landlock_audit **ret, struct pinfold_error *e);

int landlock_audit_fd(const struct landlock_audit *a);

/* Only denials of domains made by a process that is_ours() accepts are handed on.  Returns the
 * number read, or -ENOBUFS once when the kernel dropped some. */
int landlock_audit_read(struct landlock_audit *a, int (*is_ours)(void *data, pid_t pid),
			void (*fn)(void *data, const struct landlock_denial *d), void *data);

void landlock_audit_free(struct landlock_audit *a);

#endif
