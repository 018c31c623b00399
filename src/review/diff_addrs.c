/* SPDX-License-Identifier: MIT */
/*
 * DOC: prefixes either hold each other or have nothing in common.  So those that the two policies
 * and the built-in classes mention cut all addresses into regions (a prefix without the mentioned
 * ones inside it), in each of which one address speaks for all.  The verdict is the kernel's own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "net/tables.h"
#include "net/world.h"
#include "policy/net_entry.h"
#include "policy/policy.h"
#include "policy/read.h"
#include "review/diff.h"
#include "review/spans.h"

#define ADDR_BITS 128
#define DEPTH_MAX (ADDR_BITS + 1)

/* Where the built-in classes begin; what decides is bpf/verdict.h. */
static const char *const CLASSES[] = {
	"0.0.0.0/0",     "0.0.0.0/8",      "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",
	"127.0.0.1",     "169.254.0.0/16", "172.16.0.0/12",   "192.0.0.0/24",   "192.168.0.0/16",
	"198.18.0.0/15", "224.0.0.0/3",    "100.100.100.200", "168.63.129.16",  "192.0.0.192",
	"[::/0]",        "[::1]",          "[fc00::/7]",      "[fec0::/10]",    "[fe80::/10]",
	"[ff00::/8]",    "[2001::/32]",    "[fd00:ec2::/32]", "[fd20:ce::254]",
};

struct node {
	struct addr addr;
	unsigned len;
};

struct addrs {
	struct diff *d;
	struct net_tables tables[DIFF_SIDES];
	struct node *node; /* sorted: what holds before what is held */
	size_t n;
	struct addr speaker; /* of the region that is judged */
};

/* The regions around the one that is looked at, and how each changes. */
struct around {
	size_t node[DEPTH_MAX];
	struct spans spans[DEPTH_MAX];
	size_t n;
};

static int by_place(const void *a, const void *b)
{
	const struct node *x = a;
	const struct node *y = b;
	int c = memcmp(x->addr.b, y->addr.b, sizeof(x->addr.b));

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static int add_node(struct addrs *w, const struct addr *a, unsigned len)
{
	struct node *slot = grow(&w->node, w->n, sizeof(*w->node));

	if (!slot)
		return -ENOMEM;
	*slot = (struct node){ *a, len };
	w->n++;
	return 0;
}

static int add_rules(struct addrs *w, const struct net_rules *l)
{
	int r = 0;

	for (size_t i = 0; i < l->n && r == 0; i++)
		if (l->rule[i].host == HOST_PREFIX)
			r = add_node(w, &l->rule[i].addr, l->rule[i].prefix_len);
	return r;
}

static int add_classes(struct addrs *w)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(CLASSES) && r == 0; i++) {
		struct net_rule rule = { 0 };

		r = net_entry_parse(CLASSES[i], NET_USE_DENY, &rule, NULL);
		if (r == 0)
			r = add_node(w, &rule.addr, rule.prefix_len);
		net_rule_done(&rule);
	}
	return r;
}

static int cut_regions(struct addrs *w)
{
	size_t used = 0;
	int r = add_classes(w);

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES && r == 0; i++) {
		r = add_rules(w, &w->d->side[i]->net.allow);
		if (r == 0)
			r = add_rules(w, &w->d->side[i]->net.deny);
	}
	if (r < 0)
		return r;
	qsort(w->node, w->n, sizeof(*w->node), by_place);
	for (size_t i = 0; i < w->n; i++)
		if (used == 0 || by_place(&w->node[used - 1], &w->node[i]) != 0)
			w->node[used++] = w->node[i];
	w->n = used;
	return 0;
}

static bool holds(const struct node *n, const struct addr *a)
{
	return addr_in_prefix(a, &n->addr, n->len);
}

/* The address behind a prefix.  False: it was the last. */
static bool next_after(const struct node *n, struct addr *ret)
{
	unsigned carry = 1;

	*ret = n->addr;
	for (unsigned bit = n->len; bit-- > 0 && carry;) {
		const uint8_t mask = (uint8_t)(0x80u >> (bit % 8));

		carry = (ret->b[bit / 8] & mask) != 0;
		ret->b[bit / 8] ^= mask;
	}
	return !carry;
}

/* An address of the region that no mentioned prefix inside it holds.  False: there is none. */
static bool find_speaker(const struct addrs *w, size_t i, struct addr *ret)
{
	struct addr at = w->node[i].addr;

	for (size_t k = i + 1; k < w->n && holds(&w->node[i], &w->node[k].addr); k++) {
		int c = memcmp(w->node[k].addr.b, at.b, sizeof(at.b));

		if (c > 0)
			break;
		if (c == 0 && !next_after(&w->node[k], &at))
			return false;
	}
	*ret = at;
	return holds(&w->node[i], &at);
}

static enum diff_level judge_address(void *data, enum diff_side side, unsigned proto, uint16_t port,
				     const struct net_rule **ret_rule)
{
	const struct addrs *w = data;
	const struct pf_world world = {
		.now = 1,
		.flags = w->tables[side].flags,
		.tables = &w->tables[side],
	};
	const struct pf_ask ask = {
		.addr = net_addr(&w->speaker),
		.port = port,
		.proto = proto == PROTO_UDP ? PF_UDP : PF_TCP,
	};
	struct pf_answer answer;

	pf_judge(&world, &ask, &answer);
	*ret_rule = net_rule_of(w->d->side[side], answer.rule);
	if (answer.reason == PF_DENY_LOOPBACK)
		return LEVEL_OWN;
	if (answer.reason == PF_ALLOW_VERIFY)
		return LEVEL_VERIFIED;
	return answer.reason >= PF_ALLOW ? LEVEL_OPEN : LEVEL_SHUT;
}

/* Whether the rule can decide about the speaker. */
static bool concerns(const struct net_rule *r, const struct addr *a)
{
	if (r->host == HOST_PREFIX)
		return addr_in_prefix(a, &r->addr, r->prefix_len);
	return r->host == HOST_ANY || r->host == HOST_LOCALHOST;
}

static int judge_region(struct addrs *w, struct spans *ret)
{
	const struct net_rules *const LISTS[] = {
		&w->d->side[DIFF_OLD]->net.allow,
		&w->d->side[DIFF_OLD]->net.deny,
		&w->d->side[DIFF_NEW]->net.allow,
		&w->d->side[DIFF_NEW]->net.deny,
	};
	size_t space = 1;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(LISTS); i++)
		space += LISTS[i]->n;

	auto_free const struct net_rule **rules = calloc(space, sizeof(const struct net_rule *));

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(LISTS); i++)
		for (size_t k = 0; k < LISTS[i]->n; k++)
			if (concerns(&LISTS[i]->rule[k], &w->speaker))
				rules[n++] = &LISTS[i]->rule[k];
	return spans_find(rules, n, judge_address, w, ret);
}

static void tell_region(struct addrs *w, const struct node *n, const struct spans *s)
{
	const struct net_rule rule = {
		.host = HOST_PREFIX,
		.addr = n->addr,
		.prefix_len = n->len,
		.port_high = UINT16_MAX,
		.protos = PROTO_TCP,
	};
	char host[NET_ENTRY_TEXT_MAX];

	net_entry_format(&rule, false, PROTO_TCP, host);
	spans_tell(w->d, host, s);
}

static void leave(struct around *a)
{
	spans_done(&a->spans[--a->n]);
}

/* A region that changes as the one around it does goes without saying. */
static int look_at(struct addrs *w, size_t i, struct around *a)
{
	static const struct spans NOTHING = { 0 };
	struct spans s = { 0 };
	const struct spans *outer;
	int r;

	while (a->n > 0 && !holds(&w->node[a->node[a->n - 1]], &w->node[i].addr))
		leave(a);
	if (!find_speaker(w, i, &w->speaker))
		return 0;
	r = judge_region(w, &s);
	if (r < 0)
		return r;
	outer = a->n ? &a->spans[a->n - 1] : &NOTHING;
	if (!spans_equal(&s, outer))
		tell_region(w, &w->node[i], &s);
	a->node[a->n] = i;
	a->spans[a->n++] = s;
	return 0;
}

static int build_tables(struct addrs *w, struct pinfold_error *e)
{
	int r = 0;

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES && r == 0; i++)
		r = net_tables_build(w->d->side[i], &w->tables[i], e);
	return r;
}

int diff_addresses(struct diff *d, struct pinfold_error *e)
{
	struct addrs w = { .d = d };
	struct around around = { .n = 0 };
	int r = build_tables(&w, e);

	if (r == 0)
		r = cut_regions(&w);
	for (size_t i = 0; i < w.n && r == 0; i++)
		r = look_at(&w, i, &around);
	while (around.n > 0)
		leave(&around);
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		net_tables_done(&w.tables[i]);
	free(w.node);
	return r;
}
