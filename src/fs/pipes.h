/* SPDX-License-Identifier: MIT */
#ifndef PINFOLD_FS_PIPES_H
#define PINFOLD_FS_PIPES_H

#define INHERITED_FDS 3 /* standard input, output, error */

/* Lets the session's uid open the pipes among descriptors 0 to 2 by their names in /dev.  System
 * calls only; what can't be done is left. */
void fs_widen_inherited_pipes(void);

#endif
