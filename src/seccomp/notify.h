/* SPDX-License-Identifier: MIT */
/* System calls that somebody is told of before they are made: for observing, not for judging.  The
 * arguments can change behind the listener's back. */
#ifndef PINFOLD_SECCOMP_NOTIFY_H
#define PINFOLD_SECCOMP_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "seccomp/filter.h"

#define NOTIFY_TESTS_MAX 2

/* A condition on the low 32 bits of an argument.  mask 0: none. */
struct notify_test {
	unsigned arg;
	uint32_t mask;
	enum { NOTIFY_WHEN_ANY = 0, NOTIFY_WHEN_NONE } when; /* of the masked bits is set */
};

struct notify_call {
	int nr; /* negative: this architecture has no such call */
	struct notify_test test[NOTIFY_TESTS_MAX]; /* all are to hold */
};

/* Free ret->code.  -E2BIG, -ENOMEM. */
int seccomp_notify_prepare(const struct notify_call *call, size_t n, struct seccomp_program *ret);

/* Child, as the last filter of all: what an earlier one refuses is not told.  Returns the listener,
 * O_CLOEXEC, or -errno; -EBUSY: there is another listener.  System calls only. */
int seccomp_notify_enter(const struct seccomp_program *p);

#endif
