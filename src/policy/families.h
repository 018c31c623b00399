/* SPDX-License-Identifier: MIT */
/* Families of sockets that a policy can name. */
#ifndef PINFOLD_POLICY_FAMILIES_H
#define PINFOLD_POLICY_FAMILIES_H

#include <stdbool.h>

/* The name's AF_ number, or -1.  inet, inet6 and unix have no name here: they are always there. */
int family_number(const char *name);

bool family_is_known(const char *name);

#endif
