/* SPDX-License-Identifier: MIT */
/* What the record says of a cgroup that got a fence, of what was open in it, and of the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/io.h"
#include "net/attached.h"
#include "net/fence.h"
#include "net/judge.h"
#include "session/attach.h"
#include "session/hash.h"
#include "session/log.h"

#define LISTED_MAX 16 /* sockets that the line names; the others are counted */
#define SOCKET_TEXT_MAX 192

static const char *const FATE_WORDS[] = {
	[OLD_REFUSED] = "refused",
	[OLD_KEPT] = "kept",
	[OLD_OUTSIDE] = "outside",
};

static const char *const END_WORDS[] = {
	[ATTACH_RUNS] = "failed",
	[ATTACH_ASKED] = "signal",
	[ATTACH_DETACHED] = "pinfold detach",
	[ATTACH_LOST] = "somebody took the programs off",
	[ATTACH_GONE] = "the cgroup is gone",
};
_Static_assert(ARRAY_SIZE(END_WORDS) == ATTACH_ENDS, "a word for every end");

void attach_count(const struct attachment *a, struct pinfold_attached *ret)
{
	*ret = (struct pinfold_attached){
		.session = a->s.id,
		.cgroup = a->cgroup.path,
		.processes = a->tree.n_pids,
		.sockets = a->old.n,
	};
	for (size_t i = 0; i < a->old.n; i++) {
		const struct old_socket *s = &a->old.socket[i];

		ret->kept += s->fate == OLD_KEPT;
		ret->refused += s->fate == OLD_REFUSED;
		ret->outside += s->fate == OLD_OUTSIDE;
		ret->cut += s->cut;
	}
}

static void format_end(const struct addr *a, uint16_t port, char *ret, size_t size)
{
	char address[ADDR_TEXT_MAX];

	addr_format(a, address);
	snprintf(ret, size, addr_is_v4(a) ? "%s:%u" : "[%s]:%u", address, port);
}

/* "tcp 127.0.0.1:4711 > 203.0.113.9:443 refused, cut" */
static void format_socket(const struct old_socket *o, char ret[static SOCKET_TEXT_MAX])
{
	char local[ADDR_TEXT_MAX + 8];
	char peer[ADDR_TEXT_MAX + 8] = "-";

	format_end(&o->s.local, o->s.local_port, local, sizeof(local));
	if (net_socket_listens(&o->s))
		snprintf(peer, sizeof(peer), "listens");
	else if (net_socket_is_connected(&o->s))
		format_end(&o->s.peer, o->s.peer_port, peer, sizeof(peer));
	snprintf(ret, SOCKET_TEXT_MAX, "%s %s > %s %s%s", net_socket_proto(&o->s), local, peer,
		 FATE_WORDS[o->fate], o->cut ? ", cut" : "");
}

static void write_sockets(struct record_line *l, const struct attachment *a)
{
	struct pinfold_attached n;
	char text[LISTED_MAX][SOCKET_TEXT_MAX];
	const char *list[LISTED_MAX];
	size_t k = 0;

	attach_count(a, &n);
	record_object(l, "sockets");
	record_number(l, "found", (int64_t)n.sockets);
	record_number(l, "kept", (int64_t)n.kept);
	record_number(l, "refused", (int64_t)n.refused);
	record_number(l, "outside", (int64_t)n.outside);
	record_number(l, "cut", (int64_t)n.cut);
	record_object_end(l);
	for (size_t i = 0; i < a->old.n && k < LISTED_MAX; i++) {
		format_socket(&a->old.socket[i], text[k]);
		list[k] = text[k];
		k++;
	}
	record_texts(l, "open", list, k);
}

static void write_fences(struct record_line *l, const struct attachment *a)
{
	record_object(l, "fences");
	record_text(l, "network", "ready");
	record_text(l, "names", "ready");
	record_text(l, "unixSockets", a->watches_unix ? "partial" : "missing");
	record_text(l, "files", "missing");
	record_text(l, "syscalls", "missing");
	record_text(l, "identity", "missing");
	record_text(l, "control", a->s.control.listener >= 0 ? "ready" : "missing");
	record_object_end(l);
}

static void write_attach(struct attachment *a)
{
	struct session *s = &a->s;
	struct record_line *l = record_begin(s->record, "attach");
	char hash[HASH_TEXT_LEN + 1];

	record_text(l, "cgroup", a->cgroup.path);
	record_number(l, "cgroupId", (int64_t)a->cgroup.id);
	record_text(l, "policy", s->policy->source);
	if (hash_policy(s->policy, hash) == 0)
		record_text(l, "hash", hash);
	record_number(l, "generation", s->generation);
	record_bool(l, "keep", a->args->keep);
	if (s->observe)
		record_bool(l, "observe", true);
	record_number(l, "processes", (int64_t)a->tree.n_pids);
	record_number(l, "cgroups", (int64_t)a->tree.n_ids);
	write_sockets(l, a);
	write_fences(l, a);
	record_end(l);
}

/* ---- what does not hold --------------------------------------------------------------------- */

/* Capabilities by which a process passes a fence on its network: packet sockets, other cgroups and
 * namespaces, programs of its own. */
static const struct {
	unsigned cap;
	const char *name;
} POWERS[] = {
	{ CAP_NET_RAW, "CAP_NET_RAW" },
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAP_BPF, "CAP_BPF" },
};

static uint64_t capabilities_of(pid_t pid)
{
	auto_free char *text = NULL;
	char path[64];
	const char *line;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (io_read_file(AT_FDCWD, path, 65536, &text, &len) < 0)
		return 0;
	line = strstr(text, "\nCapEff:");
	return line ? strtoull(line + 8, NULL, 16) : 0;
}

static void warn_of_powers(struct attachment *a)
{
	uint64_t powers = 0;
	uint64_t all = 0;
	size_t n = 0;
	char names[96] = "";
	char text[192];

	for (size_t i = 0; i < ARRAY_SIZE(POWERS); i++)
		powers |= UINT64_C(1) << POWERS[i].cap;
	for (size_t k = 0; k < a->tree.n_pids; k++) {
		uint64_t has = capabilities_of(a->tree.pid[k]) & powers;

		n += has != 0;
		all |= has;
	}
	for (size_t i = 0; i < ARRAY_SIZE(POWERS); i++) {
		size_t used = strlen(names);

		if (all >> POWERS[i].cap & 1)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 POWERS[i].name);
	}
	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%zu process%s inside could get round the fence, having %s", n,
		 n == 1 ? "" : "es", names);
	log_degraded(&a->s, "network", text);
}

static void warn_of_namespaces(struct attachment *a)
{
	size_t elsewhere = 0;
	size_t most = 0;
	char text[192];

	for (size_t i = 0; i < a->old.n_netns; i++) {
		elsewhere += a->old.netns[i].n;
		most = a->old.netns[i].n > most ? a->old.netns[i].n : most;
	}
	elsewhere -= most;
	if (elsewhere) {
		snprintf(text, sizeof(text),
			 "%zu process%s inside live%s in another network namespace than the "
			 "others: names do not resolve there",
			 elsewhere, elsewhere == 1 ? "" : "es", elsewhere == 1 ? "s" : "");
		log_degraded(&a->s, "dns", text);
	}
	if (a->old.unseen)
		log_degraded(&a->s, "network",
			     "the sockets of a network namespace inside can't be listed; without a "
			     "mark nothing passes through them");
}

static void tell_outside(struct attachment *a, const struct old_socket *o)
{
	char text[SOCKET_TEXT_MAX];
	char reason[SOCKET_TEXT_MAX + 128];

	format_socket(o, text);
	snprintf(reason, sizeof(reason),
		 "made in another cgroup, where the fence does not reach: %s%s", text,
		 o->cut ? "" : " (--cut ends it)");
	log_degraded(&a->s, "network", reason);
}

static void tell_refused(struct attachment *a, const struct old_socket *o)
{
	const struct net_event ev = {
		.reason = o->reason,
		.observed = o->observed,
		.op = "existing",
		.pid = o->pid,
		.uid = o->s.uid,
		.addr = o->s.peer,
		.port = o->s.peer_port,
		.proto = net_socket_proto(&o->s),
		.path = "",
		.detail = o->cut ? "cut" : NULL,
		.rule = o->rule,
		.count = 1,
	};

	log_net_event(&a->s, &ev);
}

/* Whoever attached is told how many there are, and needs no hint about the first. */
static void tell_sockets(struct attachment *a)
{
	const bool hinted = a->s.hinted;

	a->s.hinted = true;
	for (size_t i = 0; i < a->old.n; i++) {
		const struct old_socket *o = &a->old.socket[i];

		if (o->fate == OLD_OUTSIDE)
			tell_outside(a, o);
		else if (o->fate == OLD_REFUSED || o->observed)
			tell_refused(a, o);
	}
	a->s.hinted = hinted;
	if (a->cut_error == -EOPNOTSUPP)
		log_degraded(&a->s, "network",
			     "this kernel can't end sockets (CONFIG_INET_DIAG_DESTROY): nothing "
			     "passes through those that are refused");
}

void attach_log_start(struct attachment *a)
{
	write_attach(a);
	warn_of_namespaces(a);
	warn_of_powers(a);
	tell_sockets(a);
}

void attach_log_end(struct attachment *a)
{
	struct session *s = &a->s;
	struct net_counts counts = { 0 };
	struct record_line *l;

	net_fence_counts(s->net, &counts);
	if (counts.lost)
		log_lost(s, "network events", counts.lost);
	l = record_begin(s->record, "detach");
	record_text(l, "cgroup", a->cgroup.path);
	record_number(l, "cgroupId", (int64_t)a->cgroup.id);
	record_text(l, "reason", END_WORDS[a->end]);
	record_bool(l, "fenceStays", a->args->keep && a->end == ATTACH_ASKED);
	record_number(l, "wallMs", (int64_t)((clock_us() - s->started_us) / 1000));
	record_object(l, "denied");
	record_number(l, "net", (int64_t)counts.denied);
	record_number(l, "dns", (int64_t)s->denied.dns);
	record_object_end(l);
	record_number(l, "allowed", (int64_t)counts.allowed);
	record_number(l, "evicted", (int64_t)counts.evicted);
	record_number(l, "lost", (int64_t)(counts.lost + record_lost(s->record)));
	record_end(l);
}
