/* SPDX-License-Identifier: MIT */
/*
 * DOC: queries to upstreams.  Each goes out on a connected socket of its own, so with a source
 * port that the kernel picks at random; id and the case of the name's letters are random too.  An
 * answer that is right but for the case, or too many wrong ones, are taken for an attempt to
 * forge: the same upstream is asked again over TCP, as for an answer that was truncated.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "dns/proto.h"
#include "dns/server.h"

#define DATAGRAM_MAX 4096
#define DATAGRAMS_AT_ONCE 16 /* of one socket, before others get their turn */

static struct dns_flight *flight_of(struct dns_server *s, const struct dns_event *ev)
{
	return &s->flight[ev->index / DNS_TRIES];
}

static void try_close(struct dns_server *s, struct dns_try *t)
{
	if (t->fd < 0)
		return;
	close(t->fd);
	t->fd = -1;
	s->n_tries--;
	t->generation++;
	if (t->stream != DNS_NONE)
		s->stream[t->stream].used = false;
	t->stream = DNS_NONE;
}

void dns_upstream_stop(struct dns_server *s, struct dns_flight *f)
{
	for (size_t i = 0; i < DNS_TRIES; i++)
		try_close(s, &f->try[i]);
}

/* A fresh id, and a fresh case for each letter of the name. */
static int randomise(struct dns_try *t, const struct dns_name *name)
{
	uint8_t bits[sizeof(t->id) + DNS_NAME_WIRE_MAX / 8 + 1];

	if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		return -EIO;
	memcpy(&t->id, bits, sizeof(t->id));
	t->asked = *name;
	for (size_t i = 0; i < name->len; i++) {
		uint8_t *b = &t->asked.wire[i];

		if (*b >= 'a' && *b <= 'z' && bits[sizeof(t->id) + i / 8] >> i % 8 & 1)
			*b = (uint8_t)(*b - 'a' + 'A');
	}
	return 0;
}

static socklen_t fill_sockaddr(const struct dns_upstream *up, struct sockaddr_storage *ret)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(up->port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(up->port) };

	if (addr_is_v4(&up->addr)) {
		memcpy(&in.sin_addr, up->addr.b + 12, sizeof(in.sin_addr));
		memcpy(ret, &in, sizeof(in));
		return sizeof(in);
	}
	memcpy(&in6.sin6_addr, up->addr.b, sizeof(in6.sin6_addr));
	memcpy(ret, &in6, sizeof(in6));
	return sizeof(in6);
}

static int open_socket(const struct dns_upstream *up, int type)
{
	struct sockaddr_storage to;
	socklen_t len = fill_sockaddr(up, &to);
	auto_close int fd = socket(to.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS)
		return -errno;
	return take_fd(fd);
}

static uint16_t take_stream(struct dns_server *s)
{
	for (uint16_t i = 0; i < DNS_STREAMS_MAX; i++) {
		struct dns_stream *stream = &s->stream[i];

		if (stream->used)
			continue;
		stream->used = true;
		stream->sent = false;
		stream->len = 0;
		return i;
	}
	return DNS_NONE;
}

static int send_query(const struct dns_try *t, uint16_t type)
{
	uint8_t msg[2 + DNS_UDP_MIN];
	size_t len = dns_upstream_query(&t->asked, type, t->id, t->edns, msg + 2, DNS_UDP_MIN);
	bool framed = t->stream != DNS_NONE;
	const uint8_t *from = framed ? msg : msg + 2;

	msg[0] = (uint8_t)(len >> 8);
	msg[1] = (uint8_t)len;
	if (framed)
		len += 2;
	/* A fresh socket's buffer holds a query: less than all is as bad as nothing. */
	return send(t->fd, from, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -EIO;
}

static int watch_try(const struct dns_server *s, const struct dns_flight *f,
		     const struct dns_try *t, int op, uint32_t events)
{
	const struct dns_event ev = {
		.kind = DNS_EVENT_TRY,
		.generation = t->generation,
		.index = (uint32_t)((f - s->flight) * DNS_TRIES + (t - f->try)),
		.events = events,
	};

	return dns_server_watch(s, op, t->fd, &ev);
}

/* Asks t->upstream; on failure t stays closed. */
static int try_open(struct dns_server *s, struct dns_flight *f, struct dns_try *t, int type)
{
	bool tcp = type == SOCK_STREAM;
	int fd = -EMFILE;
	int err;

	if (s->n_tries < s->tries_max)
		fd = open_socket(&s->w->upstream[t->upstream], type);
	if (fd < 0)
		return fd;
	t->fd = fd;
	s->n_tries++;
	t->sent_ms = s->now_ms;
	t->junk = 0;
	t->edns = !f->no_edns;
	t->stream = tcp ? take_stream(s) : DNS_NONE;
	err = tcp && t->stream == DNS_NONE ? -ENOBUFS : randomise(t, &f->q.name);
	if (err == 0)
		err = watch_try(s, f, t, EPOLL_CTL_ADD, tcp ? EPOLLOUT : EPOLLIN);
	if (err == 0 && !tcp)
		err = send_query(t, f->q.type);
	if (err < 0)
		try_close(s, t);
	return err;
}

static uint8_t mask_of_all(const struct dns_server *s)
{
	return (uint8_t)((1u << s->w->n_upstream) - 1);
}

/* The first in the configured order that was not asked in this round; silent ones come last. */
static uint8_t choose_upstream(const struct dns_server *s, struct dns_flight *f)
{
	size_t silent = DNS_UPSTREAMS_MAX;

	if (f->asked_mask == mask_of_all(s))
		f->asked_mask = 0;
	for (size_t i = 0; i < s->w->n_upstream; i++) {
		if (f->asked_mask >> i & 1)
			continue;
		if (s->now_ms >= s->upstream_rests_ms[i])
			return (uint8_t)i;
		if (silent == DNS_UPSTREAMS_MAX)
			silent = i;
	}
	return (uint8_t)silent;
}

static bool has_live_try(const struct dns_flight *f)
{
	for (size_t i = 0; i < DNS_TRIES; i++)
		if (f->try[i].fd >= 0)
			return true;
	return false;
}

/* An unused slot, else that of the elder try.  Where descriptors are short, one has to do. */
static uint8_t choose_slot(const struct dns_server *s, const struct dns_flight *f)
{
	uint8_t elder = (uint8_t)((f->youngest + 1) % DNS_TRIES);

	if (s->n_tries >= s->tries_max)
		return f->try[elder].fd >= 0 ? elder : f->youngest;
	for (uint8_t i = 0; i < DNS_TRIES; i++)
		if (f->try[i].fd < 0)
			return i;
	return elder;
}

void dns_upstream_next(struct dns_server *s, struct dns_flight *f)
{
	f->next_try_ms = f->deadline_ms;
	while (f->attempts < DNS_ATTEMPTS_MAX) {
		uint8_t slot = choose_slot(s, f);
		struct dns_try *t = &f->try[slot];

		try_close(s, t);
		f->attempts++;
		f->youngest = slot;
		t->upstream = choose_upstream(s, f);
		f->asked_mask |= (uint8_t)(1u << t->upstream);
		if (try_open(s, f, t, SOCK_DGRAM) < 0)
			continue;
		f->next_try_ms = s->now_ms + DNS_STEP_MS;
		dns_server_due(s, f->next_try_ms);
		return;
	}
	if (!has_live_try(f))
		dns_flight_failed(s, f);
}

void dns_upstream_late(struct dns_server *s, struct dns_flight *f)
{
	const struct dns_try *t = &f->try[f->youngest];

	/* A name can be slow; an upstream is when it said nothing at all meanwhile. */
	if (t->fd >= 0 && s->upstream_heard_ms[t->upstream] < t->sent_ms)
		s->upstream_rests_ms[t->upstream] = s->now_ms + DNS_UPSTREAM_REST_MS;
	dns_upstream_next(s, f);
}

static void try_failed(struct dns_server *s, struct dns_flight *f, struct dns_try *t)
{
	try_close(s, t);
	if (f->asked_mask != mask_of_all(s))
		dns_upstream_next(s, f);
	else if (!has_live_try(f))
		dns_flight_failed(s, f);
}

static void try_again(struct dns_server *s, struct dns_flight *f, struct dns_try *t, int type)
{
	try_close(s, t);
	if (try_open(s, f, t, type) < 0)
		try_failed(s, f, t);
}

static void take_message(struct dns_server *s, struct dns_flight *f, struct dns_try *t,
			 const uint8_t *msg, size_t len)
{
	bool tcp = t->stream != DNS_NONE;
	const struct dns_expected ours = {
		.id = t->id,
		.type = f->q.type,
		.name = &t->asked,
		.any_case = tcp, /* nobody forges from afar inside a connection */
	};
	enum dns_match match = dns_answer_match(msg, len, &ours);

	if (match != DNS_MATCH_NONE) {
		s->upstream_heard_ms[t->upstream] = s->now_ms;
		s->upstream_rests_ms[t->upstream] = 0;
	}
	if (match == DNS_MATCH_ANSWER) {
		if (dns_flight_answered(s, f, msg, len) < 0)
			try_failed(s, f, t);
	} else if (match == DNS_MATCH_NO_EDNS && t->edns) {
		f->no_edns = true;
		try_again(s, f, t, tcp ? SOCK_STREAM : SOCK_DGRAM);
	} else if (tcp || match == DNS_MATCH_FAILED || match == DNS_MATCH_NO_EDNS) {
		try_failed(s, f, t);
	} else if (match != DNS_MATCH_NONE || ++t->junk >= DNS_JUNK_MAX) {
		try_again(s, f, t, SOCK_STREAM);
	}
}

static void read_datagrams(struct dns_server *s, struct dns_flight *f, struct dns_try *t)
{
	uint32_t generation = t->generation;

	for (unsigned i = 0; i < DATAGRAMS_AT_ONCE && t->generation == generation; i++) {
		uint8_t msg[DATAGRAM_MAX];
		ssize_t n = recv(t->fd, msg, sizeof(msg), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0)
			try_failed(s, f, t);
		else
			take_message(s, f, t, msg, (size_t)n);
	}
}

/* 0: more has to come; -errno: the connection is of no use. */
static ssize_t read_stream(struct dns_stream *stream, int fd)
{
	ssize_t n =
	    recv(fd, stream->buf + stream->len, sizeof(stream->buf) - stream->len, MSG_DONTWAIT);
	size_t want;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -EPIPE;
	stream->len += (size_t)n;
	if (stream->len < 2)
		return 0;
	want = (size_t)stream->buf[0] << 8 | stream->buf[1];
	if (want < DNS_HEADER_LEN || want > DNS_UPSTREAM_MSG_MAX)
		return -EMSGSIZE;
	return stream->len >= 2 + want ? (ssize_t)want : 0;
}

static void stream_event(struct dns_server *s, struct dns_flight *f, struct dns_try *t)
{
	struct dns_stream *stream = &s->stream[t->stream];
	ssize_t n;

	if (!stream->sent) {
		stream->sent = true;
		if (send_query(t, f->q.type) < 0 || watch_try(s, f, t, EPOLL_CTL_MOD, EPOLLIN) < 0)
			try_failed(s, f, t);
		return;
	}
	n = read_stream(stream, t->fd);
	if (n < 0)
		try_failed(s, f, t);
	else if (n > 0)
		take_message(s, f, t, stream->buf + 2, (size_t)n);
}

void dns_upstream_event(struct dns_server *s, const struct dns_event *ev)
{
	struct dns_flight *f = flight_of(s, ev);
	struct dns_try *t = &f->try[ev->index % DNS_TRIES];

	if (t->fd < 0 || (t->generation & DNS_GENERATION_MASK) != ev->generation)
		return;
	if (t->stream == DNS_NONE)
		read_datagrams(s, f, t);
	else
		stream_event(s, f, t);
}
