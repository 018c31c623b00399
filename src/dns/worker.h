/* SPDX-License-Identifier: MIT */
/*
 * The DNS worker: answers the session's port 53.  It parses hostile packets, so it runs in a
 * process of its own with no privilege; it can only *ask* the supervisor to vouch.
 */
#ifndef PINFOLD_DNS_WORKER_H
#define PINFOLD_DNS_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/name.h"

struct pinfold_error;
struct policy;

#define DNS_ADDRS_MAX 64
#define DNS_UPSTREAMS_MAX 8

struct dns_upstream {
	struct addr addr;
	uint16_t port;
};

struct dns_worker {
	int udp4, tcp4; /* on 127.0.0.1:port */
	int udp6, tcp6; /* on [::1]:port; -1 where the host has no IPv6 loopback */
	uint16_t port;
	int channel;    /* the worker's end, SOCK_SEQPACKET */
	int supervisor; /* the supervisor's end */
	struct dns_upstream upstream[DNS_UPSTREAMS_MAX];
	size_t n_upstream;
	const struct policy *policy; /* borrowed */
};

/* Supervisor: binds the sockets, makes the channel, reads the upstreams (the policy's, else the
 * host's resolv.conf). */
int dns_worker_prepare(struct dns_worker *w, const struct policy *p, struct pinfold_error *e);

/* The worker process, already confined: serves until the channel closes.  Returns -errno only when
 * it can't go on. */
int dns_worker_run(struct dns_worker *w);

/* Any state, either process. */
void dns_worker_done(struct dns_worker *w);

/* Supervisor: the text of /etc/resolv.conf for the pen, from the host's: one nameserver line, and
 * its search and options lines where they are sane.  free() it. */
int dns_resolv_conf(char **ret);

/* ---- the channel: fixed-size messages ------------------------------------------------------- */

enum dns_note_kind {
	DNS_NOTE_NONE = 0,
	DNS_NOTE_VOUCH,   /* addresses for name: judge them, then send a dns_ruling */
	DNS_NOTE_REFUSED, /* name was refused; no ruling wanted */
	DNS_NOTE_COUNT,   /* counters, at most once a second */
};

struct dns_note {
	uint32_t kind;
	uint32_t id;             /* echoed in the ruling */
	char name[NAME_BUF + 2]; /* canonical, NUL-terminated; for DNS_NOTE_REFUSED of a name that
				    is not canonical: its printable form */
	uint16_t type;
	uint16_t n_addrs;
	uint32_t ttl_s;
	uint32_t folded; /* DNS_NOTE_REFUSED: how many like it this note stands for */
	struct addr addrs[DNS_ADDRS_MAX];
};

struct dns_ruling {
	uint32_t id;
	uint32_t pad;
	uint64_t keep; /* bit i: addrs[i] may be answered */
};

/* Supervisor: receives one note and checks it as hostile input (kinds, counts, name form).  0: a
 * note; -EAGAIN: none waits; -EPIPE: the worker is gone; -EBADMSG: it lies, kill it. */
int dns_note_receive(const struct dns_worker *w, struct dns_note *ret);

int dns_ruling_send(const struct dns_worker *w, uint32_t id, uint64_t keep);

#endif
