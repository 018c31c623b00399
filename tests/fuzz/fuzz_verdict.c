/* SPDX-License-Identifier: MIT */
/* Rules and questions out of bytes: the tables must say what reading the entries one by one says.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/tables.h"
#include "net/world.h"
#include "policy/policy.h"

#define RULES_MAX 24

struct bytes {
	const uint8_t *at;
	size_t left;
};

static uint8_t take(struct bytes *b)
{
	if (b->left == 0)
		return 0;
	b->left--;
	return *b->at++;
}

/* Few different bits, so that prefixes and questions meet. */
static struct addr take_addr(struct bytes *b)
{
	static const uint8_t HEADS[][16] = {
		{ [10] = 0xff, [11] = 0xff, [12] = 20 },
		{ [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 },
		{ [10] = 0xff, [11] = 0xff, [12] = 10 },
		{ 0x2a },
		{ 0, 0x64, 0xff, 0x9b, [12] = 20 },
		{ 0x20, 0x02, 20 },
		{ [15] = 1 },
		{ [10] = 0xff, [11] = 0xff, [12] = 169, [13] = 254 },
	};
	uint8_t kind = take(b);
	struct addr a;

	memcpy(a.b, HEADS[kind % 8], sizeof(a.b));
	a.b[14] = (uint8_t)(a.b[14] | (take(b) & 0x83));
	a.b[15] = (uint8_t)(a.b[15] | (take(b) & 0xc1));
	return a;
}

static void mask(struct addr *a, unsigned len)
{
	for (unsigned i = len; i < 128; i++)
		a->b[i / 8] = (uint8_t)(a->b[i / 8] & ~(0x80u >> (i % 8)));
}

static void take_rule(struct bytes *b, struct net_rule *r)
{
	static const uint8_t LENS[] = { 128, 127, 121, 120, 112, 104, 96, 64, 16, 8, 0 };
	uint8_t what = take(b);

	memset(r, 0, sizeof(*r));
	r->host = HOST_PREFIX;
	r->addr = take_addr(b);
	r->prefix_len = LENS[what % sizeof(LENS)];
	mask(&r->addr, r->prefix_len);
	r->port_low = (uint16_t)(take(b) * 16);
	r->port_high = (uint16_t)(r->port_low + take(b) * 16);
	r->protos = 1 + what / 16 % 3;
	if (what == 255)
		r->host = HOST_LOCALHOST;
	if (what == 254)
		r->host = HOST_ANY;
}

static union pf_addr inner_of(const struct addr *a)
{
	union pf_addr raw = net_addr(a);
	union pf_addr inner;

	pf_inner(&raw, &inner);
	return inner;
}

static bool naive_in(const struct addr *a, const struct addr *net, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		if ((a->b[i / 8] ^ net->b[i / 8]) & (0x80u >> (i % 8)))
			return false;
	return true;
}

static bool is_loop(const struct addr *a)
{
	static const struct addr V6 = { .b = { [15] = 1 } };

	return (addr_is_v4(a) && a->b[12] == 127) || addr_equal(a, &V6);
}

/* Whether the entry names the address, reading nothing but the entry. */
static bool names(const struct net_rule *r, const struct addr *a, bool is_allow)
{
	static const struct addr V6 = { .b = { [15] = 1 } };
	struct addr v4 = addr_from_v4(0);

	v4.b[12] = 127;
	v4.b[15] = 1;
	if (r->host == HOST_LOCALHOST)
		return addr_equal(a, &v4) || addr_equal(a, &V6);
	if (r->host == HOST_ANY)
		return !is_allow;
	if (!naive_in(a, &r->addr, r->prefix_len))
		return false;
	if (!is_allow || !is_loop(a))
		return true;
	return addr_is_v4(a) ? r->prefix_len >= 104 : r->prefix_len == 128;
}

static bool finds(const struct net_rules *rules, const struct addr *a, const struct pf_ask *ask,
		  bool is_allow)
{
	const unsigned proto = ask->proto == PF_TCP ? PROTO_TCP : PROTO_UDP;

	for (size_t i = 0; i < rules->n; i++) {
		const struct net_rule *r = &rules->rule[i];

		if ((r->protos & proto) && ask->port >= r->port_low && ask->port <= r->port_high &&
		    names(r, a, is_allow))
			return true;
	}
	return false;
}

/* The order of judgement, said once more without tables.  Only forms that no entry here can name
 * by another form are compared in full. */
static void compare(const struct policy *p, const struct net_tables *t, const struct addr *a,
		    const struct pf_ask *ask)
{
	const struct pf_world w = { .now = 1, .flags = t->flags, .tables = t };
	union pf_addr inner = inner_of(a);
	int class = pf_classify(&inner);
	struct pf_answer got;
	struct addr in;

	memcpy(in.b, inner.b, sizeof(in.b));
	pf_judge(&w, ask, &got);
	if (class == PF_CLASS_NEVER || class == PF_CLASS_METADATA) {
		if (got.reason >= PF_ALLOW)
			abort();
		return;
	}
	bool denied = finds(&p->net.deny, &in, ask, false) || finds(&p->net.deny, a, ask, false);

	if (denied && got.reason != PF_DENY_RULE)
		abort();
	if (!addr_equal(a, &in)) /* entries of transition forms are rewritten: see test_verdict */
		return;
	if (!denied && got.reason == PF_DENY_RULE && addr_is_v4(a) == false)
		abort();
	if (!denied && finds(&p->net.allow, a, ask, true) && got.reason != PF_ALLOW_LITERAL &&
	    got.reason != PF_DENY_RULE)
		abort();
	if (class == PF_CLASS_PRIVATE && got.reason == PF_ALLOW_ANY)
		abort();
	if (class == PF_CLASS_LOOPBACK && got.reason == PF_ALLOW_ANY)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	struct net_rule allow[RULES_MAX];
	struct net_rule deny[RULES_MAX];
	struct policy p = { 0 };
	struct net_tables t;

	p.net.allow.n = take(&b) % RULES_MAX;
	p.net.deny.n = take(&b) % RULES_MAX;
	for (size_t i = 0; i < p.net.allow.n; i++)
		take_rule(&b, &allow[i]);
	for (size_t i = 0; i < p.net.deny.n; i++)
		take_rule(&b, &deny[i]);
	p.net.allow.rule = allow;
	p.net.deny.rule = deny;
	if (net_tables_build(&p, &t, NULL) < 0)
		abort();
	while (b.left > 0) {
		struct addr a = take_addr(&b);
		struct pf_ask ask = { .addr = net_addr(&a) };

		ask.port = (uint16_t)(take(&b) * 8);
		ask.proto = take(&b) % 2 ? PF_TCP : PF_UDP;
		compare(&p, &t, &a, &ask);
	}
	net_tables_done(&t);
	return 0;
}
