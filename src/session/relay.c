/* SPDX-License-Identifier: MIT */
/*
 * The relay's process, and what it asks: connections to servers whose name is to be verified.  It
 * has even less than the DNS worker: an uid of its own, no file, and no call that opens a
 * connection.  Those are made here, after the name was judged, and handed over.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"
#include "net/fence.h"
#include "policy/policy.h"
#include "session/attach_old.h"
#include "session/log.h"
#include "session/session.h"

#define RELAY_UID 1346981447 /* next to the DNS worker's: neither can touch the other */
#define RELAY_STARTS_MAX 100
#define NOTES_AT_ONCE 64

bool session_wants_relay(const struct policy *p)
{
	for (size_t i = 0; i < p->net.allow.n; i++)
		if (p->net.allow.rule[i].verify_sni)
			return true;
	return false;
}

static _Noreturn void be_relay(struct session *s)
{
	int keep[] = { s->relay.tcp4, s->relay.tcp6, s->relay.channel };

	prctl(PR_SET_NAME, "pinfold-relay");
	relay_worker_limits(&s->relay);
	if (session_confine_helper(&s->relay_filter, RELAY_UID, keep, ARRAY_SIZE(keep)) < 0)
		_exit(1);
	s->relay.supervisor = -1; /* closed above */
	_exit(relay_worker_run(&s->relay) < 0);
}

static int start(struct session *s, struct pinfold_error *e)
{
	s->relay_starts++;
	s->relay_pid = fork();
	if (s->relay_pid == 0)
		be_relay(s);
	relay_worker_started(&s->relay);
	if (s->relay_pid < 0)
		return err_set(e, -errno, "cannot start the relay: %s", strerror(errno));
	s->relay_pidfd = (int)syscall(SYS_pidfd_open, s->relay_pid, 0);
	if (s->relay_pidfd < 0)
		return err_set(e, -errno, "cannot watch the relay: %s", strerror(errno));
	return 0;
}

int session_prepare_relay(struct session *s, struct pinfold_error *e)
{
	int r;

	if (!session_wants_relay(s->policy))
		return 0;
	r = relay_worker_prepare(&s->relay, e);
	return r < 0 ? r : start(s, e);
}

static int restart(struct session *s, struct pinfold_error *e)
{
	int r;

	if (s->relay_starts >= RELAY_STARTS_MAX)
		return err_set(e, -ELOOP, "the relay ended %d times", RELAY_STARTS_MAX);
	r = relay_worker_renew(&s->relay, e);
	return r < 0 ? r : start(s, e);
}

void session_relay_ended(struct session *s)
{
	struct pinfold_error e = { 0 };

	if (s->relay_pidfd >= 0)
		close(take_fd(s->relay_pidfd));
	if (s->relay_pid > 0)
		waitpid(s->relay_pid, NULL, 0);
	s->relay_pid = 0;
	if (!s->relay_renewed)
		log_degraded(s, "relay",
			     "the process that verifies server names ended and is started again");
	s->relay_starts = s->relay_renewed ? 1 : s->relay_starts;
	s->relay_renewed = false;
	if (restart(s, &e) == 0)
		return;
	/* The port is given up, so the kernel must know first. */
	log_degraded(s, "relay", e.text);
	if (net_fence_no_relay(s->net) == 0)
		relay_worker_done(&s->relay);
}

/* From the network that the client lives in. */
static int dial(const struct session *s, const struct net_verified *v)
{
	int back;
	int fd = old_enter_netns(s->netns, &back);

	if (fd == 0)
		fd = relay_dial(&v->addr, v->port);
	old_leave_netns(back);
	return fd;
}

/* A name that is right leads to the server; whether that answers is between the two. */
static void rule(struct session *s, const struct relay_note *note)
{
	struct net_verified v;
	auto_close int server = -1;

	net_fence_verify(s->net, &note->addr, note->port, note->name, &v);
	if (v.reason == PF_ALLOW_VERIFY || v.observed)
		server = dial(s, &v);
	if (relay_ruling_send(&s->relay, note->id, server >= 0 ? server : -1) < 0)
		child_kill(s->relay_pid); /* its end is seen by the loop */
	if (v.reason != PF_DENY_UNFILLED)
		log_verified(s, &v, note->name, relay_finding_word(RELAY_NAME));
}

static void take_note(struct session *s, const struct relay_note *note)
{
	struct net_verified v = { .reason = PF_DENY_SNI, .addr = note->addr, .port = note->port };
	const char *detail = relay_finding_word((enum relay_finding)note->finding);

	switch (note->kind) {
	case RELAY_NOTE_ASK:
		rule(s, note);
		return;
	case RELAY_NOTE_REFUSED:
		net_fence_verify(s->net, &note->addr, note->port, NULL, &v);
		if (v.reason == PF_DENY_UNFILLED)
			return;
		break;
	case RELAY_NOTE_GONE:
		net_fence_forget_relayed(s->net, &note->addr, note->port);
		return;
	default:
		break;
	}
	log_verified(s, &v, note->name[0] ? note->name : NULL, detail);
}

int session_relay_notes(struct session *s)
{
	struct relay_note note;

	for (unsigned i = 0; i < NOTES_AT_ONCE; i++) {
		int r = relay_note_receive(&s->relay, &note);

		if (r == -EAGAIN)
			return 0;
		if (r < 0) {
			child_kill(s->relay_pid); /* its end is seen by the loop */
			return r;
		}
		take_note(s, &note);
	}
	return 0;
}
