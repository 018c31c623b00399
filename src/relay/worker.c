/* SPDX-License-Identifier: MIT */
/*
 * DOC: the worker process: one thread, one epoll, nothing blocks.
 *
 * What relay_worker_run() needs of the kernel, and all that its filter has to let through:
 *
 *	accept4, recvfrom, recvmsg, sendto, shutdown, setsockopt, getpeername, close,
 *	epoll_create1, epoll_ctl, epoll_wait, epoll_pwait, clock_gettime, brk, mmap, munmap,
 *	mremap, madvise, rt_sigreturn, restart_syscall, exit, exit_group
 *
 * No socket, no connect: the way to a server is a descriptor that the supervisor sends.
 */
#include "relay/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "relay/server.h"

#define EVENTS_AT_ONCE 64
#define TICK_MS 500
#define TICK_US 500000ULL
#define RETRY_MS 20 /* the supervisor could not be told at once */
#define RULINGS_AT_ONCE 64

/* epoll carries 64 bits for us: source, generation, and a connection's index or a descriptor. */
static uint64_t pack(enum relay_source from, uint32_t generation, uint32_t index)
{
	return (uint64_t)from << 56 | (uint64_t)(generation & RELAY_GENERATION_MASK) << 32 | index;
}

int relay_watch(const struct relay_server *s, int fd, enum relay_source from,
		const struct relay_conn *c)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = pack(from, 0, (uint32_t)fd) };

	if (c) {
		ev.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
		ev.data.u64 = pack(from, c->generation, (uint32_t)(c - s->conn));
	}
	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

static int watch_listeners(const struct relay_server *s)
{
	int r = relay_watch(s, s->w->tcp4, RELAY_LISTENER, NULL);

	if (r == 0 && s->w->tcp6 >= 0)
		r = relay_watch(s, s->w->tcp6, RELAY_LISTENER, NULL);
	return r;
}

/* With every place taken, newcomers wait in the kernel's queue. */
static void mind_listeners(struct relay_server *s, bool *watched)
{
	bool wanted = s->n_conns < s->w->conns_max;

	if (*watched && s->full) {
		epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->w->tcp4, NULL);
		if (s->w->tcp6 >= 0)
			epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->w->tcp6, NULL);
		*watched = false;
	} else if (!*watched && wanted) {
		s->full = false;
		*watched = watch_listeners(s) == 0;
	}
}

static int descriptor_of(struct msghdr *m)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* 1: took one; 0: none waits; -EPIPE: the supervisor is gone. */
static int take_ruling(struct relay_server *s)
{
	struct relay_ruling ruling;
	struct iovec body = { .iov_base = &ruling, .iov_len = sizeof(ruling) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = { .msg_iov = &body,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(s->w->channel, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != (ssize_t)sizeof(ruling))
		return -EPIPE;
	relay_conn_rule(s, ruling.id, descriptor_of(&m));
	return 1;
}

static int read_channel(struct relay_server *s)
{
	int r = 1;

	for (unsigned i = 0; i < RULINGS_AT_ONCE && r > 0; i++)
		r = take_ruling(s);
	return r < 0 ? r : 0;
}

static int dispatch(struct relay_server *s, const struct epoll_event *ev)
{
	enum relay_source from = (enum relay_source)(ev->data.u64 >> 56);
	uint32_t generation = (uint32_t)(ev->data.u64 >> 32) & RELAY_GENERATION_MASK;
	uint32_t index = (uint32_t)ev->data.u64;
	struct relay_conn *c;

	if (from == RELAY_CHANNEL)
		return read_channel(s);
	if (from == RELAY_LISTENER) {
		relay_conn_accept(s, (int)index);
		return 0;
	}
	c = &s->conn[index % RELAY_CONNS_MAX];
	if ((c->generation & RELAY_GENERATION_MASK) == generation && c->state != RELAY_FREE)
		relay_conn_event(s, c, ev->events);
	return 0;
}

static int wait_ms(const struct relay_server *s)
{
	if (s->n_hot > 0)
		return 0;
	if (s->n_telling > 0)
		return RETRY_MS;
	return s->n_conns > 0 || s->full ? TICK_MS : -1;
}

static int serve(struct relay_server *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	uint64_t tick_us = 0;
	bool watched = true;

	for (;;) {
		int n = epoll_wait(s->epoll, events, EVENTS_AT_ONCE, wait_ms(s));

		if (n < 0 && errno != EINTR)
			return -errno;
		s->now_us = clock_us();
		for (int i = 0; i < n; i++) {
			int r = dispatch(s, &events[i]);

			if (r < 0)
				return r == -EPIPE ? 0 : r;
		}
		relay_conn_go_on(s);
		relay_conn_tell_all(s);
		if (s->now_us >= tick_us) {
			tick_us = s->now_us + TICK_US;
			relay_conn_tick(s);
		}
		mind_listeners(s, &watched);
	}
}

int relay_worker_run(struct relay_worker *w)
{
	auto_free struct relay_server *s = calloc(1, sizeof(*s));
	auto_close int epoll = epoll_create1(EPOLL_CLOEXEC);
	int r;

	if (w->supervisor >= 0)
		close(take_fd(w->supervisor));
	if (!s)
		return -ENOMEM;
	if (epoll < 0)
		return -errno;
	if (w->conns_max == 0)
		return -EMFILE;
	for (size_t i = 0; i < RELAY_CONNS_MAX; i++)
		s->conn[i] = (struct relay_conn){ .client = -1, .server = -1 };
	s->w = w;
	s->epoll = epoll;
	r = relay_watch(s, w->channel, RELAY_CHANNEL, NULL);
	if (r == 0)
		r = watch_listeners(s);
	if (r == 0)
		r = serve(s);
	for (size_t i = 0; i < RELAY_CONNS_MAX; i++)
		if (s->conn[i].state != RELAY_FREE)
			relay_conn_cut(s, &s->conn[i]);
	return r;
}
