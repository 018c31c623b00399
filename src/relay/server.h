/* SPDX-License-Identifier: MIT */
/*
 * DOC: the inside of the relay's process.
 *
 * A connection's life: HELLO (its first bytes come in), TELLING (the supervisor is to hear of it),
 * RULING (the supervisor thinks), ANSWER (the ClientHello, and nothing behind it, is on its way;
 * the server's first bytes are looked at as they pass), SECOND (the server wants another
 * ClientHello, which must be for the same name), PASS (bytes go both ways unseen).  Until PASS
 * nothing that the client sends passes unseen: a server that was shown one name can't be told
 * another.
 */
#ifndef PINFOLD_RELAY_SERVER_H
#define PINFOLD_RELAY_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "relay/hello.h"
#include "relay/worker.h"

#define RELAY_HELLO_US 5000000ULL /* for a ClientHello to be complete */
#define RELAY_SCRATCH 65536
#define RELAY_AT_ONCE (1u << 20) /* bytes one way before others have their turn */
#define RELAY_ASKS_MAX 64        /* rulings that are waited for: they fit the channel */
#define RELAY_GENERATION_MASK 0xffffffu

enum relay_state {
	RELAY_FREE = 0,
	RELAY_HELLO,
	RELAY_TELLING,
	RELAY_RULING,
	RELAY_ANSWER,
	RELAY_SECOND,
	RELAY_PASS,
};

/* Bytes one way.  [at, pass) may be sent, [pass, n) is held. */
struct relay_way {
	uint8_t *buf; /* NULL: nothing waits */
	size_t at;
	size_t pass;
	size_t n;
	bool ended; /* no more will come */
	bool told;  /* and the other end knows */
};

struct relay_conn {
	enum relay_state state;
	uint32_t generation;
	int client;
	int server;
	struct relay_way up;   /* to the server */
	struct relay_way down; /* to the client */
	uint64_t since_us;     /* RELAY_HELLO, RELAY_SECOND */
	size_t need;
	bool hot; /* has had its turn and wants more */
	struct relay_note note;
	struct relay_answer answer;
	char name[RELAY_NAME_BUF];
};

struct relay_server {
	const struct relay_worker *w;
	int epoll;
	uint64_t now_us;
	bool full; /* the listeners are not looked at */
	size_t n_conns;
	size_t n_telling;
	size_t n_asked;
	size_t n_hot;
	struct relay_conn conn[RELAY_CONNS_MAX];
	uint8_t scratch[RELAY_SCRATCH];
};

enum relay_source { RELAY_CHANNEL = 0, RELAY_LISTENER, RELAY_CLIENT, RELAY_SERVER };

/* Edge-triggered for connections. */
int relay_watch(const struct relay_server *s, int fd, enum relay_source from,
		const struct relay_conn *c);

void relay_conn_accept(struct relay_server *s, int fd);

/* events: of epoll. */
void relay_conn_event(struct relay_server *s, struct relay_conn *c, uint32_t events);

/* Tells the supervisor what is still to be told. */
void relay_conn_tell_all(struct relay_server *s);

/* server_fd is taken over; -1: no. */
void relay_conn_rule(struct relay_server *s, uint32_t id, int server_fd);

void relay_conn_go_on(struct relay_server *s);
void relay_conn_tick(struct relay_server *s);

/* Closes it; with a reset, so that neither end takes it for a proper end. */
void relay_conn_cut(struct relay_server *s, struct relay_conn *c);

/* ---- bytes (pass.c) ------------------------------------------------------------------------- */

/* Moves what can be moved one way.  Looks at what passes while the state is RELAY_ANSWER.  1: more
 * waits; 0: nothing to do for now; -errno: an end is broken; -EPROTO: the server's answer is wrong.
 */
int relay_pass_down(struct relay_server *s, struct relay_conn *c);
int relay_pass_up(struct relay_server *s, struct relay_conn *c);

/* Reads into up.buf, behind what is there.  As recv; -ENOBUFS: there is no room. */
long relay_fill(struct relay_conn *c);

#endif
