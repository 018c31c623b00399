/* SPDX-License-Identifier: MIT */
/* Tables against a naive reading of the entries; port ranges; words; the truth of vouching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clean.h"
#include "net/judge.h"
#include "net/vouch.h"
#include "net/words.h"
#include "net/world.h"
#include "policy/policy.h"

#define ROUNDS 300
#define ASKS 200

static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void a_range_is_split_into_blocks_that_hold_just_it(void **state)
{
	static const uint16_t RANGES[][2] = { { 0, 65535 }, { 443, 443 },     { 8000, 8999 },
					      { 1, 65535 }, { 65535, 65535 }, { 1, 65534 },
					      { 0, 0 },     { 1024, 2047 },   { 7, 9 } };
	struct net_block b[NET_RANGE_PARTS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(RANGES); i++) {
		size_t n = net_range_split(RANGES[i][0], RANGES[i][1], b);

		for (uint32_t port = 0; port <= 65535; port++) {
			unsigned hits = 0;

			for (size_t k = 0; k < n; k++)
				hits += net_block_has(&b[k], (uint16_t)port);
			assert_int_equal(hits,
					 port >= RANGES[i][0] && port <= RANGES[i][1] ? 1 : 0);
		}
	}
}

static struct net_rule random_rule(uint32_t *seed)
{
	static const unsigned LENS[] = { 128, 127, 124, 120, 112, 104 };
	struct net_rule r = { .host = HOST_PREFIX, .protos = 1 + next(seed) % 3 };
	uint32_t len = LENS[next(seed) % ARRAY_SIZE(LENS)];
	uint32_t a = 0x14000000 | (next(seed) & 0x00030107);

	if (len < 128)
		a &= ~((1u << (128 - len)) - 1);
	r.addr = addr_from_v4(__builtin_bswap32(a));
	r.prefix_len = len;
	r.port_low = (uint16_t)(1 + next(seed) % 40);
	r.port_high = (uint16_t)(r.port_low + next(seed) % 8);
	return r;
}

static bool naive(const struct net_rules *l, const struct addr *a, uint16_t port, unsigned proto)
{
	for (size_t i = 0; i < l->n; i++)
		if ((l->rule[i].protos & proto) && port >= l->rule[i].port_low &&
		    port <= l->rule[i].port_high &&
		    addr_in_prefix(a, &l->rule[i].addr, l->rule[i].prefix_len))
			return true;
	return false;
}

static void tables_say_what_the_entries_say(void **state)
{
	struct net_rule allow[24];
	struct net_rule deny[8];
	uint32_t seed = 0x2545f491;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct policy p = { .net = { .allow = { allow, 1 + next(&seed) % 24 },
					     .deny = { deny, next(&seed) % 8 } } };
		struct net_tables t;

		for (size_t i = 0; i < ARRAY_SIZE(allow); i++)
			allow[i] = random_rule(&seed);
		for (size_t i = 0; i < ARRAY_SIZE(deny); i++)
			deny[i] = random_rule(&seed);
		assert_int_equal(net_tables_build(&p, &t, NULL), 0);
		for (int i = 0; i < ASKS; i++) {
			const struct pf_world w = { .now = 1, .flags = t.flags, .tables = &t };
			const uint32_t v4 = 0x14000000 | (next(&seed) & 0x00030107);
			const struct addr a = addr_from_v4(__builtin_bswap32(v4));
			const struct pf_ask ask = { .addr = net_addr(&a),
						    .port = (uint16_t)(1 + next(&seed) % 50),
						    .proto = next(&seed) % 2 ? PF_TCP : PF_UDP };
			const unsigned proto = ask.proto == PF_TCP ? PROTO_TCP : PROTO_UDP;
			struct pf_answer got;

			pf_judge(&w, &ask, &got);
			if (naive(&p.net.deny, &a, ask.port, proto))
				assert_int_equal(got.reason, PF_DENY_RULE);
			else if (naive(&p.net.allow, &a, ask.port, proto))
				assert_int_equal(got.reason, PF_ALLOW_LITERAL);
			else
				assert_true(got.reason == PF_DENY_UNMATCHED ||
					    got.reason == PF_DENY_PORT);
			if (got.reason == PF_ALLOW_LITERAL)
				assert_true(naive(&(struct net_rules){ &allow[got.rule], 1 }, &a,
						  ask.port, proto));
		}
		net_tables_done(&t);
	}
}

static void every_reason_has_its_words(void **state)
{
	char advice[200];

	(void)state;
	for (int r = 0; r < PF_ALLOW_END; r++) {
		if (r >= PF_DENY_MAX && r < PF_ALLOW)
			continue;
		assert_non_null(net_reason_word((enum pf_reason)r));
		assert_true(net_reason_text((enum pf_reason)r)[0]);
	}
	net_reason_advice(PF_DENY_UNMATCHED, "api.test:8443", advice, sizeof(advice));
	assert_string_equal(advice, "add \"api.test:8443\" to network.allowOutbound");
	net_reason_advice(PF_DENY_NEVER, "224.0.0.1:1", advice, sizeof(advice));
	assert_string_equal(advice, "");
	net_reason_advice(PF_DENY_UNMATCHED, "%s%n", advice, 12);
	assert_string_equal(advice, "add \"%s%n\" ");
	assert_string_equal(net_proto_word(262), "mptcp");
	assert_string_equal(net_op_word(PF_OP_CONNECT), "connect");
}

/* ---- the truth of vouching --------------------------------------------------------------------
 */

struct held {
	union pf_addr addr;
	struct vouch_block block;
	bool used;
};

struct fake_map {
	struct held held[256];
};

static struct held *find_held(struct fake_map *m, const union pf_addr *a,
			      const struct vouch_block *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->held); i++) {
		struct held *h = &m->held[i];

		if (h->used && memcmp(&h->addr, a, sizeof(*a)) == 0 && h->block.proto == b->proto &&
		    h->block.block.port == b->block.port && h->block.block.len == b->block.len)
			return h;
	}
	return NULL;
}

static int fake_put(void *data, const union pf_addr *a, const struct vouch_block *b)
{
	struct fake_map *m = data;
	struct held *h = find_held(m, a, b);

	for (size_t i = 0; !h && i < ARRAY_SIZE(m->held); i++)
		if (!m->held[i].used)
			h = &m->held[i];
	if (!h)
		return -1;
	*h = (struct held){ *a, *b, true };
	return 0;
}

static void fake_del(void *data, const union pf_addr *a, const struct vouch_block *b)
{
	struct held *h = find_held(data, a, b);

	if (!h)
		fail_msg("what is not there is deleted");
	else
		h->used = false;
}

static size_t count_held(const struct fake_map *m)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(m->held); i++)
		n += m->held[i].used;
	return n;
}

/* As the kernel looks it up: the longest block. */
static const struct held *find_block(const struct fake_map *m, const union pf_addr *a,
				     uint16_t port)
{
	const struct held *best = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(m->held); i++) {
		const struct held *h = &m->held[i];

		if (h->used && h->block.proto == PF_TCP && memcmp(&h->addr, a, sizeof(*a)) == 0 &&
		    net_block_has(&h->block.block, port) &&
		    (!best || h->block.block.len > best->block.block.len))
			best = h;
	}
	return best;
}

static uint64_t lifetime(const struct fake_map *m, const union pf_addr *a, uint16_t port)
{
	const struct held *h = find_block(m, a, port);

	return h ? h->block.until : 0;
}

static bool is_verified(const struct fake_map *m, const union pf_addr *a, uint16_t port)
{
	const struct held *h = find_block(m, a, port);

	assert_non_null(h);
	return h->block.verify;
}

static struct net_rule named(const char *name, uint16_t low, uint16_t high)
{
	return (struct net_rule){ .host = HOST_NAME,
				  .name = (char *)(uintptr_t)name,
				  .port_low = low,
				  .port_high = high,
				  .protos = PROTO_TCP };
}

static union pf_addr number(uint32_t n)
{
	const struct addr a = addr_from_v4(__builtin_bswap32(0x14000000 + n));

	return net_addr(&a);
}

static void a_port_lives_as_long_as_the_longest_name_that_covers_it(void **state)
{
	struct net_rule rules[] = { named("a.test", 443, 443), named("b.test", 0, 65535),
				    named("c.test", 400, 500) };
	struct policy p = { .net = { .allow = { rules, 3 }, .dns.max_addresses = 4 } };
	struct fake_map m = { 0 };
	const struct vouch_sink sink = { fake_put, fake_del, &m };
	const union pf_addr x = number(1);
	struct vouch_table *t;

	(void)state;
	assert_int_equal(vouch_table_new(&p, &sink, &t), 0);
	assert_int_equal(vouch_table_add(t, &x, "a.test", 100), 0);
	assert_int_equal(lifetime(&m, &x, 443), 100);
	assert_int_equal(lifetime(&m, &x, 80), 0);
	assert_int_equal(vouch_table_add(t, &x, "b.test", 300), 0);
	assert_int_equal(lifetime(&m, &x, 443), 300);
	assert_int_equal(lifetime(&m, &x, 80), 300);
	assert_int_equal(vouch_table_add(t, &x, "c.test", 200), 0);
	assert_int_equal(lifetime(&m, &x, 450), 300);
	assert_int_equal(vouch_table_add(t, &x, "a.test", 400), 0);
	assert_int_equal(lifetime(&m, &x, 443), 400);
	assert_int_equal(lifetime(&m, &x, 450), 300);
	assert_string_equal(vouch_table_name(t, &x), "a.test");
	assert_int_equal(vouch_table_add(t, &x, "a.test", 50), 0);
	assert_int_equal(lifetime(&m, &x, 443), 400);
	vouch_table_tick(t, 301 + VOUCH_LINGER_NS);
	assert_int_equal(lifetime(&m, &x, 443), 400);
	assert_int_equal(lifetime(&m, &x, 450), 0);
	vouch_table_tick(t, 401 + VOUCH_LINGER_NS);
	assert_int_equal(vouch_table_count(t), 0);
	assert_int_equal(count_held(&m), 0);
	vouch_table_free(t);
}

static void the_longest_idle_address_goes_first(void **state)
{
	struct net_rule rules[] = { named("a.test", 443, 443) };
	struct policy p = { .net = { .allow = { rules, 1 }, .dns.max_addresses = 4 } };
	struct fake_map m = { 0 };
	const struct vouch_sink sink = { fake_put, fake_del, &m };
	union pf_addr x[6];
	struct vouch_table *t;

	(void)state;
	assert_int_equal(vouch_table_new(&p, &sink, &t), 0);
	for (uint32_t i = 0; i < 6; i++)
		x[i] = number(i);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(vouch_table_add(t, &x[i], "a.test", 100), 0);
	assert_int_equal(vouch_table_add(t, &x[0], "a.test", 100), 0);
	assert_int_equal(vouch_table_evicted(t), 0);
	assert_int_equal(vouch_table_add(t, &x[4], "a.test", 100), 0);
	assert_int_equal(vouch_table_evicted(t), 1);
	assert_int_equal(vouch_table_count(t), 4);
	assert_int_equal(lifetime(&m, &x[1], 443), 0);
	assert_int_equal(lifetime(&m, &x[0], 443), 100);
	assert_int_equal(count_held(&m), 8);
	vouch_table_free(t);
	assert_int_equal(count_held(&m), 0);
}

static void why_judges_as_the_kernel_does(void **state)
{
	struct net_rule allow[] = { named("api.test", 443, 443), named("any.test", 0, 65535) };
	struct net_rule deny[] = { named("bad.test", 0, 65535) };
	struct policy p = { .net = { .allow = { allow, 2 }, .deny = { deny, 1 } } };
	struct addr public;
	struct addr private;

	(void)state;
	assert_int_equal(addr_parse("198.51.100.10", &public), 0);
	assert_int_equal(addr_parse("10.9.9.9", &private), 0);
	assert_int_equal(net_judge(&p, &public, 443, PROTO_TCP, "api.test").reason,
			 PF_ALLOW_VOUCHED);
	assert_ptr_equal(net_judge(&p, &public, 443, PROTO_TCP, "api.test").rule, &allow[0]);
	assert_int_equal(net_judge(&p, &public, 8443, PROTO_TCP, "api.test").reason, PF_DENY_PORT);
	assert_int_equal(net_judge(&p, &public, 443, PROTO_UDP, "api.test").reason, PF_DENY_PORT);
	assert_int_equal(net_judge(&p, &public, 443, PROTO_TCP, NULL).reason, PF_DENY_UNMATCHED);
	assert_int_equal(net_judge(&p, &public, 443, PROTO_TCP, "no.test").reason,
			 PF_DENY_UNMATCHED);
	assert_int_equal(net_judge(&p, &private, 443, PROTO_TCP, "any.test").reason,
			 PF_DENY_PRIVATE);
	assert_int_equal(net_judge(&p, &public, 443, PROTO_TCP, "bad.test").reason, PF_DENY_RULE);
	assert_ptr_equal(net_judge(&p, &public, 443, PROTO_TCP, "bad.test").rule, &deny[0]);
}

static void of_two_entries_the_one_that_verifies_holds(void **state)
{
	struct net_rule rules[] = { named("plain.test", 443, 443), named("any.test", 0, 65535),
				    named("a.test", 443, 443), named("wide.test", 400, 500) };
	struct policy p = { .net = { .allow = { rules, 4 }, .dns.max_addresses = 4 } };
	struct fake_map m = { 0 };
	const struct vouch_sink sink = { fake_put, fake_del, &m };
	const union pf_addr x = number(1);
	struct vouch_table *t;

	(void)state;
	rules[2].verify_sni = true;
	rules[3].verify_sni = true;
	assert_int_equal(vouch_table_new(&p, &sink, &t), 0);
	assert_int_equal(vouch_table_add(t, &x, "plain.test", 900), 0);
	assert_int_equal(vouch_table_add(t, &x, "any.test", 900), 0);
	assert_false(is_verified(&m, &x, 443));
	assert_int_equal(vouch_table_add(t, &x, "a.test", 100), 0);
	assert_true(is_verified(&m, &x, 443));
	assert_false(is_verified(&m, &x, 444));
	assert_int_equal(lifetime(&m, &x, 443), 900);
	assert_int_equal(vouch_table_add(t, &x, "wide.test", 100), 0);
	assert_true(is_verified(&m, &x, 450));
	assert_false(is_verified(&m, &x, 501));
	assert_true(vouch_table_has(t, &x, "a.test", 99));
	assert_false(vouch_table_has(t, &x, "a.test", 100));
	assert_false(vouch_table_has(t, &x, "other.test", 1));
	vouch_table_free(t);
}

static uint32_t judge_any(const struct net_tables *t, uint16_t port, uint16_t proto)
{
	const struct pf_world w = { .now = 1, .flags = t->flags, .tables = t };
	const struct pf_ask ask = { .addr = number(1), .port = port, .proto = proto };
	struct pf_answer answer;

	pf_judge(&w, &ask, &answer);
	return answer.reason;
}

static void everything_verified_stays_so_beside_a_narrower_entry(void **state)
{
	struct net_rule any = { .host = HOST_ANY, .protos = PROTO_TCP };
	struct net_rule rules[] = { any, any, any };
	struct policy p = { .net = { .allow = { rules, 3 } } };
	struct net_tables t;

	(void)state;
	rules[0].port_low = rules[0].port_high = 443;
	rules[1].port_low = 400;
	rules[1].port_high = 500;
	rules[1].verify_sni = true;
	rules[2].port_high = 65535;
	rules[2].protos = PROTO_TCP | PROTO_UDP;
	assert_int_equal(net_tables_build(&p, &t, NULL), 0);
	assert_int_equal(judge_any(&t, 443, PF_TCP), PF_ALLOW_VERIFY);
	assert_int_equal(judge_any(&t, 444, PF_TCP), PF_ALLOW_VERIFY);
	assert_int_equal(judge_any(&t, 80, PF_TCP), PF_ALLOW_ANY);
	assert_int_equal(judge_any(&t, 443, PF_UDP), PF_ALLOW_ANY);
	net_tables_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_split_into_blocks_that_hold_just_it),
		cmocka_unit_test(tables_say_what_the_entries_say),
		cmocka_unit_test(every_reason_has_its_words),
		cmocka_unit_test(a_port_lives_as_long_as_the_longest_name_that_covers_it),
		cmocka_unit_test(the_longest_idle_address_goes_first),
		cmocka_unit_test(why_judges_as_the_kernel_does),
		cmocka_unit_test(of_two_entries_the_one_that_verifies_holds),
		cmocka_unit_test(everything_verified_stays_so_beside_a_narrower_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
