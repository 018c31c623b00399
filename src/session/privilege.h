/* SPDX-License-Identifier: MIT */
/* What starting a pen takes. */
#ifndef PINFOLD_SESSION_PRIVILEGE_H
#define PINFOLD_SESSION_PRIVILEGE_H

struct pinfold_error;

/* -EPERM with words when a capability that every session needs is missing; what ("a pen") takes it.
 * Only an early and plain word: each step fails by itself as well. */
int privilege_check(const char *what, struct pinfold_error *e);

#endif
