/* SPDX-License-Identifier: MIT */
/* Secrets that no mask holds: in what an observed session is only shown, files of denied names may
 * be anywhere, and nobody looks for them.  Every open there is judged by the name of the file. */
#ifndef PINFOLD_SESSION_LOOK_GATE_H
#define PINFOLD_SESSION_LOOK_GATE_H

#include <sys/types.h>

struct path_set;
struct pinfold_error;

struct look_gate {
	const struct path_set *shown; /* borrowed */
	int fd;                       /* -1: none */
};

/* When the view of init stands and nothing else runs in it.  -errno with words. */
int look_gate_open(struct look_gate *g, const struct path_set *shown, pid_t init,
		   struct pinfold_error *e);

/* Answers what waits. */
void look_gate_serve(const struct look_gate *g);

void look_gate_done(struct look_gate *g);

#endif
