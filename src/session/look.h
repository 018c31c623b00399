/* SPDX-License-Identifier: MIT */
/*
 * DOC: observing files and unix sockets
 *
 * An observed session is shown all of the host that some policy could grant (shown.h); denied and
 * sensitive paths stay masked.  Its system calls that name files and sockets are told to the
 * supervisor by a seccomp listener before they are made, with the caller standing still.  The
 * supervisor reads the path, resolves it with the session's own credentials, asks the policy's set
 * of paths as enforcement would, writes down what would be refused, and lets the call go on.
 * Nothing is held by that, since the path can change until it is used: what stays shut is shut by
 * masks, by look_gate.h and by who the session runs as.
 */
#ifndef PINFOLD_SESSION_LOOK_H
#define PINFOLD_SESSION_LOOK_H

struct look; /* heap object */
struct path_set;
struct pinfold_error;
struct session;

/* After s->paths is built.  s->look is new. */
int look_prepare(struct session *s, struct pinfold_error *e);

/* What the session is to be shown; the looker's own. */
const struct path_set *look_shown(const struct look *l);

/* Init, behind its last filter: returns the listener's descriptor, or -errno.  NULL is none: -1.
 * System calls only. */
int look_enter(const struct look *l);

/* Supervisor: takes the listener out of init.  */
int look_take(struct session *s, int number, struct pinfold_error *e);

/* Readable when a call waits; -1: nobody looks. */
int look_fd(const struct look *l);

/* Looks at one call and lets it go on.  -EPIPE: nobody is left to make calls. */
int look_serve(struct session *s);

/* Readable when an open waits; -1: nobody looks. */
int look_gate_fd(const struct look *l);
void look_serve_gate(const struct session *s);

/* Accepts NULL. */
void look_free(struct look *l);

#endif
