/* SPDX-License-Identifier: MIT */
/* Who launches: the caller, or under sudo the user behind it. */
#ifndef PINFOLD_POLICY_CONTEXT_H
#define PINFOLD_POLICY_CONTEXT_H

#include "policy/handle.h"

struct pinfold_error;

/* Reads the environment, the account database and the current directory. */
int context_read(struct context *c, struct pinfold_error *e);

void context_done(struct context *c);

#endif
