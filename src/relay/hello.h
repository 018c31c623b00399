/* SPDX-License-Identifier: MIT */
/*
 * Reads the server name out of the first bytes of a TLS connection, and tells from a server's first
 * bytes whether it asks for another try.  Pure, and strict where servers may differ: what two
 * readers could understand in two ways is refused.
 */
#ifndef PINFOLD_RELAY_HELLO_H
#define PINFOLD_RELAY_HELLO_H

#include <stddef.h>
#include <stdint.h>

#define RELAY_HELLO_MAX 16384 /* bytes on the wire, record headers included */
#define RELAY_NAME_BUF 256

enum relay_finding {
	RELAY_MORE = 0,     /* so far it may be a ClientHello */
	RELAY_NAME,         /* it is, and carries one server name */
	RELAY_NO_NAME,      /* it carries none */
	RELAY_NOT_TLS,      /* the bytes are of something else */
	RELAY_MALFORMED,    /* or of a ClientHello that no client sends */
	RELAY_TOO_LONG,     /* more than RELAY_HELLO_MAX */
	RELAY_ENCRYPTED,    /* the name that counts may be an encrypted one */
	RELAY_LATE,         /* not complete in time (said by the worker, as what follows) */
	RELAY_ENDED,        /* the client stopped in the middle of it */
	RELAY_OTHER_NAME,   /* the second ClientHello is not for the name of the first */
	RELAY_WRONG_ANSWER, /* the server does not answer in TLS */
	RELAY_FINDINGS,
};

struct relay_hello {
	enum relay_finding finding;
	size_t len;                /* RELAY_NAME: bytes on the wire */
	size_t need;               /* RELAY_MORE: nothing is to be learnt from fewer */
	char name[RELAY_NAME_BUF]; /* RELAY_NAME: as sent, all of it printable; else empty */
};

/* Looks at the first n bytes of a connection. */
void relay_hello_read(const uint8_t *bytes, size_t n, struct relay_hello *ret);

enum relay_answer_kind {
	RELAY_ANSWER_MORE = 0,
	RELAY_ANSWER_HELLO, /* the server took the ClientHello: no other can follow */
	RELAY_ANSWER_RETRY, /* it wants a second one (HelloRetryRequest) */
	RELAY_ANSWER_WRONG,
};

#define RELAY_ANSWER_HEAD 43 /* up to the end of a ServerHello's random */

/* All zero at the start. */
struct relay_answer {
	size_t skip; /* of an alert's record */
	size_t n;
	uint8_t head[RELAY_ANSWER_HEAD];
};

/* Takes the next bytes of the server. */
enum relay_answer_kind relay_answer_feed(struct relay_answer *a, const uint8_t *bytes, size_t n);

#endif
