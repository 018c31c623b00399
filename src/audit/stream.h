/* SPDX-License-Identifier: MIT */
/* Puts denials together from the records of the kernel's audit stream. */
#ifndef PINFOLD_AUDIT_STREAM_H
#define PINFOLD_AUDIT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "audit/landlock.h"

/* Domains of ours that are remembered; the one that was refused something longest ago goes first.
 */
#define STREAM_DOMAINS_MAX 256
/* Events whose records may arrive interleaved. */
#define STREAM_EVENTS_MAX 8

/* Types of audit records.  The two of Landlock exist since Linux 6.15. */
enum stream_type {
	STREAM_SYSCALL = 1300,
	STREAM_END_OF_EVENT = 1320,
	STREAM_SECCOMP = 1326,
	STREAM_LANDLOCK_ACCESS = 1423,
	STREAM_LANDLOCK_DOMAIN = 1424,
};

struct stream_domain {
	uint64_t id; /* 0: free */
	uint64_t used;
	pid_t pid;
	char comm[32];
	char exe[256];
};

struct stream_event {
	bool pending;
	uint64_t serial;
	struct landlock_denial denial;
};

struct stream {
	struct stream_domain domains[STREAM_DOMAINS_MAX];
	struct stream_event events[STREAM_EVENTS_MAX]; /* pending ones: oldest first */
	uint64_t clock;                                /* counts uses of domains */
};

struct stream_to {
	int (*is_ours)(void *data, pid_t pid);
	void (*fn)(void *data, const struct landlock_denial *d);
	void *data;
	void (*on_call)(void *data, const struct call_denial *d); /* NULL: nobody asks */
	void *call_data;
};

/* One record: its type and its text, "audit(1700000000.123:45): domain=...".  Returns how many
 * denials were handed on.  Records of other types, and malformed ones, are passed over. */
int stream_feed(struct stream *s, unsigned type, const char *text, const struct stream_to *to);

/* Hands on what still waits for details. */
int stream_flush(struct stream *s, const struct stream_to *to);

#endif
