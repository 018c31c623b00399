/* SPDX-License-Identifier: MIT */
/* What the verbs that run commands share. */
#ifndef PINFOLD_CLI_RUN_H
#define PINFOLD_CLI_RUN_H

/* A sentence on standard error, without ever waiting for a reader. */
void print_notice(void *data, const char *text);

/* As a shell would: the command's own status, 128+N for a signal. */
int exit_status(int wait_status);

#endif
