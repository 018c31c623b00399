/* SPDX-License-Identifier: MIT */
/* The whole worker in a process of its own; the test is its client, its supervisor and its
 * upstreams, all on loopback. */
#ifndef PINFOLD_TESTS_DNS_WORLD_H
#define PINFOLD_TESTS_DNS_WORLD_H

#include "dns_help.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>

#include "dns/server.h"
#include "dns/worker.h"
#include "pinfold.h"
#include "seccomp/filter.h"

#define PATIENCE_MS 3000
#define QUIET_MS 60 /* how long nothing has to happen for us to say that nothing happens */
#define UPSTREAMS 3

/* One world for each test. */
struct world {
	struct policy policy;
	struct dns_worker w;
	pid_t pid;
	int up_udp[UPSTREAMS]; /* our ends as upstream servers */
	int up_tcp[UPSTREAMS];
	int udp; /* our end as a client, connected to the worker */
};

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static inline bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* A port that is free for both; 0: it was not. */
static inline uint16_t try_upstream(int *ret_udp, int *ret_tcp)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);

	*ret_udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	*ret_tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(*ret_udp, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(*ret_udp, (struct sockaddr *)&at, &len), 0);
	if (bind(*ret_tcp, (struct sockaddr *)&at, len) == 0 && listen(*ret_tcp, 64) == 0)
		return ntohs(at.sin_port);
	close(*ret_udp);
	close(*ret_tcp);
	return 0;
}

static inline uint16_t serve_upstream(int *ret_udp, int *ret_tcp)
{
	uint16_t port = 0;

	for (unsigned i = 0; i < 64 && port == 0; i++)
		port = try_upstream(ret_udp, ret_tcp);
	assert_int_not_equal(port, 0);
	return port;
}

static inline int connect_worker(const struct world *t, int type)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(t->w.port[0]),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* The worker's own filter; sanitizers need more than it allows. */
static inline void confine(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct seccomp_filter filter;

	if (seccomp_filter_prepare_worker(&filter, NULL) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_filter_enter(&filter) < 0)
		_exit(4);
#endif
}

static inline void start_worker(struct world *t)
{
	pid_t parent = getpid();

	t->pid = fork();
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		int err;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(3);
		/* Ours: a port is closed only when nobody holds it. */
		for (size_t i = 0; i < UPSTREAMS; i++) {
			close(t->up_udp[i]);
			close(t->up_tcp[i]);
		}
		confine();
		err = dns_worker_run(&t->w);
		dns_worker_done(&t->w);
		_exit(err == 0 ? 0 : 1);
	}
	dns_worker_started(&t->w);
}

static inline struct world *begin_world(const struct net_rules *allow, const struct net_rules *deny,
					size_t n_upstream)
{
	struct world *t = calloc(1, sizeof(*t));
	struct pinfold_error e;

	assert_non_null(t);
	t->policy.net.allow = *allow;
	t->policy.net.deny = *deny;
	t->policy.net.dns.upstream = calloc(UPSTREAMS, sizeof(*t->policy.net.dns.upstream));
	t->policy.net.dns.n_upstream = n_upstream;
	for (size_t i = 0; i < UPSTREAMS; i++) {
		t->policy.net.dns.upstream[i].addr = ip("127.0.0.1");
		t->policy.net.dns.upstream[i].port = serve_upstream(&t->up_udp[i], &t->up_tcp[i]);
	}
	assert_int_equal(dns_worker_prepare(&t->w, &t->policy, &e), 0);
	start_worker(t);
	t->udp = connect_worker(t, SOCK_DGRAM);
	return t;
}

/* The worker ends by itself, and well, when the supervisor's end closes. */
static inline void end_world(struct world *t)
{
	int status = -1;

	dns_worker_done(&t->w);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < UPSTREAMS; i++) {
		close(t->up_udp[i]);
		close(t->up_tcp[i]);
	}
	close(t->udp);
	free(t->policy.net.dns.upstream);
	free(t);
}

/* ---- as a client ---------------------------------------------------------------------------- */

static inline size_t make_query(uint8_t *buf, uint16_t id, const char *name, uint16_t type,
				bool edns)
{
	struct made m;

	begin(&m, id, 0x0100, name, type);
	if (edns) {
		rr(&m, AT_ADDITIONAL, "", DNS_TYPE_OPT, 0, "", 0);
		dns_set_u16(&m.w, m.w.len - 8, 1232);
	}
	memcpy(buf, m.buf, m.w.len);
	return m.w.len;
}

static inline void query(int fd, uint16_t id, const char *name, uint16_t type)
{
	uint8_t buf[512];
	size_t len = make_query(buf, id, name, type, true);

	assert_int_equal(send(fd, buf, len, 0), len);
}

static inline void expect_reply(int fd, struct seen *ret)
{
	uint8_t buf[4096];
	ssize_t n;

	assert_true(readable(fd, PATIENCE_MS));
	n = recv(fd, buf, sizeof(buf), 0);
	assert_true(n > 0);
	read_back(buf, (size_t)n, ret);
}

static inline unsigned rcode(const struct seen *s)
{
	return s->h.flags & DNS_FLAG_RCODE;
}

static inline void read_framed(int fd, uint8_t *msg, size_t *ret_len)
{
	uint8_t head[2];

	assert_true(readable(fd, PATIENCE_MS));
	assert_int_equal(recv(fd, head, 2, MSG_WAITALL), 2);
	*ret_len = (size_t)head[0] << 8 | head[1];
	assert_int_equal(recv(fd, msg, *ret_len, MSG_WAITALL), *ret_len);
}

static inline void write_framed(int fd, const uint8_t *msg, size_t len)
{
	uint8_t head[2] = { (uint8_t)(len >> 8), (uint8_t)len };

	assert_int_equal(send(fd, head, 2, MSG_NOSIGNAL), 2);
	assert_int_equal(send(fd, msg, len, MSG_NOSIGNAL), len);
}

/* ---- as an upstream ------------------------------------------------------------------------- */

struct asked {
	uint8_t msg[600];
	size_t len;
	struct sockaddr_in from;
	struct dns_question q;
};

static inline void expect_query(int fd, struct asked *ret)
{
	socklen_t from_len = sizeof(ret->from);
	ssize_t n;

	assert_true(readable(fd, PATIENCE_MS));
	n = recvfrom(fd, ret->msg, sizeof(ret->msg), 0, (struct sockaddr *)&ret->from, &from_len);
	assert_true(n > 0);
	ret->len = (size_t)n;
	assert_int_equal(dns_question_parse(ret->msg, ret->len, &ret->q), 0);
}

/* The head of an answer to what was asked. */
static inline void begin_answer(struct made *m, const struct asked *a, uint16_t flags)
{
	begin(m, a->q.id, flags, a->q.text, a->q.type);
	memcpy(m->buf + DNS_HEADER_LEN, a->q.name.wire, a->q.name.len);
}

static inline void answer(int fd, const struct asked *a, const struct made *m)
{
	assert_int_equal(
	    sendto(fd, m->buf, m->w.len, 0, (const struct sockaddr *)&a->from, sizeof(a->from)),
	    m->w.len);
}

static inline void answer_address(int fd, const struct asked *a, const char *addr)
{
	struct made m;

	begin_answer(&m, a, 0x8180);
	rr_addr(&m, a->q.text, addr, 60);
	answer(fd, a, &m);
}

static inline int accept_upstream(const struct world *t, size_t i)
{
	assert_true(readable(t->up_tcp[i], PATIENCE_MS));
	return accept4(t->up_tcp[i], NULL, NULL, SOCK_CLOEXEC);
}

/* ---- as the supervisor ---------------------------------------------------------------------- */

static inline void expect_note(const struct world *t, struct dns_note *ret)
{
	assert_true(readable(t->w.supervisor, PATIENCE_MS));
	assert_int_equal(dns_note_receive(&t->w, ret), 0);
}

static inline void rule(const struct world *t, const struct dns_note *note, uint64_t keep)
{
	assert_int_equal(dns_ruling_send(&t->w, note->id, keep), 0);
}

#endif
