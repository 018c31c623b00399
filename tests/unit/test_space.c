/* SPDX-License-Identifier: MIT */
/* The policy's reader and the verdict know the same spaces: what the one refuses as an entry that
 * could never hold, the other never opens, and nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/addr.h"
#include "base/clean.h"
#include "net/world.h"
#include "policy/space.h"
#include "verdict.h"

#define ROUNDS 400000

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The space as the verdict has it. */
static enum space space_by_verdict(const struct addr *a)
{
	union pf_addr given;
	union pf_addr inner;

	memcpy(given.b, a->b, sizeof(given.b));
	pf_inner(&given, &inner);
	if (memcmp(given.b, inner.b, sizeof(given.b)) != 0)
		return SPACE_EMBEDDED;
	switch (pf_classify(&inner)) {
	case PF_CLASS_NEVER:
		return SPACE_NEVER;
	case PF_CLASS_METADATA:
		return SPACE_METADATA;
	default:
		return SPACE_PLAIN;
	}
}

static void compare(const struct addr *a)
{
	char text[ADDR_TEXT_MAX];

	if (space_of(a, 128) == space_by_verdict(a))
		return;
	addr_format(a, text);
	fail_msg("%s is %s to the policy, %s to the verdict", text, space_name(space_of(a, 128)),
		 space_name(space_by_verdict(a)));
}

static void the_edges_of_each_space_are_the_same(void **state)
{
	static const char *const EDGES[] = {
		"0.0.0.0",
		"0.255.255.255",
		"1.0.0.0",
		"10.0.0.1",
		"100.64.0.1",
		"100.100.100.199",
		"100.100.100.200",
		"100.100.100.201",
		"127.0.0.1",
		"128.0.0.1",
		"168.63.129.15",
		"168.63.129.16",
		"168.63.129.17",
		"169.253.255.255",
		"169.254.0.0",
		"169.254.255.255",
		"169.255.0.0",
		"192.0.0.0",
		"192.0.0.191",
		"192.0.0.192",
		"192.0.0.255",
		"192.0.1.0",
		"192.0.2.1",
		"198.51.100.1",
		"203.0.113.1",
		"223.255.255.255",
		"224.0.0.0",
		"255.255.255.255",
		"::",
		"::1",
		"::2",
		"::1.2.3.4",
		"::ffff:0:1.2.3.4",
		"64:ff9b::1.2.3.4",
		"64:ff9b:1::1",
		"64:ff9b:2::1",
		"2001::1",
		"2001:0:ffff::1",
		"2001:1::1",
		"2001:db8::1",
		"2002::1",
		"2003::1",
		"fc00::1",
		"fd00:42::41",
		"fd00:42::42",
		"fd00:c1::a9fe:a9fe",
		"fd00:c1::a9fe:a9ff",
		"fd00:ec2::1",
		"fd00:ec3::1",
		"fd20:ce::254",
		"fd20:ce::255",
		"fe7f::1",
		"fe80::1",
		"febf::1",
		"fec0::1",
		"ff00::1",
		"2001:db8:5::5efe:1.2.3.4",
		"2001:db8:5:0:200:5efe:1.2.3.4",
		"2001:db8:5:0:100:5efe:1.2.3.4",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(EDGES); i++) {
		struct addr a;

		assert_int_equal(addr_parse(EDGES[i], &a), 0);
		compare(&a);
	}
}

/* Random bits seldom meet a small space: half of the addresses start as an edge does. */
static void addresses_at_random_agree(void **state)
{
	static const uint8_t STARTS[][4] = {
		{ 0, 0, 0, 0 },       { 0x00, 0x64, 0xff, 0x9b }, { 0x20, 0x01, 0, 0 },
		{ 0x20, 0x02, 1, 2 }, { 0xfd, 0, 0x0e, 0xc2 },    { 0xfe, 0x80, 0, 0 },
		{ 0xff, 2, 0, 0 },    { 0xfd, 0x20, 0, 0xce },
	};
	uint64_t seed = 0x9e3779b97f4a7c15ULL;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t bits[2] = { next_random(&seed), next_random(&seed) };
		struct addr a;

		memcpy(a.b, bits, sizeof(a.b));
		if (i % 4 == 0)
			a = addr_from_v4((uint32_t)bits[0]);
		if (i % 4 == 1)
			memcpy(a.b, STARTS[bits[0] % ARRAY_SIZE(STARTS)], 4);
		if (i % 8 == 1)
			memset(a.b + 4, 0, 4);
		compare(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_edges_of_each_space_are_the_same),
		cmocka_unit_test(addresses_at_random_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
