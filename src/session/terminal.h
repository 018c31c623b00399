/* SPDX-License-Identifier: MIT */
/* What a session may do to the terminal that it shares with its launcher, and how that ends. */
#ifndef PINFOLD_SESSION_TERMINAL_H
#define PINFOLD_SESSION_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	pid_t group; /* ours, if standard input is our terminal and we are in its foreground; -1 */
	bool has_modes;
	struct termios modes;
};

/* Whether this process has a controlling terminal. */
bool terminal_is_controlling(void);

/* Remembers the terminal as it is now. */
void terminal_note(struct terminal *ret);

/* Whether a shell with job control started us in the foreground: it takes over when we stop. */
bool terminal_has_shell(const struct terminal *t);

/* Gives it back as it was: to our process group, with its modes, running, open to others. */
void terminal_restore(const struct terminal *t);

/* Lets sig, which is blocked, do to this process what it does by default: stop it, until somebody
 * continues it. */
void terminal_stop(int sig);

#endif
