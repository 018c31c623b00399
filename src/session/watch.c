/* SPDX-License-Identifier: MIT */
/* One loop serves a running session: its init, its resolver, its events, its clock, our signals. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/landlock.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/guard.h"
#include "net/fence.h"
#include "policy/policy.h"
#include "session/explain.h"
#include "session/link.h"
#include "session/live.h"
#include "session/log.h"
#include "session/look.h"
#include "session/session.h"
#include "session/terminal.h"

/* Between asking the command to end and killing it: with the clock's second and the end itself,
 * everything is gone within five seconds. */
#define GRACE_US (3 * 1000000ULL)
#define STOP_GRACE_NS 100000000 /* an editor puts the screen back before it stops */
#define STOP_ECHO_US 500000     /* a stop that we saw is told by init as well */
#define EVENTS_MAX 16
#define SOURCES_MAX (16 + CONTROL_PEERS_MAX)

struct watch {
	struct session *s;
	int epoll;
	int signals;
	int timer;
	uint64_t kill_at_us;    /* 0: not asked to end */
	uint64_t timeout_at_us; /* 0: none */
	int exec_error;
	int dir_error;
	bool init_gone;
	struct terminal terminal; /* as it was when the session began */
	struct hangup hangup;
	uint64_t stop_was_heard_us; /* what init told of the same stop is old by then */
	sigset_t old_mask;
	struct pinfold_error *e;
};

/* Each handles one readable descriptor; a negative result ends the session. */
typedef int (*handler)(struct watch *w);

static const int WATCHED_SIGNALS[] = { SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
				       SIGUSR2, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU };

/* ---- the command's end ---------------------------------------------------------------------- */

static void ask_to_end(struct watch *w, int sig)
{
	struct link_message m = { .word = LINK_SIGNAL, .value = sig };

	link_send(w->s->link, &m);
	if (!w->kill_at_us)
		w->kill_at_us = clock_us() + GRACE_US;
}

static bool is_stop(uint32_t sig)
{
	return sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* A session on a terminal can have its whole process group stopped, us as well (it reads or changes
 * the terminal from the background).  So nothing inside runs while nobody watches. */
static void stop_together(struct watch *w, int sig)
{
	struct timespec grace = { .tv_nsec = STOP_GRACE_NS };

	if (sig == SIGTSTP)
		nanosleep(&grace, NULL);
	if (cgroup_freeze(&w->s->cgroup, CGROUP_FROZEN) < 0)
		return;
	terminal_stop(sig);
	cgroup_freeze(&w->s->cgroup, CGROUP_RUNNING);
	w->stop_was_heard_us = clock_us();
}

/* The command alone has stopped: by itself (an editor that was asked to suspend has the terminal in
 * raw mode and no signal reaches us), and its reach does not go as far as us.  The shell outside
 * is to have the terminal. */
static void stop_with_command(struct watch *w)
{
	struct link_message go_on = { .word = LINK_SIGNAL, .value = SIGCONT };
	struct pollfd ours = { .fd = w->signals, .events = POLLIN };
	pid_t front = tcgetpgrp(STDIN_FILENO);

	if (!terminal_has_shell(&w->terminal) || clock_us() - w->stop_was_heard_us < STOP_ECHO_US ||
	    poll(&ours, 1, 0) > 0)
		return;
	stop_together(w, SIGTSTP);
	/* Whoever had the foreground inside has it again. */
	if (front > 0 && front != getpgrp() && tcgetpgrp(STDIN_FILENO) == getpgrp())
		tcsetpgrp(STDIN_FILENO, front);
	link_send(w->s->link, &go_on);
}

static int on_link(struct watch *w)
{
	struct link_message m;
	int r = link_receive(w->s->link, &m);

	if (r == -EAGAIN)
		return 0;
	if (r < 0) {
		/* Init is gone or talks nonsense; its own end (below) tells the rest. */
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->link, NULL);
		cgroup_kill(&w->s->cgroup);
		return 0;
	}
	if (m.word == LINK_EXEC_FAILED && !w->exec_error)
		w->exec_error = m.error < 0 ? m.error : -EPROTO;
	if (m.word == LINK_DIR_FAILED && !w->dir_error)
		w->dir_error = m.error < 0 ? m.error : -EPROTO;
	if (m.word == LINK_FAILED && !w->exec_error)
		return err_set(w->e, m.error < 0 ? m.error : -EPROTO,
			       "cannot start a process in the pen: %s (is limits.pids too low?)",
			       strerror(-m.error));
	if (m.word == LINK_STOPPED)
		stop_with_command(w);
	if (m.word == LINK_ENDED) {
		w->s->wait_status = m.value;
		w->s->ended = true;
	}
	return 0;
}

static int on_init_end(struct watch *w)
{
	int status = 0;

	/* What it said last is read first. */
	while (!w->s->ended && on_link(w) == 0) {
		char probe;

		if (recv(w->s->link, &probe, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
			break;
	}
	if (waitpid(w->s->init, &status, __WALL) != w->s->init)
		status = SIGKILL; /* nobody knows any more, and it was no success */
	w->s->init_reaped = true;
	if (!w->s->ended) {
		w->s->wait_status = status;
		w->s->ended = true;
	}
	w->init_gone = true;
	return 0;
}

/* ---- signals of ours ------------------------------------------------------------------------ */

/* Ctrl-C on a terminal reaches the command by itself: it is in the same process group. */
static bool came_from_terminal(const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL;
}

/* Rotation is no business of the command: it hears nothing of it. */
static void on_hangup(struct watch *w, int code)
{
	struct pinfold_error e = { 0 };
	bool ends = hangup_is_real(&w->hangup, code);

	if (ends || (!w->s->is_recorded && !w->hangup.is_ignored))
		ask_to_end(w, SIGHUP);
	else if (w->s->is_recorded && record_reopen(w->s->record, &e) < 0)
		log_degraded(w->s, "record", e.text);
}

static int on_signal(struct watch *w)
{
	struct signalfd_siginfo info;

	if (read(w->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (is_stop(info.ssi_signo)) {
		stop_together(w, (int)info.ssi_signo);
		return 0;
	}
	if (info.ssi_signo == SIGHUP) {
		on_hangup(w, info.ssi_code);
	} else if (info.ssi_signo == SIGTERM) {
		ask_to_end(w, SIGTERM);
	} else if (!came_from_terminal(&info)) {
		struct link_message m = { .word = LINK_SIGNAL, .value = (int)info.ssi_signo };

		link_send(w->s->link, &m);
	}
	return 0;
}

/* ---- the clock ------------------------------------------------------------------------------ */

static int on_tick(struct watch *w)
{
	uint64_t now = clock_us();
	uint64_t ticks;

	if (read(w->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return 0;
	net_fence_tick(w->s->net);
	record_tick(w->s->record);
	control_tick(&w->s->control, now);
	if (w->s->landlock) /* what still waits for its companion records is handed on */
		landlock_audit_read(w->s->landlock, log_is_ours, log_landlock_denial, w->s);
	if (w->timeout_at_us && now >= w->timeout_at_us && !w->s->timed_out) {
		w->s->timed_out = true;
		ask_to_end(w, SIGTERM);
	}
	if (!w->kill_at_us && hangup_followed(&w->hangup))
		ask_to_end(w, SIGHUP);
	if (w->kill_at_us && now >= w->kill_at_us)
		cgroup_kill(&w->s->cgroup);
	return 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

static int listen_to(struct watch *w, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0)
		return 0;
	return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

static int on_dns(struct watch *w)
{
	if (session_dns_notes(w->s) < 0)
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->dns.supervisor, NULL);
	return 0;
}

static int on_worker_end(struct watch *w)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->worker_pidfd, NULL);
	if (session_worker_ended(w->s) == 0) {
		listen_to(w, w->s->dns.supervisor);
		listen_to(w, w->s->worker_pidfd);
	}
	return 0;
}

/* ---- the relay ------------------------------------------------------------------------------ */

static int on_relay(struct watch *w)
{
	if (session_relay_notes(w->s) < 0)
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->relay.supervisor, NULL);
	return 0;
}

static int on_relay_end(struct watch *w)
{
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->relay.supervisor, NULL);
	epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->s->relay_pidfd, NULL);
	session_relay_ended(w->s);
	listen_to(w, w->s->relay.supervisor);
	listen_to(w, w->s->relay_pidfd);
	return 0;
}

/* ---- events --------------------------------------------------------------------------------- */

static int on_net_event(struct watch *w)
{
	net_fence_read_events(w->s->net, log_net_event, w->s);
	return 0;
}

static int on_host_change(struct watch *w)
{
	net_fence_read_host(w->s->net);
	return 0;
}

static int on_landlock(struct watch *w)
{
	if (landlock_audit_read(w->s->landlock, log_is_ours, log_landlock_denial, w->s) == -ENOBUFS)
		log_lost(w->s, "file denials", 1);
	return 0;
}

static int on_guard(struct watch *w)
{
	/* It is gone, and the kernel ends the pen: init's end tells the rest. */
	if (session_hear_guard(w->s) < 0)
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, guard_fd(w->s->guard), NULL);
	return 0;
}

static int on_look(struct watch *w)
{
	/* Nobody is left who could make a call. */
	if (look_serve(w->s) == -EPIPE)
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, look_fd(w->s->look), NULL);
	return 0;
}

static int on_look_gate(struct watch *w)
{
	look_serve_gate(w->s);
	return 0;
}

/* ---- control -------------------------------------------------------------------------------- */

static int on_peer(struct watch *w)
{
	session_serve_control(w->s);
	if (w->s->kill_wanted)
		ask_to_end(w, SIGTERM);
	return 0;
}

static int on_control(struct watch *w)
{
	int peer = control_accept(&w->s->control, clock_us());

	return peer < 0 ? 0 : listen_to(w, w->s->control.peer[peer].fd);
}

/* ---- the loop ------------------------------------------------------------------------------- */

struct source {
	int fd;
	handler fn;
};

/* What is listened to right now; descriptors that are absent are -1. */
static size_t list_sources(const struct watch *w, struct source ret[static SOURCES_MAX])
{
	const struct session *s = w->s;
	const struct source sources[] = {
		{ s->link, on_link },
		{ s->init_pidfd, on_init_end },
		{ w->signals, on_signal },
		{ w->timer, on_tick },
		{ s->dns.supervisor, on_dns },
		{ s->worker_pidfd, on_worker_end },
		{ s->relay.supervisor, on_relay },
		{ s->relay_pidfd, on_relay_end },
		{ net_fence_event_fd(s->net), on_net_event },
		{ net_fence_host_fd(s->net), on_host_change },
		{ guard_fd(s->guard), on_guard },
		{ look_fd(s->look), on_look },
		{ look_gate_fd(s->look), on_look_gate },
		{ s->landlock ? landlock_audit_fd(s->landlock) : -1, on_landlock },
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
	sigset_t mask;
	size_t n;
	int r = 0;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(WATCHED_SIGNALS); i++)
		sigaddset(&mask, WATCHED_SIGNALS[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &w->old_mask) < 0)
		return -errno;
	w->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->signals < 0 || w->timer < 0 || w->epoll < 0 ||
	    timerfd_settime(w->timer, 0, &every_second, NULL) < 0)
		return -errno;
	n = list_sources(w, sources);
	for (size_t i = 0; i < n && r == 0; i++)
		r = listen_to(w, sources[i].fd);
	return r;
}

static void close_watch(struct watch *w)
{
	if (w->epoll >= 0)
		close(w->epoll);
	if (w->timer >= 0)
		close(w->timer);
	if (w->signals >= 0)
		close(w->signals);
	sigprocmask(SIG_SETMASK, &w->old_mask, NULL);
}

static int serve(struct watch *w)
{
	struct epoll_event ev[EVENTS_MAX];

	while (!w->init_gone) {
		int n = epoll_wait(w->epoll, ev, EVENTS_MAX, -1);

		if (n < 0 && errno != EINTR)
			return err_set(w->e, -errno, "cannot wait for the session: %s",
				       strerror(errno));
		for (int i = 0; i < n; i++) {
			handler fn = handler_of(w, ev[i].data.fd);
			int r = fn ? fn(w) : 0;

			if (r < 0)
				return r;
		}
	}
	return 0;
}

int session_watch(struct session *s, struct pinfold_error *e)
{
	struct watch w = { .s = s, .epoll = -1, .signals = -1, .timer = -1, .e = e };
	int r;

	if (s->policy->limits.timeout_ms)
		w.timeout_at_us = clock_us() + s->policy->limits.timeout_ms * 1000;
	terminal_note(&w.terminal);
	hangup_note(&w.hangup);
	r = open_watch(&w);
	if (r < 0)
		err_set(e, r, "cannot watch the session: %s", strerror(-r));
	else
		r = serve(&w);
	close_watch(&w);
	terminal_restore(&w.terminal);
	if (r == 0 && w.dir_error)
		return err_set(
		    e, w.dir_error,
		    "cannot enter '%.100s' as uid %u: %s; give it to that uid (chown), or, unless "
		    "root owns it, set identity.uid to its owner",
		    fs_fence_start_dir(s->fs, s->context->cwd), (unsigned)s->identity.uid,
		    strerror(-w.dir_error));
	return r < 0 ? r : explain_result(s, w.exec_error, e);
}
