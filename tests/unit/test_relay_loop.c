/* SPDX-License-Identifier: MIT */
/*
 * The relay's loop under whatever its three neighbours do.  Clients, servers and the supervisor
 * take random steps, sound and unsound ones; the relay must outlive that (under the sanitizers,
 * too), and then still carry a connection to the byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clean.h"
#include "base/err.h"
#include "relay/worker.h"

#define TALKS 40
#define PLACES 24 /* fewer than talks: the listeners are left alone at times */
#define STEPS 30000
#define SCRIPT_MAX 2048
#define BULK 65536
#define LIMIT_MS 30000

struct talk {
	int client; /* -1: none */
	int server; /* -1: none yet */
	size_t at;
	size_t n;
	uint8_t script[SCRIPT_MAX];
};

struct world {
	struct relay_worker w;
	pid_t pid;
	uint64_t chance;
	struct talk talk[TALKS];
	int waiting; /* a server's end whose client is not known: any talk takes it */
	size_t heard[RELAY_NOTE_MAX]; /* notes of each kind */
	uint8_t bulk[BULK];
};

static size_t below(struct world *t, size_t n)
{
	uint64_t z = (t->chance += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (size_t)((z ^ (z >> 31)) % n);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- what they say -------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, size_t value, size_t bytes)
{
	for (size_t i = bytes; i-- > 0;)
		*at++ = (uint8_t)(value >> (8 * i));
	return at;
}

/* A ClientHello for name in one record. */
static size_t make_hello(uint8_t *at, const char *name)
{
	const size_t len = strlen(name);
	const size_t body = 2 + 32 + 1 + 4 + 2 + 2 + 9 + len;
	uint8_t *p = put(at, 22, 1);

	p = put(p, 0x0301, 2);
	p = put(p, body + 4, 2);
	p = put(p, 1, 1);
	p = put(p, body, 3);
	p = put(p, 0x0303, 2);
	memset(p, 7, 32);
	p = put(p + 32, 0, 1);
	p = put(p, 2, 2);
	p = put(p, 0x1301, 2);
	p = put(p, 0x0100, 2);
	p = put(p, 9 + len, 2);
	p = put(p, 0, 2);
	p = put(p, len + 5, 2);
	p = put(p, len + 3, 2);
	p = put(p, 0, 1);
	p = put(p, len, 2);
	memcpy(p, name, len);
	return (size_t)(p - at) + len;
}

/* A ServerHello, or a request for another ClientHello. */
static size_t make_answer(uint8_t *at, bool again)
{
	static const uint8_t RETRY[] = {
		0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
		0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
		0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
	};
	uint8_t *p = put(at, 22, 1);

	p = put(p, 0x0303, 2);
	p = put(p, 44, 2);
	p = put(p, 2, 1);
	p = put(p, 40, 3);
	p = put(p, 0x0303, 2);
	if (again)
		memcpy(p, RETRY, sizeof(RETRY));
	else
		memset(p, 9, sizeof(RETRY));
	memset(p + sizeof(RETRY), 0, 6);
	return (size_t)(p - at) + sizeof(RETRY) + 6;
}

static void write_script(struct world *t, struct talk *k)
{
	static const char *const NAMES[] = { "api.test", "api.test", "other.test", "x" };
	static const uint8_t CHANGE_CIPHER[] = { 20, 3, 3, 0, 1, 1 };

	k->at = 0;
	k->n = make_hello(k->script, NAMES[below(t, 4)]);
	if (below(t, 4) == 0) {
		memcpy(k->script + k->n, CHANGE_CIPHER, sizeof(CHANGE_CIPHER));
		k->n += sizeof(CHANGE_CIPHER);
	}
	if (below(t, 2))
		k->n += make_hello(k->script + k->n, NAMES[below(t, 4)]);
	for (size_t i = below(t, 200); i > 0; i--)
		k->script[k->n++] = (uint8_t)below(t, 256);
	for (size_t i = below(t, 3); i > 0 && below(t, 3) == 0; i--)
		k->script[below(t, k->n)] ^= (uint8_t)(1u << below(t, 8));
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int dial(const struct world *t)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(t->w.port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_true(connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 ||
		    errno == EINPROGRESS);
	return fd;
}

static void leave(struct world *t, int *fd)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (below(t, 3) == 0)
		setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close_fd(fd);
}

static void read_some(struct world *t, int fd)
{
	uint8_t bytes[8192];

	for (size_t i = below(t, 8); i > 0 && recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0; i--)
		;
}

static void client_step(struct world *t, struct talk *k)
{
	const size_t n = k->n - k->at;
	ssize_t sent = 0;

	if (k->client < 0) {
		k->client = dial(t);
		write_script(t, k);
		return;
	}
	switch (below(t, 20)) {
	case 0:
		leave(t, &k->client);
		break;
	case 1:
		shutdown(k->client, SHUT_WR);
		break;
	case 2:
	case 3:
		read_some(t, k->client);
		break;
	case 4:
		send(k->client, t->bulk, below(t, BULK), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	default:
		if (n > 0)
			sent = send(k->client, k->script + k->at, 1 + below(t, n),
				    MSG_DONTWAIT | MSG_NOSIGNAL);
		k->at += sent > 0 ? (size_t)sent : 0;
	}
}

static void server_step(struct world *t, struct talk *k)
{
	uint8_t bytes[128];

	if (k->server < 0) {
		k->server = t->waiting;
		t->waiting = -1;
		return;
	}
	switch (below(t, 12)) {
	case 0:
		leave(t, &k->server);
		break;
	case 1:
		shutdown(k->server, SHUT_WR);
		break;
	case 2:
		send(k->server, t->bulk, below(t, BULK), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 3:
	case 4:
		send(k->server, bytes, make_answer(bytes, true), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 5:
		send(k->server, bytes, below(t, make_answer(bytes, false)),
		     MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 6:
	case 7:
		send(k->server, bytes, make_answer(bytes, false), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	default:
		read_some(t, k->server);
	}
}

/* Gives the relay one end, keeps the other. */
static int rule(struct world *t, uint32_t id)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	assert_int_not_equal(relay_ruling_send(&t->w, id, pair[0]), -EPIPE);
	close(pair[0]);
	return pair[1];
}

static void supervisor_step(struct world *t)
{
	struct relay_note note;
	int r = relay_note_receive(&t->w, &note);

	assert_true(r == 0 || r == -EAGAIN);
	t->heard[r == 0 ? note.kind : RELAY_NOTE_NONE]++;
	if (below(t, 40) == 0) /* of nothing that was asked */
		close(rule(t, (uint32_t)below(t, UINT32_MAX)));
	if (r < 0 || note.kind != RELAY_NOTE_ASK)
		return;
	if (below(t, 6) == 0) {
		assert_int_not_equal(relay_ruling_send(&t->w, note.id, -1), -EPIPE);
		return;
	}
	close_fd(&t->waiting);
	t->waiting = rule(t, note.id);
	if (below(t, 10) == 0) /* and once more */
		relay_ruling_send(&t->w, note.id, -1);
}

/* ---- one that is as it should be ------------------------------------------------------------ */

static void wait_for(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };

	assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
}

static void expect_bytes(int fd, const uint8_t *want, size_t n)
{
	uint8_t bytes[8192];

	while (n > 0) {
		ssize_t got;

		wait_for(fd, POLLIN);
		got = recv(fd, bytes, n < sizeof(bytes) ? n : sizeof(bytes), 0);
		assert_true(got > 0);
		assert_memory_equal(bytes, want, got);
		want += got;
		n -= (size_t)got;
	}
}

static void send_bytes(int fd, const uint8_t *bytes, size_t n)
{
	wait_for(fd, POLLOUT);
	assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

static void carry_one(struct world *t)
{
	struct relay_note note = { .kind = RELAY_NOTE_NONE };
	uint8_t bytes[512];
	size_t n = make_hello(bytes, "last.test");
	int client = dial(t);
	int server;

	send_bytes(client, bytes, n);
	while (note.kind != RELAY_NOTE_ASK || strcmp(note.name, "last.test") != 0) {
		wait_for(t->w.supervisor, POLLIN);
		assert_int_equal(relay_note_receive(&t->w, &note), 0);
		if (note.kind == RELAY_NOTE_ASK && strcmp(note.name, "last.test") != 0)
			relay_ruling_send(&t->w, note.id, -1);
	}
	server = rule(t, note.id);
	expect_bytes(server, bytes, n);
	n = make_answer(bytes, false);
	send_bytes(server, bytes, n);
	expect_bytes(client, bytes, n);
	for (unsigned i = 0; i < 20; i++) {
		send_bytes(server, t->bulk, 8192);
		expect_bytes(client, t->bulk, 8192);
		send_bytes(client, t->bulk + 8192, 8192);
		expect_bytes(server, t->bulk + 8192, 8192);
	}
	close(client);
	wait_for(server, POLLIN);
	assert_int_equal(recv(server, bytes, 1, 0), 0);
	close(server);
}

static void start(struct world *t)
{
	struct pinfold_error e;

	assert_int_equal(relay_worker_prepare(&t->w, &e), 0);
	t->w.conns_max = PLACES;
	t->pid = fork();
	if (t->pid == 0)
		_exit(relay_worker_run(&t->w) < 0);
	assert_true(t->pid > 0);
	relay_worker_started(&t->w);
	t->waiting = -1;
	for (size_t i = 0; i < TALKS; i++)
		t->talk[i] = (struct talk){ .client = -1, .server = -1 };
	for (size_t i = 0; i < BULK; i++)
		t->bulk[i] = (uint8_t)(i * 7 + i / 256);
}

static void the_relay_outlives_its_neighbours_and_then_carries_every_byte(void **state)
{
	struct world *t = calloc(1, sizeof(*t));
	int status = -1;

	(void)state;
	assert_non_null(t);
	t->chance = (uint64_t)time(NULL);
	printf("# seed %llu\n", (unsigned long long)t->chance);
	start(t);
	for (size_t i = 0; i < STEPS; i++) {
		struct talk *k = &t->talk[below(t, TALKS)];

		if (below(t, 2))
			client_step(t, k);
		else
			server_step(t, k);
		supervisor_step(t);
		assert_int_equal(waitpid(t->pid, &status, WNOHANG), 0);
	}
	printf("# asked %zu, refused %zu, gone %zu, cut %zu\n", t->heard[RELAY_NOTE_ASK],
	       t->heard[RELAY_NOTE_REFUSED], t->heard[RELAY_NOTE_GONE], t->heard[RELAY_NOTE_CUT]);
	close_fd(&t->waiting);
	for (size_t i = 0; i < TALKS; i++) {
		close_fd(&t->talk[i].client);
		close_fd(&t->talk[i].server);
	}
	carry_one(t);
	relay_worker_done(&t->w);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(status, 0);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_relay_outlives_its_neighbours_and_then_carries_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
