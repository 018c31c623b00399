/* SPDX-License-Identifier: MIT */
/* What observing lets through, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "dns/worker.h"
#include "net/fence.h"
#include "policy/names.h"
#include "policy/policy.h"
#include "session/observe.h"
#include "verdict.h"

static void test_only_what_a_rule_could_open_is_let_through(void **state)
{
	static const bool OPENS[PF_DENY_MAX] = {
		[PF_DENY_RULE] = true,      [PF_DENY_LOOPBACK] = true, [PF_DENY_PRIVATE] = true,
		[PF_DENY_UNMATCHED] = true, [PF_DENY_PORT] = true,     [PF_DENY_EXPIRED] = true,
		[PF_DENY_BIND] = true,
	};

	(void)state;
	for (unsigned r = 0; r < PF_DENY_MAX; r++) {
		if (pf_is_observed(PF_OBSERVE, r) != OPENS[r])
			fail_msg("reason %u", r);
		assert_false(pf_is_observed((__u32)~PF_OBSERVE, r));
	}
}

static struct net_vouch judged(struct observe *o, const char *name, const char *address,
			       uint64_t *ret_keep)
{
	struct dns_note note = { .kind = DNS_NOTE_VOUCH, .n_addrs = 1 };
	struct net_vouch v = { .reason = PF_DENY_UNMATCHED };

	snprintf(note.name, sizeof(note.name), "%s", name);
	assert_int_equal(addr_parse(address, &v.addr), 0);
	note.addrs[0] = v.addr;
	*ret_keep = observe_names(o, &note, &v);
	return v;
}

static void test_metadata_and_the_never_list_are_not_answered(void **state)
{
	static const char *const SHUT[] = { "169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1",
					    "64:ff9b::a9fe:a9fe" };
	static const char *const OPEN[] = { "198.51.100.20", "10.0.0.7", "127.0.0.1", "fd00::1" };
	const struct policy p = { .net.allow_metadata = true };
	struct observe *o = NULL;
	uint64_t keep;

	(void)state;
	assert_int_equal(observe_new(&p, &o), 0);
	for (size_t i = 0; i < ARRAY_SIZE(SHUT); i++) {
		assert_true(judged(o, "x.test", SHUT[i], &keep).reason < PF_ALLOW);
		assert_int_equal(keep, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(OPEN); i++) {
		assert_true(judged(o, "x.test", OPEN[i], &keep).reason >= PF_ALLOW);
		assert_int_equal(keep, 1);
	}
	observe_free(o);
}

static void test_the_resolver_asks_for_every_name_but_metadata(void **state)
{
	const struct policy p = { .net.allow_metadata = true };
	const struct net_rule *rule;
	struct observe *o = NULL;

	(void)state;
	assert_int_equal(observe_new(&p, &o), 0);
	assert_true(policy_may_resolve(observe_policy(o), "any.test", &rule));
	assert_non_null(rule);
	assert_false(policy_may_resolve(observe_policy(o), "metadata.google.internal", &rule));
	assert_false(policy_may_resolve(&p, "any.test", &rule));
	observe_free(o);
}

static void test_the_newest_name_of_an_address_is_told_and_old_ones_go(void **state)
{
	const struct policy p = { 0 };
	struct observe *o = NULL;
	struct net_vouch first;
	char address[32];
	uint64_t keep;

	(void)state;
	assert_int_equal(observe_new(&p, &o), 0);
	first = judged(o, "one.test", "198.51.100.20", &keep);
	judged(o, "two.test", "198.51.100.20", &keep);
	assert_string_equal(observe_name(o, &first.addr), "two.test");
	for (int i = 0; i < 3000; i++) {
		snprintf(address, sizeof(address), "10.1.%d.%d", i / 250, i % 250);
		judged(o, "many.test", address, &keep);
	}
	assert_null(observe_name(o, &first.addr));
	observe_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_a_rule_could_open_is_let_through),
		cmocka_unit_test(test_metadata_and_the_never_list_are_not_answered),
		cmocka_unit_test(test_the_resolver_asks_for_every_name_but_metadata),
		cmocka_unit_test(test_the_newest_name_of_an_address_is_told_and_old_ones_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
