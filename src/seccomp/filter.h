/* SPDX-License-Identifier: MIT */
/* System calls that a session may not make, compiled in the parent, entered raw in the child. */
#ifndef PINFOLD_SECCOMP_FILTER_H
#define PINFOLD_SECCOMP_FILTER_H

#include <stddef.h>

struct pinfold_error;
struct policy;
struct sock_filter;

struct seccomp_filter {
	struct sock_filter *code;
	unsigned short n;
};

/* The filter of a session. */
int seccomp_filter_prepare(struct seccomp_filter *f, const struct policy *p,
			   struct pinfold_error *e);

/* The filter of the DNS worker: an allow-list of what it needs. */
int seccomp_filter_prepare_worker(struct seccomp_filter *f, struct pinfold_error *e);

/* Child, with no_new_privs set.  System calls only.  Returns -errno. */
int seccomp_filter_enter(const struct seccomp_filter *f);

void seccomp_filter_done(struct seccomp_filter *f);

#endif
