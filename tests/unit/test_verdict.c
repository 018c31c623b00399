/* SPDX-License-Identifier: MIT */
/* The order of judgement, as tables.  The kernel runs the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clean.h"
#include "net/tables.h"
#include "net/world.h"
#include "policy/policy.h"

#define T PF_TCP
#define U PF_UDP
#define I PF_ICMP

enum vouched { NOT = 0, LIVE, DEAD, OTHER_PORT };

struct row {
	const char *addr;
	uint16_t port;
	uint16_t proto;
	enum vouched vouched;
	enum pf_reason want;
};

static struct net_rule literal(const char *addr, unsigned len, int port, unsigned protos)
{
	struct net_rule r = {
		.host = HOST_PREFIX,
		.prefix_len = len,
		.port_low = (uint16_t)(port < 0 ? 0 : port),
		.port_high = (uint16_t)(port < 0 ? 65535 : port),
		.protos = protos,
	};

	assert_int_equal(addr_parse(addr, &r.addr), 0);
	return r;
}

static struct pf_answer judge(const struct net_tables *t, const struct row *r)
{
	static const union pf_addr HOST[] = {
		{ .b = { [10] = 0xff, [11] = 0xff, [12] = 8, 8, 8, 8 } },
		{ .b = { [10] = 0xff, [11] = 0xff, [12] = 198, 51, 100, 99 } },
	};
	struct pf_vouch v = { .until = r->vouched == DEAD ? 50 : 150, .rule = 7 };
	struct pf_world w = {
		.now = 100,
		.flags = t->flags,
		.tables = t,
		.vouch = r->vouched == NOT ? NULL : &v,
		.host = HOST,
		.n_host = ARRAY_SIZE(HOST),
	};
	struct pf_ask ask = { .port = r->port, .proto = r->proto };
	struct pf_answer answer;
	struct addr a;

	if (r->vouched == OTHER_PORT)
		v.rule = PF_RULE_NONE;
	assert_int_equal(addr_parse(r->addr, &a), 0);
	ask.addr = net_addr(&a);
	pf_judge(&w, &ask, &answer);
	return answer;
}

static void check(const struct policy *p, const struct row *rows, size_t n)
{
	struct net_tables t;
	unsigned wrong = 0;

	assert_int_equal(net_tables_build(p, &t, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		struct pf_answer got = judge(&t, r);

		if (got.reason == (uint32_t)r->want)
			continue;
		print_message("row %zu %s port %u proto %u: %u, not %u\n", i, r->addr, r->port,
			      r->proto, got.reason, (unsigned)r->want);
		wrong++;
	}
	net_tables_done(&t);
	assert_int_equal(wrong, 0);
}

/* What nothing opens: judged under a policy that allows as much as can be written. */
static const struct row NEVER[] = {
	{ "0.0.0.0", 443, T, LIVE, PF_DENY_NEVER },
	{ "0.1.2.3", 443, T, LIVE, PF_DENY_NEVER },
	{ "0.255.255.255", 443, U, LIVE, PF_DENY_NEVER },
	{ "1.0.0.0", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "192.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "192.0.0.255", 443, T, LIVE, PF_DENY_NEVER },
	{ "192.0.1.0", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "191.255.255.255", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "223.255.255.255", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "224.0.0.1", 443, U, LIVE, PF_DENY_NEVER },
	{ "239.255.255.250", 1900, U, LIVE, PF_DENY_NEVER },
	{ "240.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "255.255.255.255", 67, U, LIVE, PF_DENY_NEVER },
	{ "::", 443, T, LIVE, PF_DENY_NEVER },
	{ "::2", 443, T, LIVE, PF_DENY_NEVER },
	{ "::8.8.4.4", 443, T, LIVE, PF_DENY_NEVER },
	{ "::127.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "ff02::1", 443, U, LIVE, PF_DENY_NEVER },
	{ "ff05::1:3", 547, U, LIVE, PF_DENY_NEVER },
	{ "2001::1", 443, T, LIVE, PF_DENY_NEVER },
	{ "2001:0:4136:e378:8000:63bf:3fff:fdd2", 443, T, LIVE, PF_DENY_NEVER },
	{ "2001:1::1", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "2a00::5efe:808:404", 443, T, LIVE, PF_DENY_NEVER },
	{ "2a00::200:5efe:808:404", 443, T, LIVE, PF_DENY_NEVER },
	{ "2a00::100:5efe:808:404", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "64:ff9b:1::808:404", 443, T, LIVE, PF_DENY_NEVER },
	{ "64:ff9b:1:ffff::1", 443, T, LIVE, PF_DENY_NEVER },
	{ "::ffff:0.0.0.0", 443, T, LIVE, PF_DENY_NEVER },
	{ "::ffff:224.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "64:ff9b::224.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "64:ff9b::0.0.0.0", 443, T, LIVE, PF_DENY_NEVER },
	{ "2002:e000:1::1", 443, T, LIVE, PF_DENY_NEVER },
	{ "2002:0:1::1", 443, T, LIVE, PF_DENY_NEVER },
	{ "::ffff:0:224.0.0.1", 443, T, LIVE, PF_DENY_NEVER },
	{ "::ffff:0:192.0.0.8", 443, T, LIVE, PF_DENY_NEVER },
	{ "169.254.0.1", 443, T, LIVE, PF_DENY_METADATA },
	{ "169.254.169.254", 80, T, LIVE, PF_DENY_METADATA },
	{ "169.254.255.255", 80, U, LIVE, PF_DENY_METADATA },
	{ "100.100.100.200", 80, T, LIVE, PF_DENY_METADATA },
	{ "100.100.100.201", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "168.63.129.16", 80, T, LIVE, PF_DENY_METADATA },
	{ "168.63.129.17", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "192.0.0.192", 80, T, LIVE, PF_DENY_METADATA },
	{ "fe80::1", 80, T, LIVE, PF_DENY_METADATA },
	{ "febf::1", 80, T, LIVE, PF_DENY_METADATA },
	{ "fec0::1", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "fd00:ec2::254", 80, T, LIVE, PF_DENY_METADATA },
	{ "fd00:ec2:ffff::1", 80, T, LIVE, PF_DENY_METADATA },
	{ "fd00:ec3::254", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "fd20:ce::254", 80, T, LIVE, PF_DENY_METADATA },
	{ "fd20:ce::255", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "fd00:c1::a9fe:a9fe", 80, T, LIVE, PF_DENY_METADATA },
	{ "fd00:42::42", 80, T, LIVE, PF_DENY_METADATA },
	{ "fd00:42::43", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "::ffff:169.254.169.254", 80, T, LIVE, PF_DENY_METADATA },
	{ "64:ff9b::a9fe:a9fe", 80, T, LIVE, PF_DENY_METADATA },
	{ "2002:a9fe:a9fe::1", 80, T, LIVE, PF_DENY_METADATA },
	{ "::ffff:0:a9fe:a9fe", 80, T, LIVE, PF_DENY_METADATA },
	/* loopback is not opened by an entry that merely covers it */
	{ "127.0.0.1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "127.255.255.254", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "::1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "::ffff:127.0.0.1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "64:ff9b::127.0.0.1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "2002:7f00:1::1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "128.0.0.1", 443, T, NOT, PF_ALLOW_LITERAL },
};

static void nothing_opens_the_never_list(void **state)
{
	struct net_rule allow[] = { literal("::", 0, -1, PROTO_TCP | PROTO_UDP) };
	struct policy p = { .net.allow = { allow, ARRAY_SIZE(allow) } };

	(void)state;
	check(&p, NEVER, ARRAY_SIZE(NEVER));
}

/* Nothing but an answer for a name. */
static const struct row NAMES[] = {
	{ "8.8.4.4", 443, T, NOT, PF_DENY_UNMATCHED },
	{ "8.8.4.4", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "8.8.4.4", 443, U, LIVE, PF_ALLOW_VOUCHED },
	{ "8.8.4.4", 443, T, DEAD, PF_DENY_EXPIRED },
	{ "8.8.4.4", 80, T, OTHER_PORT, PF_DENY_PORT },
	{ "8.8.4.4", 0, I, OTHER_PORT, PF_ALLOW_VOUCHED },
	{ "8.8.4.4", 0, I, NOT, PF_DENY_UNMATCHED },
	{ "2a00::1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "2a00::1", 443, T, DEAD, PF_DENY_EXPIRED },
	{ "::ffff:8.8.4.4", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "64:ff9b::8.8.4.4", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "2002:808:404::1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "9.255.255.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "10.0.0.0", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "10.255.255.255", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "11.0.0.0", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "172.15.255.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "172.16.0.0", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "172.31.255.255", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "172.32.0.0", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "192.167.255.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "192.168.0.0", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "192.168.255.255", 443, U, LIVE, PF_DENY_PRIVATE },
	{ "192.169.0.0", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "100.63.255.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "100.64.0.0", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "100.127.255.255", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "100.128.0.0", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "198.17.255.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "198.18.0.0", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "198.19.255.255", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "198.20.0.0", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "fbff::1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "fc00::1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "fdff::1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "fe00::1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "fec0::1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "feff::1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "64:ff9b::10.0.0.1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "2002:a00:1::1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "::ffff:0:10.0.0.1", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "::ffff:192.168.1.1", 443, T, LIVE, PF_DENY_PRIVATE },
	/* the host's own address; a documentation address is public even there */
	{ "8.8.8.8", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "64:ff9b::8.8.8.8", 443, T, LIVE, PF_DENY_PRIVATE },
	{ "198.51.100.99", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "192.0.2.1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "203.0.113.255", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "2001:db8:ffff::1", 443, T, LIVE, PF_ALLOW_VOUCHED },
	{ "127.0.0.1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "::1", 443, T, LIVE, PF_DENY_LOOPBACK },
	{ "169.254.169.254", 443, T, LIVE, PF_DENY_METADATA },
};

static void a_name_opens_public_space_and_no_other(void **state)
{
	struct policy p = { 0 };

	(void)state;
	check(&p, NAMES, ARRAY_SIZE(NAMES));
}

static const struct row ORDER[] = {
	{ "198.51.100.10", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "198.51.100.10", 443, U, NOT, PF_DENY_PORT },
	{ "198.51.100.10", 444, T, NOT, PF_DENY_PORT },
	{ "198.51.100.10", 444, T, LIVE, PF_ALLOW_VOUCHED },
	{ "198.51.100.10", 444, T, DEAD, PF_DENY_EXPIRED },
	{ "198.51.100.11", 443, T, NOT, PF_DENY_UNMATCHED },
	{ "203.0.113.7", 5432, T, NOT, PF_ALLOW_LITERAL },
	{ "203.0.113.9", 5432, T, NOT, PF_DENY_RULE },
	{ "203.0.113.9", 5432, T, LIVE, PF_DENY_RULE },
	{ "64:ff9b::203.0.113.9", 5432, T, LIVE, PF_DENY_RULE },
	{ "::ffff:203.0.113.9", 1, U, LIVE, PF_DENY_RULE },
	{ "203.0.113.128", 5432, T, NOT, PF_ALLOW_LITERAL },
	{ "203.0.113.128", 80, T, NOT, PF_ALLOW_LITERAL },
	{ "203.0.113.127", 80, T, NOT, PF_DENY_PORT },
	{ "203.0.113.129", 25, T, LIVE, PF_DENY_RULE },
	{ "203.0.113.129", 26, T, LIVE, PF_ALLOW_VOUCHED },
	{ "10.1.2.3", 22, T, NOT, PF_ALLOW_LITERAL },
	{ "10.1.2.3", 23, T, LIVE, PF_DENY_PORT },
	{ "10.2.2.3", 22, T, LIVE, PF_DENY_PRIVATE },
	{ "64:ff9b::10.1.2.3", 22, T, NOT, PF_ALLOW_LITERAL },
	{ "8.8.8.8", 8000, T, NOT, PF_ALLOW_LITERAL },
	{ "8.8.8.8", 8999, T, NOT, PF_ALLOW_LITERAL },
	{ "8.8.8.8", 7999, T, NOT, PF_DENY_PORT },
	{ "8.8.8.8", 9000, T, NOT, PF_DENY_PORT },
	{ "127.0.0.1", 5432, T, NOT, PF_ALLOW_LITERAL },
	{ "::1", 5432, T, NOT, PF_ALLOW_LITERAL },
	{ "127.0.0.2", 5432, T, NOT, PF_DENY_LOOPBACK },
	{ "127.0.0.1", 5433, T, NOT, PF_DENY_LOOPBACK },
	{ "127.0.0.1", 18789, T, NOT, PF_DENY_RULE },
	{ "2001:db8::7", 443, T, NOT, PF_ALLOW_LITERAL },
	{ "2001:db8::8", 443, T, NOT, PF_DENY_UNMATCHED },
	{ "169.254.169.254", 80, T, NOT, PF_ALLOW_METADATA },
	{ "169.254.169.254", 81, T, LIVE, PF_DENY_METADATA },
	{ "fd00:ec2::254", 80, T, LIVE, PF_DENY_METADATA },
	{ "2002:cb00:7101::1", 7, T, NOT, PF_ALLOW_LITERAL },
	{ "203.0.113.1", 7, T, NOT, PF_ALLOW_LITERAL },
	{ "203.0.113.2", 7, T, NOT, PF_DENY_PORT },
	/* "*:9" */
	{ "8.8.4.4", 9, T, NOT, PF_ALLOW_ANY },
	{ "8.8.4.4", 9, T, DEAD, PF_ALLOW_ANY },
	{ "8.8.4.4", 9, T, LIVE, PF_ALLOW_VOUCHED },
	{ "8.8.4.4", 10, T, NOT, PF_DENY_UNMATCHED },
	{ "10.1.2.3", 9, T, NOT, PF_DENY_PORT },
	{ "10.9.9.9", 9, T, NOT, PF_DENY_PRIVATE },
	{ "127.0.0.1", 9, T, NOT, PF_DENY_LOOPBACK },
	{ "8.8.8.8", 9, T, NOT, PF_DENY_PORT },
	{ "169.254.1.1", 9, T, NOT, PF_DENY_METADATA },
	{ "203.0.113.9", 9, T, NOT, PF_DENY_RULE },
	{ "224.0.0.1", 9, T, NOT, PF_DENY_NEVER },
};

static void the_order_of_judgement_holds(void **state)
{
	struct net_rule allow[] = {
		literal("198.51.100.10", 128, 443, PROTO_TCP),
		literal("203.0.113.0", 120, 5432, PROTO_TCP),
		literal("203.0.113.128", 121, 80, PROTO_TCP),
		literal("10.1.0.0", 112, 22, PROTO_TCP),
		literal("8.8.8.8", 128, 8000, PROTO_TCP),
		literal("2001:db8::7", 128, 443, PROTO_TCP),
		literal("169.254.169.254", 128, 80, PROTO_TCP),
		literal("2002:cb00:7101::", 48, 7, PROTO_TCP),
		{ .host = HOST_LOCALHOST,
		  .port_low = 5432,
		  .port_high = 5432,
		  .protos = PROTO_TCP },
		{ .host = HOST_ANY, .port_low = 9, .port_high = 9, .protos = PROTO_TCP },
	};
	struct net_rule deny[] = {
		literal("203.0.113.9", 128, -1, PROTO_TCP | PROTO_UDP),
		literal("203.0.113.128", 121, 25, PROTO_TCP),
		literal("127.0.0.1", 128, 18789, PROTO_TCP),
	};
	struct policy p = {
		.net = {
			.allow = { allow, ARRAY_SIZE(allow) },
			.deny = { deny, ARRAY_SIZE(deny) },
			.allow_metadata = true,
		},
	};

	(void)state;
	allow[4].port_high = 8999;
	check(&p, ORDER, ARRAY_SIZE(ORDER));
}

static void an_own_listener_opens_loopback_and_a_deny_shuts_it(void **state)
{
	struct pf_answer loopback = { .reason = PF_DENY_LOOPBACK };
	struct pf_answer ruled = { .reason = PF_DENY_RULE };
	struct pf_answer private = { .reason = PF_DENY_PRIVATE };

	(void)state;
	pf_with_own(&loopback, false);
	assert_int_equal(loopback.reason, PF_DENY_LOOPBACK);
	pf_with_own(&loopback, true);
	assert_int_equal(loopback.reason, PF_ALLOW_OWN);
	pf_with_own(&ruled, true);
	assert_int_equal(ruled.reason, PF_DENY_RULE);
	pf_with_own(&private, true);
	assert_int_equal(private.reason, PF_DENY_PRIVATE);
}

static void only_tcp_and_udp_sockets_are_made(void **state)
{
	static const struct {
		uint32_t flags, type, proto;
		bool want;
	} CASES[] = {
		{ 0, 1, 0, true },
		{ 0, 1, 6, true },
		{ 0, 2, 0, true },
		{ 0, 2, 17, true },
		{ 0, 1, 262, false },
		{ 0, 1, 132, false },
		{ 0, 1, 256, false },
		{ 0, 2, 136, false },
		{ 0, 2, 1, false },
		{ 0, 2, 58, false },
		{ 0, 3, 1, false },
		{ 0, 3, 255, false },
		{ 0, 3, 17, false },
		{ 0, 5, 132, false },
		{ 0, 1, 17, false },
		{ 0, 2, 6, false },
		{ 0, 0, 0, false },
		{ PF_WITH_ICMP, 2, 1, true },
		{ PF_WITH_ICMP, 2, 58, true },
		{ PF_WITH_ICMP, 3, 1, true },
		{ PF_WITH_ICMP, 3, 58, true },
		{ PF_WITH_ICMP, 3, 255, false },
		{ PF_WITH_ICMP, 3, 17, false },
		{ PF_WITH_ICMP, 1, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++)
		assert_int_equal(pf_socket_allowed(CASES[i].flags, CASES[i].type, CASES[i].proto),
				 CASES[i].want);
}

static void binds_stay_on_loopback(void **state)
{
	static const struct {
		const char *addr;
		uint16_t port, proto;
		enum pf_bind want;
	} CASES[] = {
		{ "127.0.0.1", 80, T, PF_BIND_KEEP },
		{ "::1", 80, T, PF_BIND_KEEP },
		{ "127.3.2.1", 80, U, PF_BIND_KEEP },
		{ "0.0.0.0", 80, T, PF_BIND_LOOPBACK },
		{ "0.0.0.0", 0, T, PF_BIND_LOOPBACK },
		{ "0.0.0.0", 80, U, PF_BIND_LOOPBACK },
		{ "0.0.0.0", 0, U, PF_BIND_KEEP },
		{ "::", 80, T, PF_BIND_KEEP },
		{ "::", 0, U, PF_BIND_KEEP },
		{ "198.51.100.1", 80, T, PF_BIND_DENY },
		{ "198.51.100.1", 0, T, PF_BIND_DENY },
		{ "198.51.100.1", 0, U, PF_BIND_KEEP },
		{ "198.51.100.1", 80, U, PF_BIND_DENY },
		{ "2001:db8::1", 80, T, PF_BIND_DENY },
		{ "0.0.0.0", 8080, T, PF_BIND_KEEP },
		{ "198.51.100.1", 8080, T, PF_BIND_KEEP },
		{ "198.51.100.1", 8080, U, PF_BIND_DENY },
		{ "0.0.0.0", 3000, T, PF_BIND_LOOPBACK },
		{ "198.51.100.1", 3000, T, PF_BIND_DENY },
	};
	struct inbound_rule inbound[] = {
		{ .port = 8080, .protos = PROTO_TCP },
		{ .port = 3000, .protos = PROTO_TCP, .loopback_only = true },
	};
	struct policy p = { .net = { .inbound = inbound, .n_inbound = 2 } };
	struct net_tables t;

	(void)state;
	assert_int_equal(net_tables_build(&p, &t, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct pf_world w = { .flags = t.flags, .tables = &t };
		struct pf_ask ask = { .port = CASES[i].port, .proto = CASES[i].proto };
		struct addr a;

		assert_int_equal(addr_parse(CASES[i].addr, &a), 0);
		ask.addr = net_addr(&a);
		if (pf_judge_bind(&w, &ask) != CASES[i].want)
			fail_msg("%s:%u proto %u", CASES[i].addr, ask.port, ask.proto);
	}
	net_tables_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_opens_the_never_list),
		cmocka_unit_test(a_name_opens_public_space_and_no_other),
		cmocka_unit_test(the_order_of_judgement_holds),
		cmocka_unit_test(an_own_listener_opens_loopback_and_a_deny_shuts_it),
		cmocka_unit_test(only_tcp_and_udp_sockets_are_made),
		cmocka_unit_test(binds_stay_on_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
