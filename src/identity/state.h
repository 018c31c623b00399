/* SPDX-License-Identifier: MIT */
/* State directories of whoever launches: closed to others, and proved to be out of reach. */
#ifndef PINFOLD_IDENTITY_STATE_H
#define PINFOLD_IDENTITY_STATE_H

#include <stddef.h>
#include <sys/types.h>

struct pinfold_error;

#define STATE_DIRS_MAX 32

/* Takes group and other access from each directory itself; path is absolute or relative to the
 * current directory.  A symlink is refused. */
int state_close(const char *const *dir, size_t n, struct pinfold_error *e);

/* What a session must not, or must, be able to do. */
struct state_test {
	const char *const *dir; /* absolute */
	size_t n;
	pid_t launcher;
	const char *workspace; /* to be writable; NULL: not */
};

enum state_finding {
	STATE_FINE = 0,
	STATE_ENVIRONMENT_READ, /* of the launcher */
	STATE_DIR_READ,
	STATE_WORKSPACE_CLOSED,
};

/* Inside, as the session: system calls only.  *ret_index: of the directory. */
enum state_finding state_try(const struct state_test *t, int *ret_index);

/* Puts a finding into words; -EPERM. */
int state_explain(const struct state_test *t, enum state_finding finding, int index,
		  struct pinfold_error *e);

#endif
