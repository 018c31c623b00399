/* SPDX-License-Identifier: MIT */
/* The supervisor's own fences. */
#ifndef PINFOLD_SESSION_CONFINE_H
#define PINFOLD_SESSION_CONFINE_H

#include <stdbool.h>

struct pinfold_error;

/* The calling process, for good: what serving a session and cleaning up after it doesn't need is
 * gone.  On failure some of it may be gone. */
int session_confine_caller(bool observes, struct pinfold_error *e);

#endif
