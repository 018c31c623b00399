/* SPDX-License-Identifier: MIT */
#include "session/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "net/fence.h"
#include "net/judge.h"
#include "policy/names.h"
#include "policy/paths.h"
#include "session/hash.h"
#include "session/look_log.h"
#include "session/made.h"
#include "session/observe.h"
#include "session/quiet.h"
#include "session/session.h"

#define FOLD_KEY_MAX 512
#define ADVICE_MAX 512

/* What the session chose (a path, a name) must not steer the reader's terminal. */
static void notify(const struct session *s, char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++) {
		bool is_c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;

		if (*c < ' ' || *c == 0x7f || is_c1)
			*c = '?';
	}
	s->notice(s->notice_data, text);
}

void log_hint(struct session *s, const char *what, const char *advice)
{
	if (!s->no_denial_notice)
		log_explanation(s, what, advice);
}

void log_explanation(struct session *s, const char *what, const char *advice)
{
	char text[ADVICE_MAX + 128];

	if (s->hinted || !s->notice)
		return;
	s->hinted = true;
	snprintf(text, sizeof(text), "%s%s%s", what, advice[0] ? "; " : "", advice);
	notify(s, text);
}

/* ---- network -------------------------------------------------------------------------------- */

static const char *net_event_name(const struct net_event *ev)
{
	if (ev->reason >= PF_ALLOW)
		return "net_allow";
	if (ev->reason == PF_DENY_BIND)
		return "bind_deny";
	if (ev->reason == PF_DENY_INBOUND)
		return "inbound_deny";
	if (ev->reason == PF_DENY_UNIX)
		return "unix_deny";
	return "net_deny";
}

/* Where the reason lies in the address, an entry with the name would not help. */
static bool is_of_address(enum pf_reason reason)
{
	return reason == PF_DENY_PRIVATE || reason == PF_DENY_LOOPBACK ||
	       reason == PF_DENY_METADATA || reason == PF_DENY_NEVER || reason == PF_DENY_RULE;
}

/* "host:port" as a policy would spell it: by the name that was asked for, if any. */
static void destination(const struct net_event *ev, char *ret, size_t size)
{
	char address[ADDR_TEXT_MAX];
	bool udp = strcmp(ev->proto, "udp") == 0;

	addr_format(&ev->addr, address);
	if (ev->name && !is_of_address(ev->reason))
		snprintf(ret, size, "%s:%u%s", ev->name, ev->port, udp ? "/udp" : "");
	else
		snprintf(ret, size, addr_is_v4(&ev->addr) ? "%s:%u%s" : "[%s]:%u%s", address,
			 ev->port, udp ? "/udp" : "");
}

static void unix_advice(const char *path, char *ret, size_t size)
{
	if (path[0] == '/')
		snprintf(ret, size, "to allow it add \"%s\" to unixSockets.allow", path);
	else
		ret[0] = '\0';
}

static void write_net_members(struct record_line *l, const struct net_event *ev, const char *advice)
{
	char address[ADDR_TEXT_MAX];

	if (ev->reason == PF_DENY_UNIX) {
		record_text(l, "path", ev->path);
	} else {
		addr_format(&ev->addr, address);
		record_text(l, "dst", address);
		record_number(l, "port", ev->port);
		record_text(l, "proto", ev->proto);
		record_text(l, "name", ev->name);
	}
	record_text(l, "op", ev->op);
	record_text(l, "rule", ev->rule ? ev->rule->text : NULL);
	record_text(l, "origin", ev->rule ? ev->rule->origin : NULL);
	record_text(l, "reason", net_reason_word(ev->reason));
	record_text(l, "detail", ev->detail);
	record_text(l, "advice", advice[0] ? advice : NULL);
	if (ev->count > 1)
		record_number(l, "count", (int64_t)ev->count);
}

/* glibc asks for nscd at every lookup of a name, and is content without: no attempt at anything. */
static bool is_everyday(const struct net_event *ev)
{
	return ev->reason == PF_DENY_UNIX && (strcmp(ev->path, "/var/run/nscd/socket") == 0 ||
					      strcmp(ev->path, "/run/nscd/socket") == 0);
}

static void write_net_event(struct session *s, const struct net_event *ev)
{
	const char *event = net_event_name(ev);
	char dst[NAME_BUF + 16];
	char advice[ADVICE_MAX] = "";
	char key[FOLD_KEY_MAX];
	char hint[FOLD_KEY_MAX];
	struct record_line *l;

	if (is_everyday(ev)) {
		s->denied.everyday += ev->count;
		return;
	}
	if (ev->reason < PF_ALLOW && ev->reason != PF_DENY_UNIX &&
	    quiet_has(&s->quiet, ev->name, &ev->addr))
		return;
	destination(ev, dst, sizeof(dst));
	snprintf(key, sizeof(key), "%d %s %s %s", ev->reason, ev->op,
		 ev->reason == PF_DENY_UNIX ? ev->path : dst, ev->rule ? ev->rule->text : "");
	if (record_fold(s->record, event, key))
		return;
	if (ev->reason == PF_DENY_UNIX)
		unix_advice(ev->path, advice, sizeof(advice));
	else if (ev->reason < PF_ALLOW)
		net_reason_advice(ev->reason, dst, advice, sizeof(advice));
	l = record_begin(s->record, event);
	record_process(l, ev->pid);
	write_net_members(l, ev, advice);
	record_verdict(l, ev->observed ? RECORD_WOULD_DENY : RECORD_DENY);
	record_end(l);
	if (ev->reason >= PF_ALLOW)
		return;
	snprintf(hint, sizeof(hint), "%s %s to %s: %s", ev->observed ? "would refuse" : "refused",
		 ev->op, ev->reason == PF_DENY_UNIX ? ev->path : dst, net_reason_text(ev->reason));
	log_hint(s, hint, advice);
}

/* While observing, names lead to addresses that the fence did not vouch for. */
void log_net_event(void *data, const struct net_event *ev)
{
	struct session *s = data;
	struct net_event named = *ev;

	if (!named.name && s->observe && ev->reason != PF_DENY_UNIX)
		named.name = observe_name(s->observe, &ev->addr);
	look_tell_destination(s, &named);
	write_net_event(s, &named);
}

void log_verified(struct session *s, const struct net_verified *v, const char *name,
		  const char *detail)
{
	const struct net_event ev = {
		.reason = v->reason,
		.observed = v->observed,
		.op = "connect",
		.pid = v->pid,
		.uid = v->uid,
		.addr = v->addr,
		.port = v->port,
		.proto = "tcp",
		.path = "",
		.name = name,
		.detail = v->reason < PF_ALLOW ? detail : NULL,
		.rule = v->rule,
		.count = 1,
	};

	if (v->reason < PF_ALLOW || s->policy->audit.allowed)
		log_net_event(s, &ev);
}

/* ---- names ---------------------------------------------------------------------------------- */

static const char *type_name(uint16_t type)
{
	static const struct {
		uint16_t type;
		const char *name;
	} NAMES[] = {
		{ 1, "A" },    { 2, "NS" },    { 5, "CNAME" },  { 6, "SOA" },
		{ 12, "PTR" }, { 15, "MX" },   { 16, "TXT" },   { 28, "AAAA" },
		{ 33, "SRV" }, { 64, "SVCB" }, { 65, "HTTPS" }, { 255, "ANY" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++)
		if (NAMES[i].type == type)
			return NAMES[i].name;
	return "other";
}

static const char *refusal_word(uint32_t refusal, bool by_rule)
{
	static const char *const WORDS[] = {
		[DNS_REFUSAL_NONE] = "refused",     [DNS_REFUSAL_NAME] = "unmatched",
		[DNS_REFUSAL_FORM] = "malformed",   [DNS_REFUSAL_CHAIN] = "cname",
		[DNS_REFUSAL_TYPE] = "record type", [DNS_REFUSAL_RATE] = "too many new names",
		[DNS_REFUSAL_ABSENT] = "absent",
	};
	_Static_assert(ARRAY_SIZE(WORDS) == DNS_REFUSAL_MAX, "a word for every refusal");

	if (refusal == DNS_REFUSAL_NAME && by_rule)
		return "rule";
	return refusal < DNS_REFUSAL_MAX ? WORDS[refusal] : WORDS[DNS_REFUSAL_NONE];
}

static void write_dns_deny(struct session *s, const struct dns_note *note,
			   enum record_verdict verdict)
{
	bool observed = verdict == RECORD_WOULD_DENY;
	const struct net_rule *rule = NULL;
	char advice[ADVICE_MAX] = "";
	char canonical[NAME_BUF];
	char hint[NAME_BUF + 64];
	struct record_line *l;

	if (quiet_has(&s->quiet, note->name, NULL) ||
	    record_fold(s->record, "dns_deny", note->name))
		return;
	if ((observed || note->refusal == DNS_REFUSAL_NAME) &&
	    name_canonical(note->name, canonical) == 0 &&
	    !policy_may_resolve(s->policy, canonical, &rule) && !rule &&
	    !name_is_metadata(canonical))
		snprintf(
		    advice, sizeof(advice),
		    "to allow it add \"%s:443\" (or the port you need) to network.allowOutbound",
		    canonical);
	l = record_begin(s->record, "dns_deny");
	record_text(l, "name", note->name);
	record_text(l, "type", type_name(note->type));
	record_text(l, "rule", rule ? rule->text : NULL);
	record_text(l, "origin", rule ? rule->origin : NULL);
	record_text(l, "reason",
		    refusal_word(observed ? DNS_REFUSAL_NAME : note->refusal, rule != NULL));
	record_text(l, "advice", advice[0] ? advice : NULL);
	if (note->folded > 1)
		record_number(l, "count", note->folded);
	record_verdict(l, verdict);
	record_end(l);
	snprintf(hint, sizeof(hint), "%s to resolve %s", observed ? "would refuse" : "refused",
		 note->name);
	log_hint(s, hint, advice);
}

void log_dns_observed(struct session *s, const struct dns_note *note)
{
	const struct net_rule *rule;

	look_tell_name(s, note, false);
	if (!policy_may_resolve(s->policy, note->name, &rule))
		write_dns_deny(s, note, RECORD_WOULD_DENY);
}

void log_dns_refused(struct session *s, const struct dns_note *note)
{
	if (note->refusal == DNS_REFUSAL_ABSENT) {
		log_dns_observed(s, note);
		return;
	}
	s->denied.dns += note->folded ? note->folded : 1;
	look_tell_name(s, note, true);
	write_dns_deny(s, note, RECORD_DENY);
}

static void write_addresses(struct record_line *l, const struct net_vouch *v, size_t n, bool passed)
{
	char texts[DNS_ADDRS_MAX][ADDR_TEXT_MAX];
	const char *list[DNS_ADDRS_MAX];
	size_t k = 0;

	for (size_t i = 0; i < n && k < DNS_ADDRS_MAX; i++) {
		if ((v[i].reason >= PF_ALLOW) != passed)
			continue;
		addr_format(&v[i].addr, texts[k]);
		list[k] = texts[k];
		k++;
	}
	record_texts(l, "addrs", list, k);
}

static void log_stripped(struct session *s, const struct dns_note *note, const struct net_vouch *v,
			 size_t n)
{
	const struct net_vouch *first = NULL;
	char advice[ADVICE_MAX] = "";
	char address[ADDR_TEXT_MAX];
	char hint[NAME_BUF + 256];
	struct record_line *l;

	for (size_t i = 0; i < n && !first; i++)
		if (v[i].reason < PF_ALLOW)
			first = &v[i];
	if (!first || quiet_has(&s->quiet, note->name, &first->addr) ||
	    record_fold(s->record, "dns_strip", note->name))
		return;
	addr_format(&first->addr, address);
	net_reason_advice(first->reason, address, advice, sizeof(advice));
	l = record_begin(s->record, "dns_strip");
	record_text(l, "name", note->name);
	record_text(l, "type", type_name(note->type));
	write_addresses(l, v, n, false);
	record_number(l, "ttl", note->ttl_s);
	record_text(l, "reason", net_reason_word(first->reason));
	record_text(l, "advice", advice[0] ? advice : NULL);
	record_end(l);
	snprintf(hint, sizeof(hint), "%s resolved to %s, which was taken out: %s", note->name,
		 address, net_reason_text(first->reason));
	log_hint(s, hint, advice);
}

void log_dns_judged(struct session *s, const struct dns_note *note, const struct net_vouch *v,
		    size_t n)
{
	struct record_line *l;

	log_stripped(s, note, v, n);
	if (!s->policy->audit.allowed)
		return;
	l = record_begin(s->record, "dns_vouch");
	record_text(l, "name", note->name);
	record_text(l, "type", type_name(note->type));
	write_addresses(l, v, n, true);
	record_number(l, "ttl", note->ttl_s);
	record_end(l);
}

/* ---- the session itself --------------------------------------------------------------------- */

static void log_policy_load(struct session *s, const char *hash)
{
	struct record_line *l = record_begin(s->record, "policy_load");

	record_text(l, "result", "ok");
	record_text(l, "policy", s->policy->source);
	record_number(l, "generation", s->generation);
	record_text(l, "hash", hash);
	record_end(l);
}

void log_session_start(struct session *s)
{
	struct record_line *l;
	size_t argc = 0;
	char hash[HASH_TEXT_LEN + 1] = "";

	if (!s->is_recorded)
		return;
	hash_policy(s->policy, hash);
	l = record_begin(s->record, "session_start");

	while (s->command.argv && s->command.argv[argc])
		argc++;
	record_text(l, "policy", s->policy->source);
	record_text(l, "hash", hash[0] ? hash : NULL);
	record_number(l, "generation", s->generation);
	record_texts(l, "argv", (const char *const *)s->command.argv, argc);
	if (s->observe)
		record_bool(l, "observe", true);
	record_object(l, "identity");
	record_number(l, "uid", s->identity.uid);
	record_number(l, "gid", s->identity.gid);
	record_object_end(l);
	if (s->policy->identity.handover) {
		record_object(l, "handover");
		record_number(l, "given", (int64_t)s->handover.given);
		record_number(l, "left", (int64_t)s->handover.left);
		record_object_end(l);
	}
	record_object(l, "fences");
	record_text(l, "files", "ready");
	record_text(l, "network", "ready");
	record_text(l, "syscalls", "ready");
	record_text(l, "identity", "ready");
	record_text(l, "unixRecord", s->watches_unix ? "ready" : "missing");
	record_text(l, "fileRecord", s->no_file_record[0] ? s->no_file_record : "ready");
	record_text(l, "callRecord", s->landlock ? "ready" : "missing");
	record_text(l, "control", s->control.listener >= 0 ? "ready" : "missing");
	record_object_end(l);
	record_end(l);
	if (strcmp(s->policy->source, POLICY_BUILT_IN) != 0)
		log_policy_load(s, hash[0] ? hash : NULL);
}

void log_session_end(struct session *s)
{
	struct record_line *l;
	struct net_counts counts = { 0 };
	uint64_t everyday;

	if (s->net)
		net_fence_counts(s->net, &counts);
	if (counts.lost)
		log_lost(s, "network events", counts.lost);
	everyday = s->denied.everyday < counts.denied ? s->denied.everyday : counts.denied;
	l = record_begin(s->record, "session_end");
	if (!s->ended)
		record_text(l, "reason", "not started");
	else if (WIFEXITED(s->wait_status))
		record_number(l, "exitCode", WEXITSTATUS(s->wait_status));
	else
		record_number(l, "signal", WTERMSIG(s->wait_status));
	if (s->timed_out)
		record_text(l, "reason", "timeout");
	else if (s->kill_wanted)
		record_text(l, "reason", "pinfold kill");
	record_number(l, "wallMs", (int64_t)((clock_us() - s->started_us) / 1000));
	record_object(l, "denied");
	record_number(l, "net", (int64_t)(counts.denied - everyday));
	record_number(l, "dns", (int64_t)s->denied.dns);
	record_number(l, "fs", (int64_t)s->denied.fs);
	record_number(l, "calls", (int64_t)s->denied.calls);
	record_object_end(l);
	made_write(s, l);
	record_number(l, "allowed", (int64_t)counts.allowed);
	record_number(l, "evicted", (int64_t)counts.evicted);
	record_number(l, "lost", (int64_t)(counts.lost + record_lost(s->record)));
	record_end(l);
}

void log_degraded(struct session *s, const char *fence, const char *reason)
{
	struct record_line *l = record_begin(s->record, "degraded");
	char text[PINFOLD_ERROR_MAX + 64];

	record_text(l, "fence", fence);
	record_text(l, "reason", reason);
	record_end(l);
	if (!s->notice)
		return;
	snprintf(text, sizeof(text), "warning: %s: %s", fence, reason);
	notify(s, text);
}

void log_lost(struct session *s, const char *what, uint64_t n)
{
	struct record_line *l = record_begin(s->record, "lost");

	record_text(l, "what", what);
	record_number(l, "count", (int64_t)n);
	record_end(l);
}
