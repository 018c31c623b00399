/* SPDX-License-Identifier: MIT */
#include "dns_help.h"

#include <stdio.h>

#include "dns/gate.h"

static struct net_rule allow[] = { NAME_RULE(HOST_NAME, "api.test"),
				   NAME_RULE(HOST_BELOW, "wild.test") };
static struct net_rule deny[] = { NAME_RULE(HOST_NAME, "bad.wild.test") };
static const struct policy POLICY = { .net = { .allow = { allow, ARRAY_SIZE(allow) },
					       .deny = { deny, ARRAY_SIZE(deny) },
					       .dns = { .new_names_per_minute = 6 } } };

static struct net_rule any[] = { { .host = HOST_ANY, .port_high = 65535, .protos = PROTO_TCP } };
static const struct policy ANY = { .net = { .allow = { any, 1 } } };

struct expect {
	const char *name;
	uint16_t type;
	enum dns_action action;
	enum dns_refusal refusal;
};

static void check(const struct policy *p, const struct expect *table, size_t n)
{
	struct dns_gate gate;

	assert_int_equal(dns_gate_prepare(&gate, p, 42), 0);
	for (size_t i = 0; i < n; i++) {
		struct dns_question q;
		struct dns_verdict v;

		assert_int_equal(dns_question_make(table[i].name, table[i].type, &q), 0);
		v = dns_gate_judge(&gate, &q, 1000);
		if (v.action != table[i].action || v.refusal != table[i].refusal)
			fail_msg("%s %u: action %d refusal %d", table[i].name, table[i].type,
				 v.action, v.refusal);
	}
	dns_gate_done(&gate);
}

#define REFUSE(why) DNS_ACT_REFUSE, DNS_REFUSAL_##why
#define FORWARD DNS_ACT_FORWARD, DNS_REFUSAL_NONE

static void only_allowed_names_and_useful_types_go_upstream(void **state)
{
	static const struct expect TABLE[] = {
		{ "api.test", DNS_TYPE_A, FORWARD },
		{ "api.test", DNS_TYPE_AAAA, FORWARD },
		{ "api.test", DNS_TYPE_TXT, FORWARD },
		{ "api.test", DNS_TYPE_HTTPS, DNS_ACT_EMPTY, DNS_REFUSAL_NONE },
		{ "api.test", DNS_TYPE_SVCB, DNS_ACT_EMPTY, DNS_REFUSAL_NONE },
		{ "api.test", 255, REFUSE(TYPE) }, /* ANY */
		{ "api.test", 252, REFUSE(TYPE) }, /* AXFR */
		{ "api.test", 10, REFUSE(TYPE) },  /* NULL */
		{ "api.test", 0, REFUSE(TYPE) },
		{ "api.test", DNS_TYPE_OPT, REFUSE(TYPE) },
		{ "evil.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "evil.test", DNS_TYPE_AAAA, REFUSE(NAME) },
		{ "evil.test", DNS_TYPE_TXT, REFUSE(NAME) },
		{ "evil.test", DNS_TYPE_HTTPS, REFUSE(NAME) },
		{ "evil.test", 255, REFUSE(NAME) },
		{ "x.api.test", DNS_TYPE_TXT, REFUSE(NAME) },
		{ "evil-api.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "api.test.evil.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "a.wild.test", DNS_TYPE_A, FORWARD },
		{ "wild.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "bad.wild.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "metadata.google.internal", DNS_TYPE_A, REFUSE(NAME) },
		{ "localhost", DNS_TYPE_A, DNS_ACT_LOCALHOST, DNS_REFUSAL_NONE },
		{ "a.localhost", DNS_TYPE_AAAA, DNS_ACT_LOCALHOST, DNS_REFUSAL_NONE },
		{ "localhost.evil.test", DNS_TYPE_A, REFUSE(NAME) },
		{ "1.100.51.198.in-addr.arpa", DNS_TYPE_PTR, REFUSE(NAME) },
	};

	(void)state;
	check(&POLICY, TABLE, ARRAY_SIZE(TABLE));
}

static void addresses_are_no_names_even_where_every_name_is_allowed(void **state)
{
	static const struct expect TABLE[] = {
		{ "169.254.169.254", DNS_TYPE_A, REFUSE(FORM) },
		{ "0x7f.1", DNS_TYPE_A, REFUSE(FORM) },
		{ "127.0.0.0x1", DNS_TYPE_A, REFUSE(FORM) },
		{ "2130706433", DNS_TYPE_A, REFUSE(FORM) },
		{ "0x7f000001", DNS_TYPE_A, REFUSE(FORM) },
		{ "example.1", DNS_TYPE_A, REFUSE(FORM) },
		{ "1.example", DNS_TYPE_A, FORWARD },
		{ "x.0xyz", DNS_TYPE_A, FORWARD },
		{ "metadata.google.internal", DNS_TYPE_A, REFUSE(NAME) },
		{ "1.100.51.198.in-addr.arpa", DNS_TYPE_PTR, FORWARD },
	};

	(void)state;
	check(&ANY, TABLE, ARRAY_SIZE(TABLE));
}

static enum dns_action judge(struct dns_gate *g, const char *name, uint64_t now_ms)
{
	struct dns_question q;

	assert_int_equal(dns_question_make(name, DNS_TYPE_A, &q), 0);
	return dns_gate_judge(g, &q, now_ms).action;
}

static void new_names_under_a_wildcard_are_rationed(void **state)
{
	struct dns_gate gate;
	char name[32];

	(void)state;
	assert_int_equal(dns_gate_prepare(&gate, &POLICY, 42), 0);
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "n%d.wild.test", i);
		assert_int_equal(judge(&gate, name, 1000), DNS_ACT_FORWARD);
	}
	assert_int_equal(judge(&gate, "n6.wild.test", 1000), DNS_ACT_REFUSE);
	/* Known names and exact entries cost nothing. */
	assert_int_equal(judge(&gate, "n3.wild.test", 1001), DNS_ACT_FORWARD);
	assert_int_equal(judge(&gate, "api.test", 1001), DNS_ACT_FORWARD);
	/* Ten seconds are worth one name; asking all the while does not lose them. */
	for (uint64_t ms = 1001; ms < 10900; ms++)
		assert_int_equal(judge(&gate, "n6.wild.test", ms), DNS_ACT_REFUSE);
	assert_int_equal(judge(&gate, "n6.wild.test", 11100), DNS_ACT_FORWARD);
	assert_int_equal(judge(&gate, "n7.wild.test", 11101), DNS_ACT_REFUSE);
	dns_gate_done(&gate);
}

static void every_refusal_has_its_code(void **state)
{
	static const struct policy REFUSED = { .net.dns.denied_answer = ANSWER_REFUSED };

	(void)state;
	assert_int_equal(dns_refusal_rcode(&ANY, DNS_REFUSAL_NAME), DNS_NXDOMAIN);
	assert_int_equal(dns_refusal_rcode(&REFUSED, DNS_REFUSAL_NAME), DNS_REFUSED);
	assert_int_equal(dns_refusal_rcode(&ANY, DNS_REFUSAL_CHAIN), DNS_NXDOMAIN);
	assert_int_equal(dns_refusal_rcode(&ANY, DNS_REFUSAL_RATE), DNS_REFUSED);
	assert_int_equal(dns_refusal_rcode(&ANY, DNS_REFUSAL_TYPE), DNS_NOTIMP);
	assert_int_equal(dns_refusal_rcode(&ANY, DNS_REFUSAL_MAX), DNS_REFUSED);
	assert_int_equal(dns_refusal_ede(DNS_REFUSAL_NAME), DNS_EDE_BLOCKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_allowed_names_and_useful_types_go_upstream),
		cmocka_unit_test(addresses_are_no_names_even_where_every_name_is_allowed),
		cmocka_unit_test(new_names_under_a_wildcard_are_rationed),
		cmocka_unit_test(every_refusal_has_its_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
