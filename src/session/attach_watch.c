/* SPDX-License-Identifier: MIT */
/* One loop serves the fence around a cgroup of others: its resolver, its events, its clock, its
 * control socket, our signals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "net/attached.h"
#include "net/fence.h"
#include "session/attach.h"
#include "session/live.h"
#include "session/log.h"

#define EVENTS_MAX 16
#define SOURCES_MAX (12 + CONTROL_PEERS_MAX)

struct watch {
	struct attachment *a;
	struct session *s;
	int epoll;
	int signals;
	int timer;
	sigset_t old_mask;
};

typedef void (*handler)(struct watch *w);

static const int WATCHED[] = { SIGINT, SIGTERM, SIGHUP };
static const int IGNORED[] = { SIGPIPE, SIGXFSZ }; /* they cost lines, not the fence */

static void end(struct watch *w, enum attach_end why)
{
	if (w->a->end == ATTACH_RUNS)
		w->a->end = why;
}

static void listen_to(const struct watch *w, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (fd >= 0)
		epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev);
}

static void forget(const struct watch *w, int fd)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void on_signal(struct watch *w)
{
	struct signalfd_siginfo info;
	struct pinfold_error e = { 0 };

	if (read(w->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGHUP)
		end(w, ATTACH_ASKED);
	else if (w->s->is_recorded && record_reopen(w->s->record, &e) < 0)
		log_degraded(w->s, "record", e.text);
}

static void on_tick(struct watch *w)
{
	uint64_t ticks;

	if (read(w->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return;
	net_fence_tick(w->s->net);
	record_tick(w->s->record);
	control_tick(&w->s->control, clock_us());
	if (attach_cgroup_is_gone(&w->a->cgroup))
		end(w, ATTACH_GONE);
	else if (net_attached(w->a->cgroup.fd, NET_DIRECT) == 0)
		end(w, ATTACH_LOST);
}

static void on_dns(struct watch *w)
{
	if (session_dns_notes(w->s) < 0)
		forget(w, w->s->dns.supervisor);
}

static void on_worker_end(struct watch *w)
{
	forget(w, w->s->worker_pidfd);
	if (session_worker_ended(w->s) < 0)
		return;
	listen_to(w, w->s->dns.supervisor);
	listen_to(w, w->s->worker_pidfd);
}

static void on_relay(struct watch *w)
{
	if (session_relay_notes(w->s) < 0)
		forget(w, w->s->relay.supervisor);
}

static void on_relay_end(struct watch *w)
{
	forget(w, w->s->relay.supervisor);
	forget(w, w->s->relay_pidfd);
	session_relay_ended(w->s);
	listen_to(w, w->s->relay.supervisor);
	listen_to(w, w->s->relay_pidfd);
}

static void on_net_event(struct watch *w)
{
	net_fence_read_events(w->s->net, log_net_event, w->s);
}

static void on_host_change(struct watch *w)
{
	net_fence_read_host(w->s->net);
}

static void on_control(struct watch *w)
{
	int peer = control_accept(&w->s->control, clock_us());

	if (peer >= 0)
		listen_to(w, w->s->control.peer[peer].fd);
}

static void on_peer(struct watch *w)
{
	session_serve_control(w->s);
	if (w->s->kill_wanted)
		end(w, ATTACH_DETACHED);
}

struct source {
	int fd;
	handler fn;
};

/* What is listened to right now; descriptors that are absent are -1. */
static size_t list_sources(const struct watch *w, struct source ret[static SOURCES_MAX])
{
	const struct session *s = w->s;
	const struct source sources[] = {
		{ w->signals, on_signal },
		{ w->timer, on_tick },
		{ s->dns.supervisor, on_dns },
		{ s->worker_pidfd, on_worker_end },
		{ s->relay.supervisor, on_relay },
		{ s->relay_pidfd, on_relay_end },
		{ net_fence_event_fd(s->net), on_net_event },
		{ net_fence_host_fd(s->net), on_host_change },
		{ s->control.listener, on_control },
	};
	size_t n = ARRAY_SIZE(sources);

	_Static_assert(ARRAY_SIZE(sources) + CONTROL_PEERS_MAX <= SOURCES_MAX,
		       "room for every source");
	memcpy(ret, sources, sizeof(sources));
	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++)
		ret[n++] = (struct source){ s->control.peer[i].fd, on_peer };
	return n;
}

static handler handler_of(const struct watch *w, int fd)
{
	struct source sources[SOURCES_MAX];
	size_t n = list_sources(w, sources);

	for (size_t i = 0; i < n; i++)
		if (sources[i].fd == fd)
			return sources[i].fn;
	return NULL;
}

static int open_watch(struct watch *w)
{
	struct itimerspec every_second = { .it_value.tv_sec = 1, .it_interval.tv_sec = 1 };
	struct source sources[SOURCES_MAX];
	sigset_t heard;
	sigset_t mask;
	size_t n;

	sigemptyset(&heard);
	for (size_t i = 0; i < ARRAY_SIZE(WATCHED); i++)
		sigaddset(&heard, WATCHED[i]);
	mask = heard;
	for (size_t i = 0; i < ARRAY_SIZE(IGNORED); i++)
		sigaddset(&mask, IGNORED[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &w->old_mask) < 0)
		return -errno;
	w->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->signals < 0 || w->timer < 0 || w->epoll < 0 ||
	    timerfd_settime(w->timer, 0, &every_second, NULL) < 0)
		return -errno;
	n = list_sources(w, sources);
	for (size_t i = 0; i < n; i++)
		listen_to(w, sources[i].fd);
	return 0;
}

static int serve(struct watch *w, struct pinfold_error *e)
{
	struct epoll_event ev[EVENTS_MAX];

	while (w->a->end == ATTACH_RUNS) {
		int n = epoll_wait(w->epoll, ev, EVENTS_MAX, -1);

		if (n < 0 && errno != EINTR)
			return err_set(e, -errno, "cannot wait for the cgroup: %s",
				       strerror(errno));
		for (int i = 0; i < n; i++) {
			handler fn = handler_of(w, ev[i].data.fd);

			if (fn)
				fn(w);
		}
	}
	return 0;
}

int attach_watch(struct attachment *a, struct pinfold_error *e)
{
	struct watch w = { .a = a, .s = &a->s, .epoll = -1, .signals = -1, .timer = -1 };
	int r = open_watch(&w);

	if (r < 0)
		err_set(e, r, "cannot watch the cgroup: %s", strerror(-r));
	else
		r = serve(&w, e);
	clean_close(&w.epoll);
	clean_close(&w.timer);
	clean_close(&w.signals);
	sigprocmask(SIG_SETMASK, &w.old_mask, NULL);
	return r;
}
