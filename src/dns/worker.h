/* SPDX-License-Identifier: MIT */
/*
 * The DNS worker: answers the session's port 53.  It parses hostile packets, so it runs in a
 * process of its own with no privilege; it can only *ask* the supervisor to vouch.
 */
#ifndef PINFOLD_DNS_WORKER_H
#define PINFOLD_DNS_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/name.h"

struct pinfold_error;
struct policy;

#define DNS_ADDRS_MAX 64
#define DNS_UPSTREAMS_MAX 8
#define DNS_TTL_MAX_S 3600 /* longer lifetimes are cut to it */

struct dns_upstream {
	struct addr addr;
	uint16_t port;
};

#define DNS_PORTS 4 /* so many servers of one datagram socket are told apart */

struct dns_worker {
	int udp4[DNS_PORTS]; /* on 127.0.0.1:port[i] */
	int udp6[DNS_PORTS]; /* on [::1]:port[i]; -1 where the host has no IPv6 loopback */
	int tcp4, tcp6;      /* at port[0] */
	uint16_t port[DNS_PORTS];
	int channel;    /* the worker's end, SOCK_SEQPACKET */
	int supervisor; /* the supervisor's end */
	struct dns_upstream upstream[DNS_UPSTREAMS_MAX];
	size_t n_upstream;
	const struct policy *policy; /* borrowed */
	bool tells_absent;           /* names without addresses are told as well: for observing */
};

/* Of nothing: dns_worker_done() takes it. */
extern const struct dns_worker DNS_WORKER_EMPTY;

/* Supervisor: binds the sockets, makes the channel, reads the upstreams (the policy's, else the
 * host's resolv.conf). */
int dns_worker_prepare(struct dns_worker *w, const struct policy *p, struct pinfold_error *e);

/* The worker process, already confined: serves until the channel closes.  Returns -errno only when
 * it can't go on.  Closes the supervisor's end first.  Needs descriptors: it raises the soft
 * RLIMIT_NOFILE as far as the hard one allows. */
int dns_worker_run(struct dns_worker *w);

/* Supervisor, once the worker process exists: closes the worker's end of the channel, so that the
 * worker's death is noticed.  The listening sockets stay, for a successor. */
void dns_worker_started(struct dns_worker *w);

/* Supervisor, after a worker died, or to have its successor know a new policy (set w->policy first)
 * or a changed resolv.conf: a new channel, and the upstreams read again; the sockets stay. */
int dns_worker_renew(struct dns_worker *w, struct pinfold_error *e);

/* Any state but never-initialised memory, either process. */
void dns_worker_done(struct dns_worker *w);

/* Supervisor: the text of /etc/resolv.conf for the pen, from the host's: one nameserver line, and
 * its search and options lines where they are sane.  free() it. */
int dns_resolv_conf(char **ret);

/* ---- the channel: fixed-size messages ------------------------------------------------------- */

enum dns_note_kind {
	DNS_NOTE_NONE = 0,
	DNS_NOTE_VOUCH,   /* addresses for name: judge them, then send a dns_ruling */
	DNS_NOTE_REFUSED, /* name was refused; no ruling wanted */
	DNS_NOTE_COUNT,   /* at most once a second: `folded` refusals that no other note tells */
	DNS_NOTE_MAX,
};

/* Why the worker refused.  The supervisor judges DNS_REFUSAL_NAME again, for its record. */
enum dns_refusal {
	DNS_REFUSAL_NONE = 0, /* in all notes but DNS_NOTE_REFUSED */
	DNS_REFUSAL_NAME,     /* the policy does not let the name be resolved */
	DNS_REFUSAL_FORM,     /* the name is not canonical, or would be taken for an address */
	DNS_REFUSAL_CHAIN,    /* `name` is a CNAME's target that the policy refuses */
	DNS_REFUSAL_TYPE,     /* the name is allowed, this type of record never is */
	DNS_REFUSAL_RATE,     /* too many new names under one wildcard entry */
	DNS_REFUSAL_ABSENT,   /* nothing refused it: there is no such address; if tells_absent */
	DNS_REFUSAL_MAX,
};

struct dns_note {
	uint32_t kind;
	uint32_t id;             /* echoed in the ruling */
	char name[NAME_BUF + 2]; /* canonical, NUL-terminated; for DNS_NOTE_REFUSED of a name that
				    is not canonical: its printable form */
	uint16_t type;
	uint16_t n_addrs;
	uint32_t ttl_s;
	uint32_t folded;  /* DNS_NOTE_REFUSED: how many like it this note stands for, 1 and up */
	uint32_t refusal; /* enum dns_refusal */
	struct addr addrs[DNS_ADDRS_MAX]; /* zero behind n_addrs */
};
_Static_assert(sizeof(struct dns_note) == 280 + 16 * DNS_ADDRS_MAX, "no holes");

struct dns_ruling {
	uint32_t id;
	uint32_t pad;
	uint64_t keep; /* bit i: addrs[i] may be answered */
};
_Static_assert(sizeof(struct dns_ruling) == 16, "no holes");

/* Supervisor: receives one note and checks it as hostile input (kinds, counts, name form).  0: a
 * note; -EAGAIN: none waits; -EPIPE: the worker is gone; -EBADMSG: it lies, kill it. */
int dns_note_receive(const struct dns_worker *w, struct dns_note *ret);

/* Never blocks.  -EAGAIN: the worker does not read its rulings, kill it; -EPIPE: it is gone. */
int dns_ruling_send(const struct dns_worker *w, uint32_t id, uint64_t keep);

#endif
