/* SPDX-License-Identifier: MIT */
/*
 * DOC: the worker's state.  A client's question becomes a *waiter*.  Waiters with the same name
 * and type share one *flight*, which is the work of getting that answer:
 *
 *	FREE -> ASKING      tries go to upstreams, one more each DNS_STEP_MS
 *	     -> UNTOLD      addresses are there, the channel to the supervisor is full
 *	     -> JUDGED      the supervisor has the addresses
 *	     -> FREE        its ruling is there (or the flight failed): every waiter is answered
 *
 * An answer without addresses skips the two in the middle.  No answer with addresses leaves
 * before the ruling: the name could be used before the fence knows about it.
 *
 * A *try* is one query to one upstream, on a socket (so: a source port) and with an id of its own.
 * A flight has at most two at a time; the older one may still answer when the younger was sent.
 *
 * Everything is a fixed table in one allocation; pages that are never used are never touched.
 */
#ifndef PINFOLD_DNS_SERVER_H
#define PINFOLD_DNS_SERVER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/answer.h"
#include "dns/gate.h"
#include "dns/msg.h"
#include "dns/notes.h"
#include "dns/question.h"
#include "dns/reply.h"
#include "dns/worker.h"

#define DNS_FLIGHTS_MAX 512
#define DNS_WAITERS_MAX 1024
#define DNS_TRIES 2           /* at a time, for one flight */
#define DNS_STREAMS_MAX 256   /* TCP connections to upstreams */
#define DNS_CLIENTS_MAX 64    /* TCP connections from clients */
#define DNS_CLIENT_QUERIES 16 /* unanswered ones of one connection */

#define DNS_STEP_MS 800
#define DNS_FLIGHT_MS 5000
#define DNS_ATTEMPTS_MAX 8
#define DNS_CLIENT_IDLE_MS 10000
#define DNS_UPSTREAM_REST_MS 10000 /* for how long a silent upstream is asked last */
#define DNS_JUNK_MAX 8             /* foreign messages on one socket before we turn to TCP */

#define DNS_QUERY_MAX 1024         /* bytes of a client's message */
#define DNS_UPSTREAM_MSG_MAX 16384 /* bytes of an upstream's message */

#define DNS_NONE 0xffffu /* no index */

enum dns_source { DNS_SOURCE_UDP = 0, DNS_SOURCE_TCP };

/* Where an answer goes. */
struct dns_peer {
	enum dns_source source;
	int fd;                 /* UDP: the socket that it came through */
	struct sockaddr_in6 to; /* UDP: holds a sockaddr_in as well */
	socklen_t to_len;
	uint16_t client;            /* TCP: index of the connection */
	uint32_t client_generation; /* TCP: that very connection, not its successor */
};

struct dns_waiter {
	uint16_t next; /* of the same flight, or of the free list */
	struct dns_peer peer;
	struct dns_question q;
};

struct dns_try {
	int fd; /* -1: unused */
	uint32_t generation;
	uint64_t sent_ms;
	uint16_t id;
	uint8_t upstream;
	bool edns;
	uint8_t junk;
	uint16_t stream;       /* DNS_NONE: UDP */
	struct dns_name asked; /* in the case that was sent */
};

enum dns_flight_state {
	DNS_FLIGHT_FREE = 0,
	DNS_FLIGHT_ASKING,
	DNS_FLIGHT_UNTOLD,
	DNS_FLIGHT_JUDGED
};

struct dns_flight {
	enum dns_flight_state state;
	uint32_t generation;
	uint16_t first_waiter;
	uint8_t attempts;
	uint8_t asked_mask; /* upstreams asked in this round */
	uint8_t youngest;   /* try */
	bool no_edns;
	uint64_t deadline_ms;
	uint64_t next_try_ms;
	struct dns_try try[DNS_TRIES];
	struct dns_question q; /* its name in lower case */
	struct dns_answer answer;
};

/* A TCP connection to an upstream: the query going out, then the answer coming in. */
struct dns_stream {
	bool used;
	bool sent;
	size_t len;
	uint8_t buf[2 + DNS_UPSTREAM_MSG_MAX];
};

struct dns_client {
	int fd; /* -1: unused */
	uint32_t generation;
	uint32_t events; /* what epoll waits for */
	bool ended;      /* the client has sent its last query */
	uint16_t unanswered;
	uint64_t since_ms; /* accepted, or last asked or answered */
	size_t in_len;
	size_t out_len;
	uint8_t in[2 + DNS_QUERY_MAX];
	uint8_t out[2 * (2 + DNS_REPLY_MAX)];
};

struct dns_server {
	struct dns_worker *w; /* borrowed */
	int epoll;            /* -1: none */
	uint64_t now_ms;
	uint64_t seed;
	bool channel_full;    /* waiting to tell UNTOLD flights */
	bool clients_stirred; /* connections may have room for further questions */
	size_t n_tries;       /* open sockets to upstreams */
	size_t tries_max;     /* what the descriptor limit leaves for them */
	uint64_t due_ms;      /* when the tables have to be looked through again, at the latest */
	uint64_t upstream_rests_ms[DNS_UPSTREAMS_MAX]; /* until then it is asked last */
	uint64_t upstream_heard_ms[DNS_UPSTREAMS_MAX];
	struct dns_gate gate;
	uint16_t free_waiter;                  /* DNS_NONE: none that was used before */
	uint16_t fresh_client;                 /* as for waiters */
	uint16_t fresh_waiter;                 /* those from here on were never used */
	uint64_t flight_hash[DNS_FLIGHTS_MAX]; /* 0: free */
	struct dns_notes notes;
	struct dns_client client[DNS_CLIENTS_MAX];
	struct dns_waiter waiter[DNS_WAITERS_MAX];
	struct dns_flight flight[DNS_FLIGHTS_MAX];
	struct dns_stream stream[DNS_STREAMS_MAX];
};

/* What an epoll event belongs to. */
enum dns_event_kind {
	DNS_EVENT_CHANNEL = 0,
	DNS_EVENT_UDP,    /* index: the descriptor */
	DNS_EVENT_LISTEN, /* index: the descriptor */
	DNS_EVENT_CLIENT, /* index: in client[] */
	DNS_EVENT_TRY,    /* index: flight * DNS_TRIES + try */
	DNS_EVENT_MAX,
};

struct dns_event {
	enum dns_event_kind kind;
	uint32_t generation; /* 24 bits; others are stale */
	uint32_t index;
	uint32_t events;
};

#define DNS_GENERATION_MASK 0xffffffu

/* Look through the tables at ms, or earlier. */
void dns_server_due(struct dns_server *s, uint64_t ms);

/* EPOLL_CTL_* for one descriptor. */
int dns_server_watch(const struct dns_server *s, int op, int fd, const struct dns_event *ev);

/* A zeroed server over w with its epoll and its listeners watched; free with
 * dns_server_free(), which takes NULL. */
int dns_server_new(struct dns_worker *w, struct dns_server **ret);
void dns_server_free(struct dns_server *s);

/* ---- flight.c ------------------------------------------------------------------------------ */

/* Answers q, or makes it wait for its answer. */
void dns_flight_ask(struct dns_server *s, const struct dns_question *q,
		    const struct dns_peer *peer);
/* An upstream's message that matches the flight's question.  -EBADMSG: it makes no sense, nothing
 * was done. */
int dns_flight_answered(struct dns_server *s, struct dns_flight *f, const uint8_t *msg, size_t len);
/* Nobody can answer: SERVFAIL to all who wait. */
void dns_flight_failed(struct dns_server *s, struct dns_flight *f);
void dns_flight_ruling(struct dns_server *s, const struct dns_ruling *ruling);
/* The channel takes notes again. */
void dns_flight_tell(struct dns_server *s);
/* Ends flights that have had their time, sends second tries. */
void dns_flight_tick(struct dns_server *s);

/* ---- upstream.c ---------------------------------------------------------------------------- */

/* One more try.  Fails the flight when there is nothing left to try. */
void dns_upstream_next(struct dns_server *s, struct dns_flight *f);
/* The flight's last try has had its time. */
void dns_upstream_late(struct dns_server *s, struct dns_flight *f);
void dns_upstream_event(struct dns_server *s, const struct dns_event *ev);
/* Closes the tries of a flight. */
void dns_upstream_stop(struct dns_server *s, struct dns_flight *f);

/* ---- client.c ------------------------------------------------------------------------------ */

void dns_client_datagrams(struct dns_server *s, int fd);
void dns_client_accept(struct dns_server *s, int fd);
void dns_client_event(struct dns_server *s, const struct dns_event *ev);
void dns_client_reply(struct dns_server *s, const struct dns_peer *peer,
		      const struct dns_question *q, const struct dns_reply *reply);
/* Takes questions that had to wait for earlier ones of the same connection. */
void dns_client_resume(struct dns_server *s);
/* Closes connections that have been idle for too long. */
void dns_client_tick(struct dns_server *s);
void dns_client_close(struct dns_client *c);

#endif
