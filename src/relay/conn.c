/* SPDX-License-Identifier: MIT */
/* What becomes of a connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "relay/server.h"

#define ACCEPTS_AT_ONCE 64
#define CHANGE_CIPHER_LEN 6

/* What clients put before a second ClientHello for the sake of old middle boxes. */
static const uint8_t CHANGE_CIPHER[CHANGE_CIPHER_LEN] = { 20, 3, 3, 0, 1, 1 };

static uint32_t id_of(const struct relay_server *s, const struct relay_conn *c)
{
	return (c->generation & 0xffff) << 16 | (uint32_t)(c - s->conn);
}

static void reset(int fd)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

static void release(struct relay_server *s, struct relay_conn *c)
{
	s->n_telling -= c->state == RELAY_TELLING;
	s->n_asked -= c->state == RELAY_RULING;
	s->n_hot -= c->hot;
	s->n_conns--;
	free(c->up.buf);
	free(c->down.buf);
	*c = (struct relay_conn){ .client = -1, .server = -1, .generation = c->generation + 1 };
}

void relay_conn_cut(struct relay_server *s, struct relay_conn *c)
{
	reset(c->client);
	reset(c->server);
	release(s, c);
}

static void finish(struct relay_server *s, struct relay_conn *c)
{
	close(c->client);
	close(c->server);
	release(s, c);
}

/* ---- telling the supervisor ----------------------------------------------------------------- */

/* True: it has been told. */
static bool send_note(const struct relay_server *s, const struct relay_note *note)
{
	ssize_t n;

	do
		n = send(s->w->channel, note, sizeof(*note), MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*note);
}

static void tell(struct relay_server *s, struct relay_conn *c)
{
	bool asks = c->note.kind == RELAY_NOTE_ASK;

	if ((asks && s->n_asked >= RELAY_ASKS_MAX) || !send_note(s, &c->note))
		return; /* later */
	if (!asks) {
		relay_conn_cut(s, c);
		return;
	}
	s->n_telling--;
	s->n_asked++;
	c->state = RELAY_RULING;
}

static void set_hot(struct relay_server *s, struct relay_conn *c, bool hot)
{
	s->n_hot += hot;
	s->n_hot -= c->hot;
	c->hot = hot;
}

static void begin_telling(struct relay_server *s, struct relay_conn *c, enum relay_note_kind kind,
			  enum relay_finding finding)
{
	c->note.kind = kind;
	c->note.id = id_of(s, c);
	c->note.finding = finding;
	c->state = RELAY_TELLING;
	s->n_telling++;
	set_hot(s, c, false);
	tell(s, c);
}

void relay_conn_tell_all(struct relay_server *s)
{
	for (size_t i = 0; i < RELAY_CONNS_MAX && s->n_telling > 0; i++)
		if (s->conn[i].state == RELAY_TELLING)
			tell(s, &s->conn[i]);
}

/* One that was ruled on already: the supervisor knows it no more, so the note says who the server
 * is. */
static void tell_cut(struct relay_server *s, struct relay_conn *c, enum relay_finding finding,
		     const char *name)
{
	struct sockaddr_storage to = { 0 };
	socklen_t len = sizeof(to);

	memset(&c->note, 0, sizeof(c->note));
	if (getpeername(c->server, (struct sockaddr *)&to, &len) == 0)
		addr_from_sockaddr((const struct sockaddr *)&to, &c->note.addr, &c->note.port);
	memcpy(c->note.name, name, strnlen(name, RELAY_NAME_BUF - 1));
	begin_telling(s, c, RELAY_NOTE_CUT, finding);
}

/* ---- the first bytes ------------------------------------------------------------------------ */

static void read_hello(struct relay_server *s, struct relay_conn *c)
{
	struct relay_hello hello = { .finding = RELAY_MORE };
	long n = 1;

	while (n > 0 && hello.finding == RELAY_MORE) {
		n = relay_fill(c);
		if (n <= 0 || c->up.n < c->need)
			continue;
		relay_hello_read(c->up.buf, c->up.n, &hello);
		c->need = hello.need;
	}
	if (hello.finding == RELAY_NAME) {
		memcpy(c->name, hello.name, sizeof(c->name));
		memcpy(c->note.name, hello.name, sizeof(c->name));
		c->up.pass = hello.len;
		begin_telling(s, c, RELAY_NOTE_ASK, RELAY_NAME);
	} else if (hello.finding != RELAY_MORE) {
		begin_telling(s, c, RELAY_NOTE_REFUSED, hello.finding);
	} else if (n == 0 && c->up.n > 0) {
		begin_telling(s, c, RELAY_NOTE_REFUSED, RELAY_ENDED);
	} else if (n != -EAGAIN) {
		begin_telling(s, c, RELAY_NOTE_GONE, RELAY_MORE);
	}
}

/* What a client sends after a HelloRetryRequest.  Early data in between is refused: servers skip it
 * by rules of their own, and clients can do without. */
static void read_second_hello(const struct relay_way *w, struct relay_hello *ret)
{
	const size_t have = w->n - w->at;
	size_t skip = 0;

	memset(ret, 0, sizeof(*ret));
	if (have == 0)
		return;
	if (w->buf[w->at] == CHANGE_CIPHER[0])
		skip = CHANGE_CIPHER_LEN;
	if (have < skip)
		return;
	relay_hello_read(w->buf + w->at + skip, have - skip, ret);
	if (skip && memcmp(w->buf + w->at, CHANGE_CIPHER, skip) != 0)
		ret->finding = RELAY_MALFORMED;
}

static void read_second(struct relay_server *s, struct relay_conn *c)
{
	struct relay_way *w = &c->up;
	struct relay_hello hello = { .finding = RELAY_MORE };
	long n = 1;

	if (w->at < w->pass) /* the first one is still on its way */
		return;
	while (n > 0) {
		read_second_hello(w, &hello);
		if (hello.finding != RELAY_MORE)
			break;
		n = relay_fill(c);
	}
	if (hello.finding == RELAY_NAME && strcmp(hello.name, c->name) == 0) {
		w->pass = w->n;
		c->state = RELAY_PASS;
	} else if (hello.finding == RELAY_NAME) {
		tell_cut(s, c, RELAY_OTHER_NAME, hello.name);
	} else if (hello.finding != RELAY_MORE) {
		tell_cut(s, c, hello.finding, "");
	} else if (n == -EAGAIN) {
		return;
	} else if (n == 0 && w->n == w->at) {
		w->ended = true; /* as a client does that likes no retry */
		c->state = RELAY_PASS;
	} else {
		tell_cut(s, c, RELAY_ENDED, "");
	}
}

/* ---- both ways ------------------------------------------------------------------------------ */

static void pass_both(struct relay_server *s, struct relay_conn *c)
{
	enum relay_state before = c->state;
	int down = relay_pass_down(s, c);
	int up = 0;

	if (down == -EPROTO) {
		tell_cut(s, c, RELAY_WRONG_ANSWER, c->name);
		return;
	}
	if (before == RELAY_ANSWER && c->state == RELAY_SECOND)
		c->since_us = s->now_us;
	if (down >= 0)
		up = relay_pass_up(s, c);
	if (down >= 0 && up >= 0 && c->state == RELAY_SECOND) {
		read_second(s, c);
		if (c->state == RELAY_PASS)
			up = relay_pass_up(s, c);
	}
	if (c->state < RELAY_ANSWER) /* cut, or to be told of */
		return;
	if (down < 0 || up < 0) {
		relay_conn_cut(s, c);
		return;
	}
	/* A server that ends before its ServerHello wants nothing more. */
	if (c->down.told && (c->up.told || c->state == RELAY_ANSWER)) {
		finish(s, c);
		return;
	}
	set_hot(s, c, down > 0 || up > 0);
}

void relay_conn_event(struct relay_server *s, struct relay_conn *c, uint32_t events)
{
	uint32_t generation = c->generation;

	if (c->state == RELAY_HELLO)
		read_hello(s, c);
	else if (c->state >= RELAY_ANSWER)
		pass_both(s, c);
	/* What had come before the error has been taken. */
	if ((events & EPOLLERR) && c->generation == generation && c->state > RELAY_TELLING)
		relay_conn_cut(s, c);
}

void relay_conn_go_on(struct relay_server *s)
{
	for (size_t i = 0; i < RELAY_CONNS_MAX && s->n_hot > 0; i++)
		if (s->conn[i].hot && s->conn[i].state >= RELAY_ANSWER)
			pass_both(s, &s->conn[i]);
}

void relay_conn_rule(struct relay_server *s, uint32_t id, int server_fd)
{
	struct relay_conn *c = &s->conn[(id & 0xffff) % RELAY_CONNS_MAX];

	if (c->state != RELAY_RULING || id_of(s, c) != id) {
		clean_close(&server_fd); /* its client is gone */
		return;
	}
	s->n_asked--;
	c->state = RELAY_ANSWER;
	c->server = server_fd;
	/* Its events begin with what is so already. */
	if (server_fd < 0 || relay_watch(s, server_fd, RELAY_SERVER, c) < 0)
		relay_conn_cut(s, c);
}

/* ---- coming and going ----------------------------------------------------------------------- */

static struct relay_conn *choose_slot(struct relay_server *s)
{
	for (size_t i = 0; i < s->w->conns_max && i < RELAY_CONNS_MAX; i++)
		if (s->conn[i].state == RELAY_FREE)
			return &s->conn[i];
	return NULL;
}

void relay_conn_accept(struct relay_server *s, int fd)
{
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct relay_conn *c = choose_slot(s);
		struct sockaddr_storage from = { 0 };
		socklen_t len = sizeof(from);
		int client;

		if (!c) {
			s->full = true;
			return;
		}
		client = accept4(fd, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (client < 0) {
			/* Short of memory or descriptors: later. */
			s->full = errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
			return;
		}
		c->client = client;
		c->state = RELAY_HELLO;
		c->since_us = s->now_us;
		s->n_conns++;
		if (addr_from_sockaddr((const struct sockaddr *)&from, &c->note.addr,
				       &c->note.port) < 0 ||
		    relay_watch(s, client, RELAY_CLIENT, c) < 0)
			relay_conn_cut(s, c);
	}
}

void relay_conn_tick(struct relay_server *s)
{
	for (size_t i = 0; i < RELAY_CONNS_MAX && s->n_conns > 0; i++) {
		struct relay_conn *c = &s->conn[i];

		if (s->now_us < c->since_us + RELAY_HELLO_US)
			continue;
		if (c->state == RELAY_HELLO)
			begin_telling(s, c, RELAY_NOTE_REFUSED, RELAY_LATE);
		else if (c->state == RELAY_SECOND)
			tell_cut(s, c, RELAY_LATE, "");
	}
}
