/* SPDX-License-Identifier: MIT */
/* What a session may do to the terminal that it shares with its launcher, and how that ends. */
#ifndef PINFOLD_SESSION_TERMINAL_H
#define PINFOLD_SESSION_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	pid_t group; /* ours, if standard input is our terminal and we are in its foreground; -1 */
	bool has_modes;
	struct termios modes;
};

/* Remembers the terminal as it is now. */
void terminal_note(struct terminal *ret);

/* Whether a shell with job control started us in the foreground: it takes over when we stop. */
bool terminal_has_shell(const struct terminal *t);

/* Gives it back as it was: to our process group, with its modes, running, open to others. */
void terminal_restore(const struct terminal *t);

/* Lets sig, which is blocked, do to this process what it does by default: stop it, until somebody
 * continues it. */
void terminal_stop(int sig);

/* SIGHUP means two things: the terminal is gone, or somebody asks that the record be opened anew.
 */
struct hangup {
	bool had_terminal;
	bool is_ignored;   /* nohup */
	uint64_t heard_us; /* 0: never */
};

/* To be called before SIGHUP is read from a descriptor. */
void hangup_note(struct hangup *ret);

/* Whether the SIGHUP that came with this si_code tells of a terminal's end. */
bool hangup_is_real(struct hangup *h, int code);

/* Whether a SIGHUP that did not look like it was followed by the terminal's end. */
bool hangup_followed(const struct hangup *h);

#endif
