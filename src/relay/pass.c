/* SPDX-License-Identifier: MIT */
/* Bytes of a connection, one way and the other.  What one end does not take yet waits here, and no
 * more is read until it has gone: a slow reader slows its writer, as without a relay. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "relay/server.h"

static void empty(struct relay_way *w)
{
	free(w->buf);
	w->buf = NULL;
	w->at = 0;
	w->pass = 0;
	w->n = 0;
}

static ssize_t send_some(int fd, const uint8_t *bytes, size_t n)
{
	ssize_t sent;

	do
		sent = send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return sent;
	return errno == EAGAIN ? 0 : -errno;
}

static ssize_t receive_some(int fd, uint8_t *bytes, size_t n)
{
	ssize_t got;

	do
		got = recv(fd, bytes, n, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* 1: all that may go has gone. */
static int flush(struct relay_way *w, int to)
{
	while (w->at < w->pass) {
		ssize_t n = send_some(to, w->buf + w->at, w->pass - w->at);

		if (n <= 0)
			return (int)n;
		w->at += (size_t)n;
	}
	if (w->buf && w->at == w->n)
		empty(w);
	return 1;
}

static int keep(struct relay_way *w, const uint8_t *bytes, size_t n)
{
	w->buf = malloc(n);
	if (!w->buf)
		return -ENOMEM;
	memcpy(w->buf, bytes, n);
	w->at = 0;
	w->pass = n;
	w->n = n;
	return 0;
}

static int pass_end(struct relay_way *w, int to)
{
	if (!w->told && shutdown(to, SHUT_WR) < 0 && errno != ENOTCONN)
		return -errno;
	w->told = true;
	return 0;
}

/* The server's first bytes decide what of the client's may follow. */
static int look(struct relay_conn *c, const uint8_t *bytes, size_t n)
{
	if (c->state != RELAY_ANSWER)
		return 0;
	switch (relay_answer_feed(&c->answer, bytes, n)) {
	case RELAY_ANSWER_MORE:
		return 0;
	case RELAY_ANSWER_HELLO:
		c->up.pass = c->up.n;
		c->state = RELAY_PASS;
		return 0;
	case RELAY_ANSWER_RETRY:
		c->state = RELAY_SECOND;
		c->need = 0;
		return 0;
	case RELAY_ANSWER_WRONG:
	default:
		return -EPROTO;
	}
}

struct ends {
	int from;
	int to;
	bool is_down;
};

/* One piece.  1: there may be more; 0: one of the ends has to do something first. */
static int move(struct relay_server *s, struct relay_conn *c, struct relay_way *w,
		const struct ends *e)
{
	ssize_t got = receive_some(e->from, s->scratch, sizeof(s->scratch));
	ssize_t sent;
	int r;

	if (got == -EAGAIN)
		return 0;
	if (got < 0)
		return (int)got;
	if (got == 0) {
		w->ended = true;
		return pass_end(w, e->to);
	}
	r = e->is_down ? look(c, s->scratch, (size_t)got) : 0;
	if (r < 0)
		return r;
	sent = send_some(e->to, s->scratch, (size_t)got);
	if (sent < 0)
		return (int)sent;
	if (sent < got)
		return keep(w, s->scratch + sent, (size_t)(got - sent));
	return 1;
}

static int pass(struct relay_server *s, struct relay_conn *c, struct relay_way *w,
		const struct ends *e)
{
	for (size_t i = 0; i < RELAY_AT_ONCE / RELAY_SCRATCH; i++) {
		int r = flush(w, e->to);

		if (r <= 0)
			return r;
		if (w->ended)
			return pass_end(w, e->to);
		if (!e->is_down && c->state != RELAY_PASS)
			return 0;
		r = move(s, c, w, e);
		if (r <= 0)
			return r;
	}
	return 1;
}

int relay_pass_down(struct relay_server *s, struct relay_conn *c)
{
	const struct ends e = { c->server, c->client, true };

	return pass(s, c, &c->down, &e);
}

int relay_pass_up(struct relay_server *s, struct relay_conn *c)
{
	const struct ends e = { c->client, c->server, false };

	return pass(s, c, &c->up, &e);
}

long relay_fill(struct relay_conn *c)
{
	struct relay_way *w = &c->up;
	ssize_t n;

	if (!w->buf) {
		w->buf = malloc(RELAY_HELLO_MAX);
		if (!w->buf)
			return -ENOMEM;
	}
	if (w->at > 0) {
		memmove(w->buf, w->buf + w->at, w->n - w->at);
		w->n -= w->at;
		w->pass -= w->at;
		w->at = 0;
	}
	if (w->n == RELAY_HELLO_MAX)
		return -ENOBUFS;
	n = receive_some(c->client, w->buf + w->n, RELAY_HELLO_MAX - w->n);
	if (n > 0)
		w->n += (size_t)n;
	return n;
}
