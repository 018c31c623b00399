/* SPDX-License-Identifier: MIT */
/* Ending a process of our own. */
#ifndef PINFOLD_BASE_CHILD_H
#define PINFOLD_BASE_CHILD_H

#include <sys/types.h>

/* Kills it, if it ever was: a fork that failed left -1 and one that was not made 0, which kill(2)
 * takes for everybody and for the caller's whole group.  Keeps errno. */
void child_kill(pid_t pid);

#endif
