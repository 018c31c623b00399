/* SPDX-License-Identifier: MIT */
/* A terminal of its own for a session. */
#ifndef PINFOLD_CLI_PTY_H
#define PINFOLD_CLI_PTY_H

/* Runs fn(data), which returns an exit status, in a process whose terminal is a new pseudo
 * terminal, and passes bytes between that and ours (standard input and output, which need be no
 * terminals) until it ends.  Stopping and continuing pass in both directions.  Returns fn's status,
 * 128+N when a signal ended it, EXIT_NOT_CONFINED when there is no such terminal. */
int pty_run(int (*fn)(void *data), void *data);

#endif
