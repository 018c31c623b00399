/* SPDX-License-Identifier: MIT */
/*
 * The relay: connections to servers whose name is to be verified end here.  It reads what the
 * client says first, asks the supervisor, and only then has a way to the server: a descriptor that
 * the supervisor connected.  It reads hostile bytes, so it runs in a process of its own with no
 * privilege, and can't open a connection by itself.
 */
#ifndef PINFOLD_RELAY_WORKER_H
#define PINFOLD_RELAY_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "relay/hello.h"

struct pinfold_error;

#define RELAY_CONNS_MAX 1024

struct relay_worker {
	int tcp4; /* on 127.0.0.1:port */
	int tcp6; /* on [::1]:port; -1 where the host has no IPv6 loopback */
	uint16_t port;
	int channel;      /* the worker's end, SOCK_SEQPACKET */
	int supervisor;   /* the supervisor's end */
	size_t conns_max; /* set by relay_worker_limits() */
};

/* No relay, as a value. */
extern const struct relay_worker RELAY_EMPTY;

/* Supervisor: binds the sockets and makes the channel. */
int relay_worker_prepare(struct relay_worker *w, struct pinfold_error *e);

/* The worker process, before it is confined: as many descriptors as the hard limit allows. */
void relay_worker_limits(struct relay_worker *w);

/* The worker process, already confined: serves until the channel closes.  Returns -errno only when
 * it can't go on.  Closes the supervisor's end first. */
int relay_worker_run(struct relay_worker *w);

/* Supervisor, once the worker process exists: closes the worker's end of the channel, so that the
 * worker's death is noticed.  The listening sockets stay, for a successor. */
void relay_worker_started(struct relay_worker *w);

/* Supervisor, after a worker died: a new channel; the sockets stay. */
int relay_worker_renew(struct relay_worker *w, struct pinfold_error *e);

/* Any state but never-initialised memory, either process.  Connections are refused from then on. */
void relay_worker_done(struct relay_worker *w);

/* ---- the channel: fixed-size messages ------------------------------------------------------- */

enum relay_note_kind {
	RELAY_NOTE_NONE = 0,
	RELAY_NOTE_ASK,     /* a connection from addr:port says `name`: send a ruling */
	RELAY_NOTE_REFUSED, /* it said nothing of use, see `finding`; it is closed */
	RELAY_NOTE_GONE,    /* it ended without a word */
	RELAY_NOTE_CUT,     /* one to the server addr:port, ruled on before; it is closed */
	RELAY_NOTE_MAX,
};

struct relay_note {
	uint32_t kind;
	uint32_t id; /* RELAY_NOTE_ASK: echoed in the ruling */
	struct addr addr;
	uint16_t port;
	uint16_t finding;
	uint32_t pad;
	char name[RELAY_NAME_BUF]; /* NUL-terminated, printable, zero behind it */
};
_Static_assert(sizeof(struct relay_note) == 32 + RELAY_NAME_BUF, "no holes");

/* With a descriptor: connected, or about to be, to the server.  Without: cut it. */
struct relay_ruling {
	uint32_t id;
	uint32_t pad;
};
_Static_assert(sizeof(struct relay_ruling) == 8, "no holes");

/* Supervisor: receives one note and checks it as hostile input.  0: a note; -EAGAIN: none waits;
 * -EPIPE: the worker is gone; -EBADMSG: it lies, kill it. */
int relay_note_receive(const struct relay_worker *w, struct relay_note *ret);

/* Never blocks; server_fd -1: no.  -EAGAIN: the worker does not read its rulings, kill it; -EPIPE:
 * it is gone. */
int relay_ruling_send(const struct relay_worker *w, uint32_t id, int server_fd);

/* Supervisor: a socket that is connecting to the server.  Never blocks.  -errno. */
int relay_dial(const struct addr *a, uint16_t port);

/* Words for the record. */
const char *relay_finding_word(enum relay_finding f);

#endif
