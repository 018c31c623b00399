/* SPDX-License-Identifier: MIT */
/* A new policy for a session that runs: all of it is read and checked, and only its network part
 * may differ from what holds, since the other fences have closed for good. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "audit/record.h"
#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "net/fence.h"
#include "policy/parse.h"
#include "session/api.h"
#include "session/hash.h"
#include "session/live.h"
#include "session/log.h"
#include "session/session.h"

#define MEMBER_MAX 128

/* ---- what differs --------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_value(const struct json5 *a, const struct json5 *b)
{
	return a->type == b->type && same_text(a->key, b->key) && same_text(a->string, b->string) &&
	       !a->child == !b->child;
}

struct walk {
	const struct json5 *top;
	const struct json5 *at; /* NULL: the end */
	unsigned depth;
};

/* To the next value in the order written. */
static void walk_on(struct walk *w)
{
	if (w->at->child) {
		w->at = w->at->child;
		w->depth++;
		return;
	}
	while (w->at != w->top && !w->at->next) {
		w->at = w->at->parent;
		w->depth--;
	}
	w->at = w->at == w->top ? NULL : w->at->next;
}

static bool same_tree(const struct json5 *a, const struct json5 *b)
{
	struct walk x = { a, a, 0 };
	struct walk y = { b, b, 0 };

	while (x.at && y.at && x.depth == y.depth && same_value(x.at, y.at)) {
		walk_on(&x);
		walk_on(&y);
	}
	return !x.at && !y.at;
}

/* The first member of a that b has not, or not so; NULL: none. */
static const struct json5 *member_unlike(const struct json5 *a, const struct json5 *b)
{
	for (const struct json5 *m = a->child; m; m = m->next) {
		const struct json5 *other = json5_member(b, m->key);

		if (strcmp(m->key, "network") != 0 && (!other || !same_tree(m, other)))
			return m;
	}
	return NULL;
}

static const struct json5 *find_difference(const struct json5 *a, const struct json5 *b)
{
	const struct json5 *m = member_unlike(a, b);
	const struct json5 *other = m ? json5_member(b, m->key) : NULL;
	const struct json5 *inner = NULL;

	if (!m)
		return member_unlike(b, a);
	if (other && m->type == JSON5_OBJECT && other->type == JSON5_OBJECT) {
		inner = member_unlike(m, other);
		inner = inner ? inner : member_unlike(other, m);
	}
	return inner ? inner : m;
}

static int canonical_tree(const struct policy *p, struct json5 **ret, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	int r = policy_print(p, &text);

	if (r < 0)
		return err_set(e, r, "out of memory");
	return json5_parse(text, strlen(text), p->source, ret, e);
}

static int refuse_other_changes(const struct session *s, const struct policy *next,
				struct pinfold_error *e)
{
	const struct policy *now = s->policy;
	const bool has_relay = s->relay_pid > 0;
	const struct json5 *difference;
	struct json5 *a = NULL;
	struct json5 *b = NULL;
	char member[MEMBER_MAX];
	int r = canonical_tree(now, &a, e);

	if (r == 0)
		r = canonical_tree(next, &b, e);
	difference = r == 0 ? find_difference(b, a) : NULL;
	if (difference) {
		json5_path(difference, member, sizeof(member));
		r = err_set(e, -EINVAL, "%.100s: %s needs a new session to change", next->source,
			    member);
	}
	json5_free(a);
	json5_free(b);
	if (r < 0)
		return r;
	if (session_wants_relay(next) && !has_relay)
		return err_set(e, -EINVAL,
			       "%.100s: the first entry with \"verify\" needs a new session",
			       next->source);
	if (next->net.icmp && !now->net.icmp)
		return err_set(e, -EINVAL,
			       "%.100s: network.icmp needs a new session to be switched on",
			       next->source);
	return 0;
}

/* ---- the file ------------------------------------------------------------------------------- */

static int read_checked(const struct session *s, const char *file, struct policy *ret,
			struct pinfold_error *e)
{
	auto_free char *real = realpath(file, NULL);
	struct policy p = { 0 };
	struct stat st;
	int r;

	if (!real || stat(real, &st) < 0)
		return err_set(e, -EINVAL, "cannot read the policy '%s': %s", file,
			       strerror(errno));
	if (!S_ISREG(st.st_mode)) /* reading anything else might never end */
		return err_set(e, -EINVAL, "the policy '%s' is no file", real);
	r = path_set_refuse_writable(&s->paths, real, "the policy", e);
	if (r == 0)
		r = session_read_policy(s->context, real, &p, e);
	if (r == 0)
		r = refuse_other_changes(s, &p, e);
	if (r == 0 && p.net.dns.n_upstream > DNS_UPSTREAMS_MAX)
		r = err_set(e, -EINVAL, "%.100s: network.dns.upstream: at most %d servers",
			    p.source, DNS_UPSTREAMS_MAX);
	if (r < 0) {
		policy_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

/* Connections through the relay were let through by the names they gave, which only they know. */
static bool relayed_may_change(const struct policy *now, const struct policy *next)
{
	const struct net_rules *a = &now->net.allow;
	const struct net_rules *b = &next->net.allow;

	if (a->n != b->n || now->net.deny.n != next->net.deny.n)
		return true;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->rule[i].text, b->rule[i].text) != 0 ||
		    a->rule[i].verify_sni != b->rule[i].verify_sni)
			return true;
	for (size_t i = 0; i < now->net.deny.n; i++)
		if (strcmp(now->net.deny.rule[i].text, next->net.deny.rule[i].text) != 0)
			return true;
	return false;
}

/* ---- taking it over ------------------------------------------------------------------------- */

/* The resolver learns the policy by being born again; the loop sees its end and starts the next.
 * Its sockets stay, with the questions that wait in them. */
static void renew_resolver(struct session *s)
{
	siginfo_t info;

	s->dns.policy = s->policy;
	s->worker_starts = 1;
	s->worker_renewed = true;
	if (s->worker <= 0)
		return;
	child_kill(s->worker);
	/* Dead before the reload is told to be done, so that nothing is answered by the old one. */
	waitid(P_PID, (id_t)s->worker, &info, WEXITED | WNOWAIT);
}

static int take_over(struct session *s, struct policy *next, struct pinfold_error *e)
{
	struct policy *own = malloc(sizeof(*own));
	int r;

	if (!own)
		return err_set(e, -ENOMEM, "out of memory");
	*own = *next;
	net_fence_read_events(s->net, log_net_event, s); /* they speak of the rules until now */
	r = net_fence_reload(s->net, own, e);
	if (r < 0) {
		free(own);
		return r;
	}
	/* All of them end with the relay's process; the loop starts the next. */
	if (own->net.on_revoke == REVOKE_CUT && s->relay_pid > 0 &&
	    relayed_may_change(s->policy, own)) {
		s->relay_renewed = true;
		child_kill(s->relay_pid);
	}
	*next = (struct policy){ 0 };
	s->policy = own;
	renew_resolver(s);
	if (s->reloaded) {
		policy_done(s->reloaded);
		free(s->reloaded);
	}
	s->reloaded = own;
	s->generation++;
	return 0;
}

static void log_reload(struct session *s, const char *file, const struct pinfold_error *e)
{
	struct record_line *l = record_begin(s->record, "policy_reload");
	char hash[HASH_TEXT_LEN + 1];

	record_text(l, "result", e ? "rejected" : "ok");
	record_text(l, "policy", file);
	record_number(l, "generation", s->generation);
	if (hash_policy(s->policy, hash) == 0)
		record_text(l, "hash", hash);
	record_text(l, "error", e ? e->text : NULL);
	record_end(l);
}

int session_reload(struct session *s, const char *file, struct pinfold_error *e)
{
	struct policy next = { 0 };
	int r;

	if (s->observe)
		r = err_set(
		    e, -EINVAL,
		    "a session that observes takes no other policy; end it and start another");
	else
		r = read_checked(s, file, &next, e);
	if (r == 0)
		r = take_over(s, &next, e);
	policy_done(&next);
	log_reload(s, file, r < 0 ? e : NULL);
	if (r < 0)
		return r;
	if (s->policy->net.on_revoke == REVOKE_CUT && net_fence_cut(s->net, log_net_event, s) < 0)
		log_degraded(s, "network",
			     "connections that were taken back are not closed, their packets are "
			     "dropped (CONFIG_INET_DIAG_DESTROY)");
	return 0;
}
