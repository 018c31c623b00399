/* SPDX-License-Identifier: MIT */
/* The clients' side: datagrams and connections from inside the pen.  No client is waited for: what
 * does not come in, or does not go out, stays in that client's own buffer until it is closed. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/proto.h"
#include "dns/server.h"

#define DATAGRAMS_AT_ONCE 64
#define ACCEPTS_AT_ONCE 16

/* A message of a client: to its answer, by whatever way. */
static int take_message(struct dns_server *s, const uint8_t *msg, size_t len,
			const struct dns_peer *peer)
{
	struct dns_question q;
	int rcode = dns_question_parse(msg, len, &q);

	if (rcode < 0)
		return rcode;
	if (rcode > 0) {
		const struct dns_reply reply = { .rcode = (uint16_t)rcode };

		dns_client_reply(s, peer, &q, &reply);
		return 0;
	}
	dns_flight_ask(s, &q, peer);
	return 0;
}

void dns_client_datagrams(struct dns_server *s, int fd)
{
	for (unsigned i = 0; i < DATAGRAMS_AT_ONCE; i++) {
		uint8_t msg[DNS_QUERY_MAX];
		struct dns_peer peer = { .source = DNS_SOURCE_UDP, .fd = fd };
		ssize_t n;

		peer.to_len = sizeof(peer.to);
		n = recvfrom(fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&peer.to, &peer.to_len);
		if (n < 0 && errno == EAGAIN)
			return;
		/* Errors of earlier answers are reported here too: they concern nobody else. */
		if (n < 0 || (size_t)n > sizeof(msg) || peer.to_len > sizeof(peer.to))
			continue;
		take_message(s, msg, (size_t)n, &peer);
	}
}

void dns_client_close(struct dns_client *c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
	c->generation++;
}

static uint16_t client_index(const struct dns_server *s, const struct dns_client *c)
{
	return (uint16_t)(c - s->client);
}

/* An answer may still have to wait until the one before has gone out. */
static bool takes_questions(const struct dns_client *c)
{
	return c->out_len == 0 && c->unanswered < DNS_CLIENT_QUERIES;
}

static void watch_client(struct dns_server *s, struct dns_client *c, int op)
{
	struct dns_event ev = {
		.kind = DNS_EVENT_CLIENT,
		.generation = c->generation,
		.index = client_index(s, c),
	};

	if (!c->ended && c->in_len < sizeof(c->in) && takes_questions(c))
		ev.events |= EPOLLIN;
	if (c->out_len > 0)
		ev.events |= EPOLLOUT;
	if (op == EPOLL_CTL_MOD && ev.events == c->events)
		return;
	c->events = ev.events;
	if (dns_server_watch(s, op, c->fd, &ev) < 0)
		dns_client_close(c);
}

/* The slot of a new connection: an unused one, else of the one that has been idle longest. */
static struct dns_client *choose_client(struct dns_server *s)
{
	struct dns_client *oldest = NULL;

	for (size_t i = 0; i < s->fresh_client; i++) {
		struct dns_client *c = &s->client[i];

		if (c->fd < 0)
			return c;
		if (c->unanswered == 0 && (!oldest || c->since_ms < oldest->since_ms))
			oldest = c;
	}
	if (s->fresh_client == DNS_CLIENTS_MAX)
		return oldest;
	s->client[s->fresh_client].fd = -1;
	return &s->client[s->fresh_client++];
}

void dns_client_accept(struct dns_server *s, int fd)
{
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE; i++) {
		int conn = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct dns_client *c;

		if (conn < 0)
			return;
		c = choose_client(s);
		if (!c) {
			close(conn);
			continue;
		}
		dns_client_close(c);
		c->fd = conn;
		c->ended = false;
		c->unanswered = 0;
		c->since_ms = s->now_ms;
		c->in_len = 0;
		c->out_len = 0;
		watch_client(s, c, EPOLL_CTL_ADD);
		dns_server_due(s, s->now_ms + DNS_CLIENT_IDLE_MS);
	}
}

static void flush(struct dns_client *c)
{
	ssize_t n = send(c->fd, c->out, c->out_len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			dns_client_close(c);
		return;
	}
	c->out_len -= (size_t)n;
	memmove(c->out, c->out + n, c->out_len);
}

/* Questions are taken one by one, each only when the answers before it are on their way. */
static void take_questions(struct dns_server *s, struct dns_client *c)
{
	const struct dns_peer peer = {
		.source = DNS_SOURCE_TCP,
		.fd = -1,
		.client = client_index(s, c),
		.client_generation = c->generation,
	};

	while (c->fd >= 0 && c->in_len >= 2 && takes_questions(c)) {
		size_t want = (size_t)c->in[0] << 8 | c->in[1];
		int err;

		if (want < DNS_HEADER_LEN || want > DNS_QUERY_MAX) {
			dns_client_close(c);
			return;
		}
		if (c->in_len < 2 + want)
			return;
		c->unanswered++;
		c->since_ms = s->now_ms;
		err = take_message(s, c->in + 2, want, &peer);
		/* Its answer may have found the connection closed. */
		if (c->generation != peer.client_generation)
			return;
		if (err < 0) {
			dns_client_close(c);
			return;
		}
		c->in_len -= 2 + want;
		memmove(c->in, c->in + 2 + want, c->in_len);
	}
}

static void settle(struct dns_server *s, struct dns_client *c)
{
	if (c->fd < 0)
		return;
	take_questions(s, c);
	if (c->fd >= 0 && c->ended && c->unanswered == 0 && c->out_len == 0)
		dns_client_close(c);
	if (c->fd >= 0)
		watch_client(s, c, EPOLL_CTL_MOD);
}

static void read_client(struct dns_client *c)
{
	ssize_t n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		dns_client_close(c);
		return;
	}
	c->ended = n == 0;
	c->in_len += (size_t)n;
}

void dns_client_event(struct dns_server *s, const struct dns_event *ev)
{
	struct dns_client *c = &s->client[ev->index];

	if (c->fd < 0 || (c->generation & DNS_GENERATION_MASK) != ev->generation)
		return;
	if (ev->events & (EPOLLERR | EPOLLHUP)) {
		dns_client_close(c);
		return;
	}
	if (ev->events & EPOLLOUT)
		flush(c);
	if (c->fd >= 0 && ev->events & EPOLLIN)
		read_client(c);
	settle(s, c);
}

static void reply_connection(struct dns_server *s, const struct dns_peer *peer,
			     const struct dns_question *q, const struct dns_reply *reply)
{
	struct dns_client *c = &s->client[peer->client];
	size_t room = sizeof(c->out) - c->out_len;
	uint8_t *at = c->out + c->out_len;
	size_t len;

	if (c->fd < 0 || c->generation != peer->client_generation)
		return;
	c->unanswered--;
	c->since_ms = s->now_ms;
	/* It asked for more than it reads. */
	if (room < 2 + DNS_REPLY_MAX) {
		dns_client_close(c);
		return;
	}
	len = dns_reply_build(q, reply, at + 2, DNS_REPLY_MAX);
	at[0] = (uint8_t)(len >> 8);
	at[1] = (uint8_t)len;
	c->out_len += 2 + len;
	flush(c);
	s->clients_stirred = true;
}

void dns_client_reply(struct dns_server *s, const struct dns_peer *peer,
		      const struct dns_question *q, const struct dns_reply *reply)
{
	uint8_t msg[DNS_REPLY_MAX];
	size_t cap = q->edns ? q->udp_size : DNS_UDP_MIN;
	size_t len;

	if (peer->source == DNS_SOURCE_TCP) {
		reply_connection(s, peer, q, reply);
		return;
	}
	len = dns_reply_build(q, reply, msg, cap);
	/* A datagram that can't leave now is lost, as datagrams are. */
	sendto(peer->fd, msg, len, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&peer->to,
	       peer->to_len);
}

void dns_client_resume(struct dns_server *s)
{
	while (s->clients_stirred) {
		s->clients_stirred = false;
		for (size_t i = 0; i < s->fresh_client; i++)
			settle(s, &s->client[i]);
	}
}

void dns_client_tick(struct dns_server *s)
{
	for (size_t i = 0; i < s->fresh_client; i++) {
		struct dns_client *c = &s->client[i];

		if (c->fd < 0)
			continue;
		if (s->now_ms - c->since_ms >= DNS_CLIENT_IDLE_MS)
			dns_client_close(c);
		else
			dns_server_due(s, c->since_ms + DNS_CLIENT_IDLE_MS);
	}
}
