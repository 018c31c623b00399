/* SPDX-License-Identifier: MIT */
/* The members that are lists or texts of their own: sockets, identity, inbound ports, servers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold_review.h"
#include "policy/net_entry.h"
#include "policy/policy.h"
#include "policy/read.h"
#include "review/diff.h"

#define TEXT_MAX 512

struct kind {
	const char *area;
	const char *from; /* the words for an item that is not there, and for one that is */
	const char *to;
	enum pinfold_effect added;
	enum pinfold_effect removed;
};

static const struct kind SOCKETS = { "unix sockets", "refused", "allowed", PINFOLD_OPENS,
				     PINFOLD_CLOSES };
static const struct kind FAMILIES = { "seccomp", "refused", "allowed", PINFOLD_OPENS,
				      PINFOLD_CLOSES };
static const struct kind VARIABLES = { "identity", "dropped", "kept", PINFOLD_OPENS,
				       PINFOLD_CLOSES };
static const struct kind SERVERS = { "network", "not asked", "asked", PINFOLD_CHANGES,
				     PINFOLD_CHANGES };
static const struct kind QUIET = { "record", "written", "counted only", PINFOLD_CHANGES,
				   PINFOLD_CHANGES };

/* A list as texts, borrowed. */
struct texts {
	const char *const *text;
	const char *const *origin; /* NULL: none has one */
	size_t n;
};

static bool has(const struct texts *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->text[i], text) == 0)
			return true;
	return false;
}

static void tell_missing(struct diff *d, const struct kind *k, const struct texts side[DIFF_SIDES],
			 enum diff_side in)
{
	const struct texts *here = &side[in];
	const struct texts *there = &side[in == DIFF_OLD ? DIFF_NEW : DIFF_OLD];

	for (size_t i = 0; i < here->n; i++) {
		const struct pinfold_change c = {
			.effect = in == DIFF_NEW ? k->added : k->removed,
			.area = k->area,
			.what = here->text[i],
			.from = in == DIFF_NEW ? k->from : k->to,
			.to = in == DIFF_NEW ? k->to : k->from,
			.origin = here->origin ? here->origin[i] : NULL,
		};

		if (!has(there, here->text[i]))
			diff_tell(d, &c);
	}
}

static void tell_lists(struct diff *d, const struct kind *k, const struct texts side[DIFF_SIDES])
{
	tell_missing(d, k, side, DIFF_OLD);
	tell_missing(d, k, side, DIFF_NEW);
}

static void tell_strings(struct diff *d, const struct kind *k, const struct string_list *old,
			 const struct string_list *now)
{
	const struct texts side[DIFF_SIDES] = {
		{ (const char *const *)old->s, NULL, old->n },
		{ (const char *const *)now->s, NULL, now->n },
	};

	tell_lists(d, k, side);
}

static int tell_sockets(struct diff *d)
{
	struct texts side[DIFF_SIDES] = { { 0 } };
	const char **column[DIFF_SIDES] = { NULL }; /* paths, then origins */
	int r = 0;

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES && r == 0; i++) {
		const struct policy *p = d->side[i];
		const size_t n = p->n_unix_allow;

		column[i] = calloc(2 * n + 1, sizeof(const char *));
		r = column[i] ? 0 : -ENOMEM;
		for (size_t k = 0; k < n && r == 0; k++) {
			column[i][k] = p->unix_allow[k].path;
			column[i][n + k] = p->unix_allow[k].origin;
		}
		if (r == 0)
			side[i] = (struct texts){ column[i], column[i] + n, n };
	}
	if (r == 0)
		tell_lists(d, &SOCKETS, side);
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		free(column[i]);
	return r;
}

/* ---- inbound: from nobody over this host's loopback to anywhere ----------------------------- */

static const char *const REACH_WORDS[] = { "nobody", "this host's loopback", "anywhere" };

static unsigned reach_of(const struct policy *p, uint16_t port, unsigned proto,
			 const struct inbound_rule **ret_rule)
{
	unsigned reach = 0;

	for (size_t i = 0; i < p->net.n_inbound; i++) {
		const struct inbound_rule *r = &p->net.inbound[i];
		unsigned this_one = r->loopback_only ? 1 : 2;

		if (r->port != port || !(r->protos & proto) || this_one <= reach)
			continue;
		reach = this_one;
		*ret_rule = r;
	}
	return reach;
}

static void tell_port(struct diff *d, uint16_t port, unsigned proto)
{
	const struct inbound_rule *rule[DIFF_SIDES] = { NULL };
	const unsigned old = reach_of(d->side[DIFF_OLD], port, proto, &rule[DIFF_OLD]);
	const unsigned now = reach_of(d->side[DIFF_NEW], port, proto, &rule[DIFF_NEW]);
	const struct inbound_rule *wider = rule[now > old ? DIFF_NEW : DIFF_OLD];
	char what[TEXT_MAX];
	const struct pinfold_change c = {
		.effect = now > old ? PINFOLD_OPENS : PINFOLD_CLOSES,
		.area = "network",
		.what = what,
		.from = REACH_WORDS[old],
		.to = REACH_WORDS[now],
		.origin = wider ? wider->origin : NULL,
	};

	snprintf(what, sizeof(what), "inbound %u/%s", port, proto == PROTO_UDP ? "udp" : "tcp");
	if (old != now)
		diff_tell(d, &c);
}

/* Whether an earlier rule of either side, in the order of reading, has the port already. */
static bool is_first(const struct diff *d, enum diff_side side, size_t index, unsigned proto)
{
	const uint16_t port = d->side[side]->net.inbound[index].port;

	for (enum diff_side i = DIFF_OLD; i <= side; i++) {
		size_t end = i == side ? index : d->side[i]->net.n_inbound;

		for (size_t k = 0; k < end; k++)
			if (d->side[i]->net.inbound[k].port == port &&
			    (d->side[i]->net.inbound[k].protos & proto))
				return false;
	}
	return true;
}

static void tell_inbound(struct diff *d)
{
	static const unsigned PROTOS[] = { PROTO_TCP, PROTO_UDP };

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		for (size_t k = 0; k < 2 * d->side[i]->net.n_inbound; k++) {
			const struct inbound_rule *r = &d->side[i]->net.inbound[k / 2];
			unsigned proto = PROTOS[k % 2];

			if ((r->protos & proto) && is_first(d, i, k / 2, proto))
				tell_port(d, r->port, proto);
		}
}

/* ---- servers -------------------------------------------------------------------------------- */

static int format_servers(const struct dns_policy *dns, struct string_list *ret)
{
	for (size_t i = 0; i < dns->n_upstream; i++) {
		struct net_rule r = { .host = HOST_PREFIX, .prefix_len = 128, .protos = PROTO_UDP };
		char entry[NET_ENTRY_TEXT_MAX];
		char text[NET_ENTRY_TEXT_MAX + 16];

		r.addr = dns->upstream[i].addr;
		r.port_low = r.port_high = dns->upstream[i].port;
		net_entry_format(&r, false, PROTO_UDP, entry);
		snprintf(text, sizeof(text), "upstream %s", entry);
		if (list_add(ret, text) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int tell_servers(struct diff *d)
{
	struct string_list old = { 0 };
	struct string_list now = { 0 };
	int r = format_servers(&d->side[DIFF_OLD]->net.dns, &old);

	if (r == 0)
		r = format_servers(&d->side[DIFF_NEW]->net.dns, &now);
	if (r == 0)
		tell_strings(d, &SERVERS, &old, &now);
	list_done(&old);
	list_done(&now);
	return r;
}

/* ---- single texts --------------------------------------------------------------------------- */

static void tell_text(struct diff *d, const char *area, const char *what, const char *old,
		      const char *now)
{
	const struct pinfold_change c = {
		.effect = PINFOLD_CHANGES,
		.area = area,
		.what = what,
		.from = old ? old : "none",
		.to = now ? now : "none",
	};

	if (strcmp(c.from, c.to) != 0)
		diff_tell(d, &c);
}

static void format_identity(const struct identity_policy *id, char ret[static TEXT_MAX])
{
	static const char *const WORDS[] = { [UID_DEFAULT] = "default", [UID_AUTO] = "auto" };

	if (id->choice == UID_FIXED)
		snprintf(ret, TEXT_MAX, "%u:%u", (unsigned)id->uid, (unsigned)id->gid);
	else
		snprintf(ret, TEXT_MAX, "%s", WORDS[id->choice]);
}

static const char *value_of(const struct identity_policy *id, const char *name)
{
	for (size_t i = 0; i < id->n_set_env; i++)
		if (strcmp(id->set_env[i].name, name) == 0)
			return id->set_env[i].value;
	return NULL;
}

/* Values may be secrets: that they differ is told, not what they are. */
static void tell_variable(struct diff *d, const char *name, const char *old, const char *now)
{
	char what[TEXT_MAX];
	const struct pinfold_change c = {
		.effect = PINFOLD_CHANGES,
		.area = "identity",
		.what = what,
		.from = old ? "a value" : "unset",
		.to = !now  ? "unset"
		      : old ? "another value"
			    : "a value",
	};

	snprintf(what, sizeof(what), "setEnv %s", name);
	if (!old || !now || strcmp(old, now) != 0)
		diff_tell(d, &c);
}

static void tell_variables(struct diff *d)
{
	const struct identity_policy *a = &d->side[DIFF_OLD]->identity;
	const struct identity_policy *b = &d->side[DIFF_NEW]->identity;

	for (size_t i = 0; i < a->n_set_env; i++)
		tell_variable(d, a->set_env[i].name, a->set_env[i].value,
			      value_of(b, a->set_env[i].name));
	for (size_t i = 0; i < b->n_set_env; i++)
		if (!value_of(a, b->set_env[i].name))
			tell_variable(d, b->set_env[i].name, NULL, b->set_env[i].value);
}

static void tell_texts(struct diff *d)
{
	const struct policy *a = d->side[DIFF_OLD];
	const struct policy *b = d->side[DIFF_NEW];
	char old[TEXT_MAX];
	char now[TEXT_MAX];

	format_identity(&a->identity, old);
	format_identity(&b->identity, now);
	tell_text(d, "identity", "identity.uid", old, now);
	tell_text(d, "identity", "identity.home", a->identity.home, b->identity.home);
	tell_text(d, "identity", "identity.path", a->identity.path, b->identity.path);
	tell_text(d, "session", "workspace", a->workspace, b->workspace);
	tell_text(d, "session", "lane", a->lane, b->lane);
	tell_text(d, "record", "audit.path", a->audit.path, b->audit.path);
}

int diff_lists(struct diff *d)
{
	const struct policy *a = d->side[DIFF_OLD];
	const struct policy *b = d->side[DIFF_NEW];
	int r = tell_sockets(d);

	if (r == 0)
		r = tell_servers(d);
	if (r < 0)
		return r;
	tell_inbound(d);
	tell_texts(d);
	tell_variables(d);
	tell_strings(d, &VARIABLES, &a->identity.keep_env, &b->identity.keep_env);
	tell_strings(d, &FAMILIES, &a->seccomp.families, &b->seccomp.families);
	tell_strings(d, &QUIET, &a->audit.quiet, &b->audit.quiet);
	return 0;
}
