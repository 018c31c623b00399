/* SPDX-License-Identifier: MIT */
/*
 * DOC: the worker process: one thread, one epoll, one allocation.  Nothing here blocks: not for an
 * upstream, not for a client, not for the supervisor.
 *
 * What dns_worker_run() needs of the kernel, and all that its filter has to let through:
 *
 *	socket (AF_INET, AF_INET6; SOCK_STREAM, SOCK_DGRAM; protocol 0), connect, accept4,
 *	recvfrom, sendto, close, epoll_create1, epoll_ctl, epoll_wait, epoll_pwait, getrandom,
 *	clock_gettime, brk, mmap, munmap, rt_sigreturn, restart_syscall, exit,
 *	exit_group; prlimit64 (its own RLIMIT_NOFILE) is tried and may be refused
 *
 * It opens no file and needs no descriptors but those in struct dns_worker.
 */
#include "dns/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "dns/server.h"

#define EVENTS_AT_ONCE 64
#define RULINGS_AT_ONCE 256
#define TICK_MS 1000

/* Beside tries: the clients, and a few.  With the usual limit of 1024, every flight has its try,
 * and most have two. */
#define DESCRIPTORS_BESIDE (DNS_CLIENTS_MAX + 64)
#define DESCRIPTORS (DNS_FLIGHTS_MAX * DNS_TRIES + DESCRIPTORS_BESIDE)
#define DESCRIPTORS_USUAL 1024

void dns_server_due(struct dns_server *s, uint64_t ms)
{
	if (ms < s->due_ms)
		s->due_ms = ms;
}

/* epoll carries 64 bits for us: kind, generation and index. */
static uint64_t pack(const struct dns_event *ev)
{
	return (uint64_t)ev->kind << 56 | (uint64_t)(ev->generation & DNS_GENERATION_MASK) << 32 |
	       ev->index;
}

static struct dns_event unpack(const struct epoll_event *from)
{
	return (struct dns_event){
		.kind = (enum dns_event_kind)(from->data.u64 >> 56),
		.generation = (uint32_t)(from->data.u64 >> 32) & DNS_GENERATION_MASK,
		.index = (uint32_t)from->data.u64,
		.events = from->events,
	};
}

int dns_server_watch(const struct dns_server *s, int op, int fd, const struct dns_event *ev)
{
	struct epoll_event to = { .events = ev->events, .data.u64 = pack(ev) };

	return epoll_ctl(s->epoll, op, fd, &to) < 0 ? -errno : 0;
}

static void set_now(struct dns_server *s)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	s->now_ms = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int watch_one(const struct dns_server *s, int fd, enum dns_event_kind kind)
{
	const struct dns_event ev = {
		.kind = kind,
		.index = (uint32_t)fd,
		.events = EPOLLIN,
	};

	return fd < 0 ? 0 : dns_server_watch(s, EPOLL_CTL_ADD, fd, &ev);
}

static int watch_listeners(const struct dns_server *s)
{
	const struct dns_worker *w = s->w;
	int err = watch_one(s, w->channel, DNS_EVENT_CHANNEL);

	for (size_t i = 0; i < DNS_PORTS && err == 0; i++) {
		err = watch_one(s, w->udp4[i], DNS_EVENT_UDP);
		if (err == 0)
			err = watch_one(s, w->udp6[i], DNS_EVENT_UDP);
	}
	if (err == 0)
		err = watch_one(s, w->tcp4, DNS_EVENT_LISTEN);
	return err < 0 ? err : watch_one(s, w->tcp6, DNS_EVENT_LISTEN);
}

int dns_server_new(struct dns_worker *w, struct dns_server **ret)
{
	struct dns_server *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (!s)
		return err;
	s->w = w;
	s->free_waiter = DNS_NONE; /* the tables are set up where they are first used */
	set_now(s);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		err = -errno;
	else if (getrandom(&s->seed, sizeof(s->seed), 0) != (ssize_t)sizeof(s->seed))
		err = -EIO;
	if (err == 0)
		err = dns_gate_prepare(&s->gate, w->policy, s->seed);
	if (err == 0)
		err = watch_listeners(s);
	if (err < 0) {
		dns_server_free(s);
		return err;
	}
	s->notes.channel = w->channel;
	s->notes.seed = s->seed;
	*ret = s;
	return 0;
}

void dns_server_free(struct dns_server *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < DNS_FLIGHTS_MAX; i++)
		if (s->flight_hash[i] != 0)
			dns_upstream_stop(s, &s->flight[i]);
	for (size_t i = 0; i < s->fresh_client; i++)
		dns_client_close(&s->client[i]);
	dns_gate_done(&s->gate);
	if (s->epoll >= 0)
		close(s->epoll);
	free(s);
}

/* Rulings of the supervisor.  -EPIPE: it is gone. */
static int read_channel(struct dns_server *s, const struct dns_event *ev)
{
	for (unsigned i = 0; i < RULINGS_AT_ONCE; i++) {
		struct dns_ruling ruling;
		ssize_t n = recv(s->w->channel, &ruling, sizeof(ruling), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0)
			return -EPIPE;
		if (n == (ssize_t)sizeof(ruling))
			dns_flight_ruling(s, &ruling);
	}
	if (ev->events & EPOLLOUT)
		dns_flight_tell(s);
	return 0;
}

static int dispatch(struct dns_server *s, const struct dns_event *ev)
{
	switch (ev->kind) {
	case DNS_EVENT_CHANNEL:
		return read_channel(s, ev);
	case DNS_EVENT_UDP:
		dns_client_datagrams(s, (int)ev->index);
		return 0;
	case DNS_EVENT_LISTEN:
		dns_client_accept(s, (int)ev->index);
		return 0;
	case DNS_EVENT_CLIENT:
		dns_client_event(s, ev);
		return 0;
	case DNS_EVENT_TRY:
		dns_upstream_event(s, ev);
		return 0;
	case DNS_EVENT_MAX:
	default:
		return -EINVAL;
	}
}

static void tick(struct dns_server *s)
{
	if (s->now_ms < s->due_ms)
		return;
	s->due_ms = s->now_ms + TICK_MS;
	dns_flight_tick(s);
	dns_client_tick(s);
	dns_notes_tick(&s->notes, s->now_ms);
}

static int serve(struct dns_server *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	for (;;) {
		int wait_ms = s->due_ms > s->now_ms ? (int)(s->due_ms - s->now_ms) : 0;
		int n = epoll_wait(s->epoll, events, EVENTS_AT_ONCE, wait_ms);

		if (n < 0 && errno != EINTR)
			return -errno;
		set_now(s);
		for (int i = 0; i < n; i++) {
			const struct dns_event ev = unpack(&events[i]);
			int err = dispatch(s, &ev);

			if (err < 0)
				return err == -EPIPE ? 0 : err;
		}
		dns_client_resume(s);
		tick(s);
		dns_client_resume(s);
	}
}

/* As far as the hard limit goes.  A filter may refuse even the question. */
static size_t raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return DESCRIPTORS_USUAL;
	if (limit.rlim_cur < DESCRIPTORS && limit.rlim_cur < limit.rlim_max) {
		struct rlimit more = limit;

		more.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			limit = more;
	}
	return limit.rlim_cur < DESCRIPTORS ? limit.rlim_cur : DESCRIPTORS;
}

int dns_worker_run(struct dns_worker *w)
{
	struct dns_server *s = NULL;
	size_t descriptors;
	int err;

	if (w->n_upstream == 0 || w->n_upstream > DNS_UPSTREAMS_MAX)
		return -EINVAL;
	if (w->supervisor >= 0)
		close(w->supervisor);
	w->supervisor = -1;
	descriptors = raise_descriptor_limit();
	if (descriptors <= DESCRIPTORS_BESIDE)
		return -EMFILE;
	err = dns_server_new(w, &s);
	if (err < 0)
		return err;
	s->tries_max = descriptors - DESCRIPTORS_BESIDE;
	err = serve(s);
	dns_server_free(s);
	return err;
}
