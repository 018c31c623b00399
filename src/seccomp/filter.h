/* SPDX-License-Identifier: MIT */
/* System calls that a session may not make, compiled in the parent, entered raw in the child. */
#ifndef PINFOLD_SECCOMP_FILTER_H
#define PINFOLD_SECCOMP_FILTER_H

#include <stddef.h>

struct pinfold_error;
struct policy;
struct sock_filter;

struct seccomp_program {
	struct sock_filter *code;
	unsigned short n;
};

/*
 * Two programs, since the kernel logs (audit record 1326) for a whole program or not at all:
 *  - quiet: wrong architectures (killed, x32 and i386 too), numbers newer than this version of
 *    pinfold, clone3 (ENOSYS, which every thread of glibc asks for), news of devices: no attempt
 *    to leave;
 *  - told: all that is refused, logged by the kernel.
 */
struct seccomp_filter {
	struct seccomp_program quiet;
	struct seccomp_program told;
};

/* The filter of a session.  -EINVAL: seccomp.families names a family that can't be let in. */
int seccomp_filter_prepare(struct seccomp_filter *f, const struct policy *p,
			   struct pinfold_error *e);

/* The filter of the DNS worker: an allow-list of what it needs, EPERM for the rest. */
int seccomp_filter_prepare_worker(struct seccomp_filter *f, struct pinfold_error *e);

/* The filter of the relay, which is smaller: it opens no socket and connects none. */
int seccomp_filter_prepare_relay(struct seccomp_filter *f, struct pinfold_error *e);

/* The filter of a supervisor that has built its pen: EPERM for what only building needs. */
int seccomp_filter_prepare_supervisor(struct seccomp_filter *f, struct pinfold_error *e);

/* Child, with no_new_privs set, as the last fence: mount, setns and keyctl are refused after it.
 * System calls only.  Returns -errno; a half-entered filter stays. */
int seccomp_filter_enter(const struct seccomp_filter *f);

void seccomp_filter_done(struct seccomp_filter *f);

#endif
