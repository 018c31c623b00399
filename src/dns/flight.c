/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include <sys/epoll.h>

#include "dns/proto.h"
#include "dns/server.h"

#define ALL_ADDRESSES UINT64_MAX

static void refuse(struct dns_server *s, const struct dns_question *q, const struct dns_peer *peer,
		   enum dns_refusal refusal)
{
	const struct dns_reply reply = {
		.rcode = dns_refusal_rcode(s->w->policy, refusal),
		.ede = dns_refusal_ede(refusal),
	};
	char name[DNS_NAME_PRINT_MAX];

	dns_name_print(&q->name, name);
	dns_notes_refused(&s->notes, name, q->type, refusal, s->now_ms);
	dns_client_reply(s, peer, q, &reply);
}

/* The session's own loopback needs no vouching: the fence knows it without a name. */
static void answer_localhost(struct dns_server *s, const struct dns_question *q,
			     const struct dns_peer *peer)
{
	struct dns_answer a;
	const struct dns_reply reply = { .answer = &a, .keep = ALL_ADDRESSES };

	memset(&a, 0, offsetof(struct dns_answer, records));
	a.ttl_s = DNS_TTL_MAX_S;
	a.owner = DNS_HEADER_LEN;
	a.n_addrs = q->type == DNS_TYPE_A || q->type == DNS_TYPE_AAAA;
	if (q->type == DNS_TYPE_A)
		addr_parse("127.0.0.1", &a.addrs[0]);
	else
		addr_parse("::1", &a.addrs[0]);
	dns_client_reply(s, peer, q, &reply);
}

static uint16_t flight_index(const struct dns_server *s, const struct dns_flight *f)
{
	return (uint16_t)(f - s->flight);
}

/* What the supervisor calls a flight: no two that live have the same. */
static uint32_t flight_id(const struct dns_server *s, const struct dns_flight *f)
{
	return f->generation * DNS_FLIGHTS_MAX + flight_index(s, f);
}

/* DNS_NONE: the table is full. */
static uint16_t take_waiter(struct dns_server *s)
{
	uint16_t at = s->free_waiter;

	if (at != DNS_NONE)
		s->free_waiter = s->waiter[at].next;
	else if (s->fresh_waiter < DNS_WAITERS_MAX)
		at = s->fresh_waiter++;
	return at;
}

static void give_waiter(struct dns_server *s, uint16_t at)
{
	s->waiter[at].next = s->free_waiter;
	s->free_waiter = at;
}

/* Answers all who wait, and ends the flight. */
static void land(struct dns_server *s, struct dns_flight *f, const struct dns_reply *reply)
{
	uint16_t at = f->first_waiter;

	dns_upstream_stop(s, f);
	while (at != DNS_NONE) {
		struct dns_waiter *waiter = &s->waiter[at];
		uint16_t next = waiter->next;

		dns_client_reply(s, &waiter->peer, &waiter->q, reply);
		give_waiter(s, at);
		at = next;
	}
	f->state = DNS_FLIGHT_FREE;
	f->first_waiter = DNS_NONE;
	f->generation++;
	s->flight_hash[flight_index(s, f)] = 0;
}

static void tell_absent(struct dns_server *s, const struct dns_flight *f)
{
	if (s->w->tells_absent)
		dns_notes_refused(&s->notes, f->q.text, f->q.type, DNS_REFUSAL_ABSENT, s->now_ms);
}

void dns_flight_failed(struct dns_server *s, struct dns_flight *f)
{
	const struct dns_reply reply = { .rcode = DNS_SERVFAIL, .ede = DNS_EDE_NETWORK_ERROR };

	tell_absent(s, f);
	land(s, f, &reply);
}

static void land_refused(struct dns_server *s, struct dns_flight *f, const char *denied)
{
	const struct dns_reply reply = {
		.rcode = dns_refusal_rcode(s->w->policy, DNS_REFUSAL_CHAIN),
		.ede = dns_refusal_ede(DNS_REFUSAL_CHAIN),
	};

	dns_notes_refused(&s->notes, denied, f->q.type, DNS_REFUSAL_CHAIN, s->now_ms);
	land(s, f, &reply);
}

/* A client that finds no address left is told why. */
static void land_answer(struct dns_server *s, struct dns_flight *f, uint64_t keep)
{
	uint64_t all = f->answer.n_addrs ? ALL_ADDRESSES >> (64 - f->answer.n_addrs) : 0;
	const struct dns_reply reply = {
		.rcode = f->answer.rcode,
		.ede = all != 0 && (keep & all) == 0 ? DNS_EDE_BLOCKED : DNS_EDE_NONE,
		.answer = &f->answer,
		.keep = keep,
	};

	land(s, f, &reply);
}

static void watch_channel(struct dns_server *s, bool full)
{
	const struct dns_event ev = {
		.kind = DNS_EVENT_CHANNEL,
		.events = EPOLLIN | (full ? EPOLLOUT : 0u),
	};

	if (full != s->channel_full)
		dns_server_watch(s, EPOLL_CTL_MOD, s->w->channel, &ev);
	s->channel_full = full;
}

static void tell(struct dns_server *s, struct dns_flight *f)
{
	int err = dns_notes_vouch(&s->notes, flight_id(s, f), &f->q, &f->answer);

	if (err == 0)
		f->state = DNS_FLIGHT_JUDGED;
	else if (err == -EAGAIN)
		watch_channel(s, true);
	/* Otherwise the supervisor is gone, and the event loop is about to see that. */
}

void dns_flight_tell(struct dns_server *s)
{
	watch_channel(s, false);
	for (size_t i = 0; i < DNS_FLIGHTS_MAX && !s->channel_full; i++)
		if (s->flight_hash[i] != 0 && s->flight[i].state == DNS_FLIGHT_UNTOLD)
			tell(s, &s->flight[i]);
}

int dns_flight_answered(struct dns_server *s, struct dns_flight *f, const uint8_t *msg, size_t len)
{
	char denied[NAME_BUF];
	int err = dns_answer_read(msg, len, &f->q, s->w->policy, &f->answer, denied);

	if (err == -EACCES) {
		land_refused(s, f, denied);
	} else if (err == -ELOOP) {
		dns_flight_failed(s, f);
	} else if (err < 0) {
		return -EBADMSG;
	} else if (f->answer.n_addrs == 0) {
		tell_absent(s, f);
		land_answer(s, f, 0);
	} else {
		dns_upstream_stop(s, f);
		f->state = DNS_FLIGHT_UNTOLD;
		if (!s->channel_full)
			tell(s, f);
	}
	return 0;
}

void dns_flight_ruling(struct dns_server *s, const struct dns_ruling *ruling)
{
	struct dns_flight *f = &s->flight[ruling->id % DNS_FLIGHTS_MAX];

	/* A flight that ran out of time is gone, or is another one by now. */
	if (f->state == DNS_FLIGHT_JUDGED && flight_id(s, f) == ruling->id)
		land_answer(s, f, ruling->keep);
}

static struct dns_flight *find_flight(struct dns_server *s, const struct dns_question *q,
				      uint64_t hash)
{
	for (size_t i = 0; i < DNS_FLIGHTS_MAX; i++) {
		struct dns_flight *f = &s->flight[i];

		if (s->flight_hash[i] == hash && f->q.type == q->type &&
		    dns_name_equal(&f->q.name, &q->name))
			return f;
	}
	return NULL;
}

/* NULL: the table is full. */
static struct dns_flight *start_flight(struct dns_server *s, const struct dns_question *q,
				       uint64_t hash)
{
	size_t i = 0;
	struct dns_flight *f;

	while (i < DNS_FLIGHTS_MAX && s->flight_hash[i] != 0)
		i++;
	if (i == DNS_FLIGHTS_MAX)
		return NULL;
	s->flight_hash[i] = hash;
	f = &s->flight[i];
	f->state = DNS_FLIGHT_ASKING;
	f->first_waiter = DNS_NONE;
	f->attempts = 0;
	f->asked_mask = 0;
	f->youngest = 0;
	f->no_edns = false;
	for (size_t k = 0; k < DNS_TRIES; k++) {
		f->try[k].fd = -1;
		f->try[k].stream = DNS_NONE;
	}
	f->deadline_ms = s->now_ms + DNS_FLIGHT_MS;
	f->q = *q;
	dns_name_lower(&f->q.name);
	dns_server_due(s, f->deadline_ms);
	return f;
}

static void forward(struct dns_server *s, const struct dns_question *q, const struct dns_peer *peer)
{
	const struct dns_reply busy = { .rcode = DNS_SERVFAIL, .ede = DNS_EDE_NETWORK_ERROR };
	uint64_t hash = (dns_hash(s->seed, q->text, strlen(q->text)) + q->type) | 1;
	struct dns_flight *f = find_flight(s, q, hash);
	uint16_t at = take_waiter(s);
	bool is_new = !f;

	if (is_new && at != DNS_NONE)
		f = start_flight(s, q, hash);
	if (!f || at == DNS_NONE) {
		if (at != DNS_NONE)
			give_waiter(s, at);
		dns_client_reply(s, peer, q, &busy);
		return;
	}
	s->waiter[at] = (struct dns_waiter){ .next = f->first_waiter, .peer = *peer, .q = *q };
	f->first_waiter = at;
	if (is_new)
		dns_upstream_next(s, f);
}

void dns_flight_ask(struct dns_server *s, const struct dns_question *q, const struct dns_peer *peer)
{
	const struct dns_reply empty = { .rcode = DNS_NOERROR };
	struct dns_verdict verdict = dns_gate_judge(&s->gate, q, s->now_ms);

	switch (verdict.action) {
	case DNS_ACT_LOCALHOST:
		answer_localhost(s, q, peer);
		break;
	case DNS_ACT_EMPTY:
		dns_client_reply(s, peer, q, &empty);
		break;
	case DNS_ACT_FORWARD:
		forward(s, q, peer);
		break;
	case DNS_ACT_REFUSE:
	default:
		refuse(s, q, peer, verdict.refusal);
		break;
	}
}

void dns_flight_tick(struct dns_server *s)
{
	for (size_t i = 0; i < DNS_FLIGHTS_MAX; i++) {
		struct dns_flight *f = &s->flight[i];

		if (s->flight_hash[i] == 0)
			continue;
		if (s->now_ms >= f->deadline_ms)
			dns_flight_failed(s, f);
		else if (f->state == DNS_FLIGHT_ASKING && s->now_ms >= f->next_try_ms)
			dns_upstream_late(s, f);
		/* Either call may have ended it. */
		if (s->flight_hash[i] == 0)
			continue;
		dns_server_due(s, f->deadline_ms);
		if (f->state == DNS_FLIGHT_ASKING)
			dns_server_due(s, f->next_try_ms);
	}
}
