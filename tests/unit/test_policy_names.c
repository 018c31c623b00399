/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clean.h"
#include "base/name.h"
#include "policy/names.h"
#include "policy_helper.h"

struct row {
	const char *entry;
	const char *name;
	bool match;
};

static void matches_whole_labels_only(void **state)
{
	static const struct row rows[] = {
		{ "*.wild.test", "a.wild.test", true },
		{ "*.wild.test", "a.b.wild.test", true },
		{ "*.wild.test", "wild.test", false },
		{ "*.wild.test", "xwild.test", false },
		{ "*.wild.test", "wild.test.evil.test", false },
		{ "*.wild.test", "a.wild.test.evil.test", false },
		{ "*.wild.test", "A.WILD.TEST.", true },
		{ "*.WILD.Test.", "a.wild.test", true },
		{ "**.wild.test", "wild.test", true },
		{ "**.wild.test", "a.b.wild.test", true },
		{ "**.wild.test", "xwild.test", false },
		{ "wild.test", "wild.test", true },
		{ "wild.test", "a.wild.test", false },
		{ "wild.test", "wild.tes", false },
		{ "*.b\\u00fccher.test", "a.xn--bcher-kva.test", true },
		{ "B\\u00dcCHER.test", "xn--bcher-kva.test", true },
		{ "b\\u00fccher.test", "bucher.test", false },
		{ "xn--bcher-kva.test", "XN--BCHER-KVA.TEST", true },
		{ "_srv._tcp.test", "_srv._tcp.test", true },
		{ "test", "a.test", false },
		{ "*.test", "a.test", true },
		{ "*", "a.test", true },
		{ "192.0.2.1", "a.test", false },
		{ "localhost", "a.test", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[256];
		char name[NAME_BUF];
		struct policy p = { 0 };
		struct pinfold_error e;
		const struct net_rule *rule;

		snprintf(text, sizeof(text), "{network: {allowOutbound: ['%s:443']}}",
			 rows[i].entry);
		if (helper_parse(text, &p, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(name_canonical(rows[i].name, name), 0);
		if (net_rule_matches_name(&p.net.allow.rule[0], name) != rows[i].match ||
		    policy_may_resolve(&p, name, &rule) != rows[i].match)
			fail_msg("%s against %s", rows[i].entry, rows[i].name);
		policy_done(&p);
	}
}

static void a_name_with_an_empty_label_is_no_name(void **state)
{
	char name[NAME_BUF];

	(void)state;
	assert_true(name_canonical("a..wild.test", name) < 0);
	assert_int_equal(name_canonical("a.wild.test", name), 0);
}

static void expect_resolves(const char *text, const char *name, bool may, const char *origin)
{
	struct policy p = { 0 };
	struct pinfold_error e;
	const struct net_rule *rule;

	if (helper_parse(text, &p, &e) < 0)
		fail_msg("%s", e.text);
	if (policy_may_resolve(&p, name, &rule) != may || !rule != !origin ||
	    (origin && !strstr(rule->origin, origin)))
		fail_msg("%s: %s by %s", text, name, rule ? rule->origin : "nothing");
	policy_done(&p);
}

static void a_deny_of_a_name_wins(void **state)
{
	static const char text[] = "{network: {allowOutbound: ['*.wild.test:443', 'x.test'], "
				   "denyOutbound: ['bad.wild.test', '**.worse.wild.test:80']}}";

	(void)state;
	expect_resolves(text, "a.wild.test", true, "allowOutbound[0]");
	expect_resolves(text, "x.test", true, "allowOutbound[1]");
	expect_resolves(text, "bad.wild.test", false, "denyOutbound[0]");
	expect_resolves(text, "a.bad.wild.test", true, "allowOutbound[0]");
	expect_resolves(text, "worse.wild.test", false, "denyOutbound[1]");
	expect_resolves(text, "a.worse.wild.test", false, "denyOutbound[1]");
	expect_resolves(text, "other.test", false, NULL);
	expect_resolves("{network: {allowOutbound: ['a.test'], denyOutbound: ['*']}}", "a.test",
			false, "denyOutbound[0]");
	expect_resolves("{network: {allowOutbound: ['a.test'], denyOutbound: ['192.0.2.1']}}",
			"a.test", true, "allowOutbound[0]");
	expect_resolves("{}", "a.test", false, NULL);
	expect_resolves("{network: {allowOutbound: []}}", "a.test", false, NULL);
}

static void never_resolves_metadata_localhost_or_addresses(void **state)
{
	static const char any[] = "{network: {allowOutbound: ['*']}}";
	static const char open[] =
	    "{network: {allowOutbound: ['*'], dangerouslyAllowMetadata: true}}";
	static const char *const never[] = { "localhost", "a.localhost", "192.0.2.1", "1.2",
					     "127.0x1" };
	static const char *const metadata[] = { "metadata.google.internal", "metadata",
						"instance-data", "instance-data.ec2.internal",
						"a.metadata.google.internal" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		expect_resolves(open, never[i], false, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(metadata); i++) {
		expect_resolves(any, metadata[i], false, NULL);
		expect_resolves(open, metadata[i], true, "allowOutbound[0]");
	}
	expect_resolves(any, "metadata.example.test", true, "allowOutbound[0]");
	expect_resolves(any, "instance.test", true, "allowOutbound[0]");
	expect_resolves("{network: {dangerouslyAllowMetadata: true}}", "metadata", false, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_whole_labels_only),
		cmocka_unit_test(a_name_with_an_empty_label_is_no_name),
		cmocka_unit_test(a_deny_of_a_name_wins),
		cmocka_unit_test(never_resolves_metadata_localhost_or_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
