/* SPDX-License-Identifier: MIT */
/*
 * The control socket of a running session: /run/pinfold/ID.sock, SOCK_SEQPACKET, for root alone.
 *
 * A connection carries one request and one reply, both of fixed size.  What is longer (JSON) comes
 * as a sealed memory file with the reply.  So the supervisor never waits for its peer, and never
 * reads more than one request of it.
 */
#ifndef PINFOLD_SESSION_CONTROL_H
#define PINFOLD_SESSION_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "pinfold.h"

#define CONTROL_DIR "/run/pinfold"
#define CONTROL_SUFFIX ".sock"
#define CONTROL_PEERS_MAX 4 /* at once; the one that waits longest goes for a new one */
#define CONTROL_PATH_MAX 4096
#define CONTROL_VERSION 1
#define CONTROL_PATIENCE_US 5000000 /* with a peer that connects and says nothing */

enum control_verb {
	CONTROL_NONE = 0,
	CONTROL_INFO,   /* JSON: one line of `ps` */
	CONTROL_SHOW,   /* JSON: that and the policy, vouched addresses, counters */
	CONTROL_RELOAD, /* path: the policy file */
	CONTROL_KILL,
	CONTROL_VERBS,
};

struct control_request {
	uint32_t version;
	uint32_t verb;
	char path[CONTROL_PATH_MAX]; /* absolute, NUL-terminated; empty but for CONTROL_RELOAD */
};

struct control_reply {
	uint32_t version;
	int32_t error; /* 0 or a negative errno */
	char text[PINFOLD_ERROR_MAX];
};

struct control_peer {
	int fd; /* -1: a free place */
	uint64_t since_us;
};

struct control {
	int listener; /* -1: none, the session runs without */
	struct control_peer peer[CONTROL_PEERS_MAX];
};

#define CONTROL_EMPTY                                                                              \
	{                                                                                          \
		.listener = -1, .peer = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 } } \
	}

/* Makes the directory and the socket, and listens.  -errno: there is none. */
int control_open(struct control *c, const char *id);

/* Removes the socket, and the directory if it is empty then.  For the session itself, for its
 * janitor, and for whoever finds what a killed one left. */
void control_remove(const char *id);

/* Removes the sockets that nobody listens to any more. */
void control_sweep(void);

/* Closes all descriptors; removes nothing.  Accepts CONTROL_EMPTY. */
void control_done(struct control *c);

/* Takes one waiting connection, unless its peer is not root.  Returns the place of the peer, or
 * -errno.  Never blocks. */
int control_accept(struct control *c, uint64_t now_us);

/* The request of a peer.  1: *ret is one, sane in form; 0: it has not come yet; negative: the peer
 * is gone or sent something else, and has been dropped. */
int control_receive(struct control *c, size_t peer, struct control_request *ret);

/* Sends the reply, with the text as a memory file (NULL: none), and drops the peer.  Never blocks:
 * a peer that does not take it loses it. */
void control_answer(struct control *c, size_t peer, const struct control_reply *reply,
		    const char *text);

/* Drops the peers that have said nothing for too long. */
void control_tick(struct control *c, uint64_t now_us);

#endif
