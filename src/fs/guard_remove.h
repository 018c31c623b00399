/* SPDX-License-Identifier: MIT */
/* Removes what was planted, a tree as well, without following anything. */
#ifndef PINFOLD_FS_GUARD_REMOVE_H
#define PINFOLD_FS_GUARD_REMOVE_H

/* 0 when nothing is there any more.  -EAGAIN: it grows faster than it can be removed. */
int guard_remove(int dir, const char *name);

#endif
