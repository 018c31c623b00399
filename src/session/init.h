/* SPDX-License-Identifier: MIT */
/* Process 1 of the pen: starts the command, reaps everything, passes signals on, reports the end.
 */
#ifndef PINFOLD_SESSION_INIT_H
#define PINFOLD_SESSION_INIT_H

struct session_command;

struct init_work {
	const struct session_command *command;
	char *const *env;
	const char *path; /* where a bare argv[0] is looked up */
	const char *start_dir;
	int link;
};

/* Runs in the confined child after LINK_GO; returns the exit status of init itself.  When init
 * exits, the kernel kills whatever is left in its pid namespace. */
int init_run(const struct init_work *w);

#endif
