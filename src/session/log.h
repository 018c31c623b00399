/* SPDX-License-Identifier: MIT */
/* What a session writes down, and the one hint that it gives. */
#ifndef PINFOLD_SESSION_LOG_H
#define PINFOLD_SESSION_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dns_note;
struct landlock_denial;
struct net_event;
struct net_verified;
struct net_vouch;
struct session;

void log_session_start(struct session *s);
void log_session_end(struct session *s);

/* Callbacks of the fences; data is the session. */
void log_net_event(void *data, const struct net_event *ev);

/* The relay's client was let through, or cut: name is what it said, or NULL. */
void log_verified(struct session *s, const struct net_verified *v, const char *name,
		  const char *detail);
void log_landlock_denial(void *data, const struct landlock_denial *d);

/* For landlock_audit_read: the domain was made by the pen's init. */
int log_is_ours(void *data, pid_t pid);

/* The worker refused a name. */
void log_dns_refused(struct session *s, const struct dns_note *note);

/* An answer was judged: which addresses were stripped and why, and (with audit.allowed) which were
 * vouched for. */
void log_dns_judged(struct session *s, const struct dns_note *note, const struct net_vouch *v,
		    size_t n);

/* While observing: the name was resolved; when the policy refuses it, that is told. */
void log_dns_observed(struct session *s, const struct dns_note *note);

/* A helper died, events were lost, a promise does not hold. */
void log_degraded(struct session *s, const char *fence, const char *reason);
void log_lost(struct session *s, const char *what, uint64_t n);

/* The session's one hint for a person, if none was given yet: a denial, where the caller wants to
 * hear of them; and why the command ended at once. */
void log_hint(struct session *s, const char *what, const char *advice);
void log_explanation(struct session *s, const char *what, const char *advice);

#endif
