/* SPDX-License-Identifier: MIT */
/* What the resolver asks of its session: answers are judged before they are given. */
#include <errno.h>
#include <signal.h>

#include "base/child.h"
#include "net/fence.h"
#include "session/log.h"
#include "session/observe.h"
#include "session/session.h"

#define NOTES_AT_ONCE 16

static void judge(struct session *s, const struct dns_note *note)
{
	struct net_vouch v[DNS_ADDRS_MAX];
	uint64_t keep = 0;

	for (size_t i = 0; i < note->n_addrs; i++)
		v[i] = (struct net_vouch){ .addr = note->addrs[i] };
	if (net_fence_vouch(s->net, note->name, v, note->n_addrs, note->ttl_s) < 0)
		for (size_t i = 0; i < note->n_addrs; i++)
			v[i].reason = PF_DENY_UNMATCHED;
	if (s->observe)
		keep = observe_names(s->observe, note, v);
	for (size_t i = 0; i < note->n_addrs; i++)
		if (v[i].reason >= PF_ALLOW)
			keep |= UINT64_C(1) << i;
	if (dns_ruling_send(&s->dns, note->id, keep) < 0)
		child_kill(s->worker); /* its end is seen by the loop */
	if (s->observe)
		log_dns_observed(s, note);
	log_dns_judged(s, note, v, note->n_addrs);
}

int session_dns_notes(struct session *s)
{
	struct dns_note note;

	for (int i = 0; i < NOTES_AT_ONCE; i++) {
		int r = dns_note_receive(&s->dns, &note);

		if (r == -EAGAIN)
			return 0;
		if (r < 0) {
			child_kill(s->worker); /* its end is seen by the loop */
			return r;
		}
		if (note.kind == DNS_NOTE_VOUCH)
			judge(s, &note);
		else if (note.kind == DNS_NOTE_REFUSED)
			log_dns_refused(s, &note);
	}
	return 0;
}

int session_worker_ended(struct session *s)
{
	struct pinfold_error e = { 0 };
	int r;

	if (!s->worker_renewed)
		log_degraded(s, "dns", "the resolver process ended and is started again");
	s->worker_renewed = false;
	r = session_start_worker(s, &e);
	/* Without a resolver no new name opens; everything else stays fenced. */
	if (r < 0)
		log_degraded(s, "dns", e.text);
	return r;
}
