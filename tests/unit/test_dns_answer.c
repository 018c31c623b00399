/* SPDX-License-Identifier: MIT */
#include "dns_help.h"

#include <errno.h>
#include <stdio.h>

static struct net_rule allow[] = { NAME_RULE(HOST_NAME, "www.test"),
				   NAME_RULE(HOST_NAME, "api.test") };
static struct net_rule deny[] = { NAME_RULE(HOST_NAME, "bad.test") };
static const struct policy POLICY = { .net = { .allow = { allow, ARRAY_SIZE(allow) },
					       .deny = { deny, ARRAY_SIZE(deny) } } };

static struct dns_question ask(const char *name, uint16_t type)
{
	struct dns_question q;

	assert_int_equal(dns_question_make(name, type, &q), 0);
	q.udp_size = 4096;
	q.edns = true;
	return q;
}

static int answer_to(const struct made *m, const struct dns_question *q, struct dns_answer *ret)
{
	char denied[NAME_BUF];

	return dns_answer_read(m->buf, m->w.len, q, &POLICY, ret, denied);
}

/* Builds the reply and reads it back. */
static size_t reply_to(const struct dns_question *q, const struct dns_answer *a, uint64_t keep,
		       size_t cap, struct seen *ret)
{
	const struct dns_reply reply = { .rcode = a->rcode, .answer = a, .keep = keep };
	uint8_t buf[DNS_REPLY_MAX];
	size_t len = dns_reply_build(q, &reply, buf, cap);

	assert_true(len <= cap);
	read_back(buf, len, ret);
	return len;
}

static void takes_the_addresses_of_the_question(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_A);
	struct dns_answer a;
	struct seen seen;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	rr_addr(&m, "api.test", "198.51.100.10", 60);
	rr_addr(&m, "API.test", "198.51.100.11", 30);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	assert_int_equal(a.n_addrs, 2);
	assert_int_equal(a.ttl_s, 30);
	assert_true(addr_equal(
	    &a.addrs[1],
	    &(struct addr){ .b = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 11 } }));
	reply_to(&q, &a, UINT64_MAX, 512, &seen);
	assert_int_equal(seen.n_addrs, 2);
	assert_int_equal(seen.rr[0].ttl, 30);
}

static void vouches_for_nothing_outside_the_owner_chain(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_A);
	struct dns_answer a;
	struct made m;
	struct addr evil = ip("203.0.113.66");

	(void)state;
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	rr_addr(&m, "other.test", "203.0.113.66", 60);
	rr_addr(&m, "api.test", "198.51.100.10", 60);
	rr_addr(&m, "x.api.test", "203.0.113.66", 60);
	rr(&m, AT_ANSWER, "api.test", DNS_TYPE_AAAA, 60, evil.b, 16);
	rr(&m, AT_AUTHORITY, "api.test", DNS_TYPE_A, 60, evil.b + 12, 4);
	rr(&m, AT_ADDITIONAL, "api.test", DNS_TYPE_A, 60, evil.b + 12, 4);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	assert_int_equal(a.n_addrs, 1);
	assert_false(addr_equal(&a.addrs[0], &evil));
}

static void records_of_another_class_are_nobodys(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_A);
	struct dns_answer a;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	rr_addr(&m, "api.test", "198.51.100.10", 60);
	dns_set_u16(&m.w, m.w.len - 12, 3);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	assert_int_equal(a.n_addrs, 0);
}

static void chain_of(struct made *m, int n)
{
	char from[32] = "www.test";
	char to[32];

	begin(m, 7, 0x8180, "www.test", DNS_TYPE_A);
	for (int i = 0; i < n; i++) {
		snprintf(to, sizeof(to), "c%d.cdn.test", i);
		rr_cname(m, from, to, (uint32_t)(100 - i));
		memcpy(from, to, sizeof(from));
	}
	rr_addr(m, from, "198.51.100.10", 300);
}

static void follows_a_chain_of_16_and_no_longer_one(void **state)
{
	static const struct {
		int n;
		int expect;
	} CASES[] = { { 0, 0 }, { 1, 0 }, { 8, 0 }, { 16, 0 }, { 17, -ELOOP }, { 40, -ELOOP } };
	struct dns_question q = ask("www.test", DNS_TYPE_A);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct dns_answer a;
		struct seen seen;
		struct made m;

		chain_of(&m, CASES[i].n);
		assert_int_equal(answer_to(&m, &q, &a), CASES[i].expect);
		if (CASES[i].expect < 0)
			continue;
		assert_int_equal(a.n_addrs, 1);
		assert_int_equal(a.ttl_s, CASES[i].n ? 101 - CASES[i].n : 300);
		reply_to(&q, &a, UINT64_MAX, 4096, &seen);
		assert_int_equal(seen.h.n_answer, CASES[i].n + 1);
		assert_true(dns_name_equal(&seen.rr[0].owner, &q.name));
		for (int k = 1; k <= CASES[i].n; k++) {
			char owner[32];
			struct dns_name expect;

			snprintf(owner, sizeof(owner), "c%d.cdn.test", k - 1);
			expect = wire(owner);
			assert_true(dns_name_equal(&seen.rr[k].owner, &expect));
		}
	}
}

static void the_order_of_a_chains_records_does_not_matter(void **state)
{
	struct dns_question q = ask("www.test", DNS_TYPE_A);
	struct dns_answer a;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "www.test", DNS_TYPE_A);
	rr_addr(&m, "b.test", "198.51.100.10", 60);
	rr_cname(&m, "a.test", "b.test", 60);
	rr_cname(&m, "www.test", "a.test", 60);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	assert_int_equal(a.n_addrs, 1);
}

static void a_loop_is_an_error_and_ends(void **state)
{
	struct dns_question q = ask("www.test", DNS_TYPE_A);
	struct dns_answer a;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "www.test", DNS_TYPE_A);
	rr_cname(&m, "www.test", "a.test", 60);
	rr_cname(&m, "a.test", "WWW.test", 60);
	assert_int_equal(answer_to(&m, &q, &a), -ELOOP);
	begin(&m, 7, 0x8180, "www.test", DNS_TYPE_A);
	rr_cname(&m, "www.test", "www.test", 60);
	assert_int_equal(answer_to(&m, &q, &a), -ELOOP);
}

static void a_denied_name_in_the_chain_refuses_it_all(void **state)
{
	static const struct {
		const char *target;
		int expect;
	} CASES[] = { { "bad.test", -EACCES },
		      { "metadata.google.internal", -EACCES },
		      { "unlisted.test", 0 } };
	struct dns_question q = ask("www.test", DNS_TYPE_A);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		char denied[NAME_BUF] = "";
		struct dns_answer a;
		struct made m;

		begin(&m, 7, 0x8180, "www.test", DNS_TYPE_A);
		rr_cname(&m, "www.test", CASES[i].target, 60);
		rr_addr(&m, CASES[i].target, "198.51.100.10", 60);
		assert_int_equal(dns_answer_read(m.buf, m.w.len, &q, &POLICY, &a, denied),
				 CASES[i].expect);
		if (CASES[i].expect < 0)
			assert_string_equal(denied, CASES[i].target);
	}
}

static void answers_with_60_addresses_and_vouches_for_64_at_most(void **state)
{
	static const unsigned N[] = { 60, 64, 65, 200 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(N); i++) {
		struct dns_question q = ask("api.test", DNS_TYPE_A);
		unsigned kept = N[i] < DNS_ADDRS_MAX ? N[i] : DNS_ADDRS_MAX;
		struct dns_answer a;
		struct seen seen;
		struct made m;

		begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
		for (unsigned k = 0; k < N[i]; k++) {
			char addr[32];

			snprintf(addr, sizeof(addr), "198.51.100.%u", k + 1);
			rr_addr(&m, "api.test", addr, 60);
		}
		assert_int_equal(answer_to(&m, &q, &a), 0);
		assert_int_equal(a.n_addrs, kept);
		reply_to(&q, &a, UINT64_MAX, 4096, &seen);
		assert_int_equal(seen.n_addrs, kept);
		/* What a client without EDNS can't take goes over TCP. */
		q.edns = false;
		assert_true(reply_to(&q, &a, UINT64_MAX, 512, &seen) < 64);
		assert_true(seen.h.flags & DNS_FLAG_TC);
		assert_int_equal(seen.n_rr, 0);
	}
}

static void answers_only_with_what_the_ruling_keeps(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_AAAA);
	struct dns_answer a;
	struct seen seen;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_AAAA);
	rr_addr(&m, "api.test", "2001:db8::1", 60);
	rr_addr(&m, "api.test", "fe80::7", 60);
	rr_addr(&m, "api.test", "2001:db8::3", 60);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	reply_to(&q, &a, 5, 512, &seen);
	assert_int_equal(seen.n_addrs, 2);
	reply_to(&q, &a, 0, 512, &seen);
	assert_int_equal(seen.n_rr, 1); /* OPT */
	assert_int_equal(seen.h.flags & DNS_FLAG_RCODE, DNS_NOERROR);
}

static void an_empty_answer_is_no_error_and_keeps_its_soa(void **state)
{
	static const uint8_t SOA[] = "\2ns\4test\0\2ad\4test\0"
				     "\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5";
	static const uint16_t RCODES[] = { DNS_NOERROR, DNS_NXDOMAIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(RCODES); i++) {
		struct dns_question q = ask("api.test", DNS_TYPE_AAAA);
		struct dns_answer a;
		struct seen seen;
		struct made m;

		begin(&m, 7, (uint16_t)(0x8180 | RCODES[i]), "api.test", DNS_TYPE_AAAA);
		rr(&m, AT_AUTHORITY, "evil.test", DNS_TYPE_SOA, 60, SOA, sizeof(SOA) - 1);
		rr(&m, AT_AUTHORITY, "test", DNS_TYPE_SOA, 60, SOA, sizeof(SOA) - 1);
		assert_int_equal(answer_to(&m, &q, &a), 0);
		assert_int_equal(a.n_addrs, 0);
		reply_to(&q, &a, 0, 512, &seen);
		assert_int_equal(seen.h.flags & DNS_FLAG_RCODE, RCODES[i]);
		assert_int_equal(seen.h.n_answer, 0);
		assert_int_equal(seen.h.n_authority, 1);
		assert_memory_equal(seen.rr[0].owner.wire, "\4test", 6);
	}
}

static void lifetimes_are_cut_to_an_hour(void **state)
{
	static const struct {
		uint32_t said;
		uint32_t kept;
	} CASES[] = {
		{ 0, 0 }, { 60, 60 }, { 86400, 3600 }, { 0x7fffffff, 3600 }, { 0x80000001, 0 }
	};
	struct dns_question q = ask("api.test", DNS_TYPE_A);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct dns_answer a;
		struct made m;

		begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
		rr_addr(&m, "api.test", "198.51.100.10", CASES[i].said);
		assert_int_equal(answer_to(&m, &q, &a), 0);
		assert_int_equal(a.ttl_s, CASES[i].kept);
	}
}

static void other_types_are_rebuilt_without_what_surrounds_them(void **state)
{
	static const struct {
		uint16_t type;
		const uint8_t *data;
		size_t len;
		int expect;
	} CASES[] = {
#define DATA(text) (const uint8_t *)(text), sizeof(text) - 1
		{ DNS_TYPE_MX, DATA("\0\12\4mail\4test\0"), 0 },
		{ DNS_TYPE_MX, DATA("\0\12\4mail\4test\0x"), -EBADMSG },
		{ DNS_TYPE_MX, DATA("\0"), -EBADMSG },
		{ DNS_TYPE_MX, DATA("\0\12\xc0\x0c"), 0 }, /* the question's name */
		{ DNS_TYPE_SRV, DATA("\0\1\0\2\1\xbb\4mail\4test\0"), 0 },
		{ DNS_TYPE_SRV, DATA("\0\1\0\2\1\4mail\4test\0"), -EBADMSG },
		{ DNS_TYPE_TXT, DATA("\3abc\2de"), 0 },
		{ DNS_TYPE_TXT, DATA("\3abc\3de"), -EBADMSG },
		{ DNS_TYPE_PTR, DATA("\1a\4test\0"), 0 },
		{ DNS_TYPE_PTR, DATA("\xff"), -EBADMSG },
		{ DNS_TYPE_NS, DATA("\1a\4test\0"), 0 },
		{ DNS_TYPE_CAA, DATA("\0\5issueca.test"), 0 },
		{ DNS_TYPE_CNAME, DATA("\1a\4test\0"), 0 },
		{ DNS_TYPE_A, DATA("\1\2\3"), -EBADMSG },
		{ DNS_TYPE_AAAA, DATA("\1\2\3\4"), -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct dns_question q = ask("api.test", CASES[i].type);
		struct dns_answer a;
		struct seen seen;
		struct made m;

		begin(&m, 7, 0x8180, "api.test", CASES[i].type);
		rr(&m, AT_ANSWER, "api.test", CASES[i].type, 60, CASES[i].data, CASES[i].len);
		rr(&m, AT_ADDITIONAL, "mail.test", DNS_TYPE_A, 60, "\1\2\3\4", 4);
		if (answer_to(&m, &q, &a) != CASES[i].expect)
			fail_msg("case %zu", i);
		if (CASES[i].expect < 0)
			continue;
		assert_int_equal(a.n_addrs, 0);
		reply_to(&q, &a, UINT64_MAX, 512, &seen);
		assert_int_equal(seen.h.n_answer, 1);
		assert_int_equal(seen.rr[0].type, CASES[i].type);
		assert_int_equal(seen.n_addrs, 0);
	}
}

static void believes_only_answers_to_its_own_query(void **state)
{
	static const struct {
		uint16_t id, flags, type;
		const char *name;
		bool any_case;
		enum dns_match expect;
	} CASES[] = {
		{ 7, 0x8180, DNS_TYPE_A, "api.test", false, DNS_MATCH_ANSWER },
		{ 7, 0x8183, DNS_TYPE_A, "api.test", false, DNS_MATCH_ANSWER },
		{ 8, 0x8180, DNS_TYPE_A, "api.test", false, DNS_MATCH_NONE },
		{ 7, 0x0180, DNS_TYPE_A, "api.test", false, DNS_MATCH_NONE },
		{ 7, 0xa180, DNS_TYPE_A, "api.test", false, DNS_MATCH_NONE },
		{ 7, 0x8180, DNS_TYPE_AAAA, "api.test", false, DNS_MATCH_NONE },
		{ 7, 0x8180, DNS_TYPE_A, "apj.test", false, DNS_MATCH_NONE },
		{ 7, 0x8380, DNS_TYPE_A, "api.test", false, DNS_MATCH_TRUNCATED },
		{ 7, 0x8182, DNS_TYPE_A, "api.test", false, DNS_MATCH_FAILED },
		{ 7, 0x8185, DNS_TYPE_A, "api.test", false, DNS_MATCH_FAILED },
		{ 7, 0x8181, DNS_TYPE_A, "api.test", false, DNS_MATCH_NO_EDNS },
	};
	struct dns_name asked = wire("api.test");
	struct dns_expected ours = { .id = 7, .type = DNS_TYPE_A, .name = &asked };
	struct made m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		begin(&m, CASES[i].id, CASES[i].flags, CASES[i].name, CASES[i].type);
		if (dns_answer_match(m.buf, m.w.len, &ours) != CASES[i].expect)
			fail_msg("case %zu", i);
	}
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	asked.wire[1] = 'A';
	assert_int_equal(dns_answer_match(m.buf, m.w.len, &ours), DNS_MATCH_CASE);
	ours.any_case = true;
	assert_int_equal(dns_answer_match(m.buf, m.w.len, &ours), DNS_MATCH_ANSWER);
	assert_int_equal(dns_answer_match(m.buf, 11, &ours), DNS_MATCH_NONE);
}

static void a_reply_has_the_clients_id_case_and_error(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_A);
	const struct dns_reply reply = { .rcode = DNS_NXDOMAIN, .ede = DNS_EDE_BLOCKED };
	uint8_t buf[512];
	struct seen seen;

	(void)state;
	q.id = 0x1234;
	q.name.wire[2] = 'P';
	read_back(buf, dns_reply_build(&q, &reply, buf, sizeof(buf)), &seen);
	assert_int_equal(seen.h.id, 0x1234);
	assert_int_equal(seen.h.flags, 0x8183);
	assert_memory_equal(seen.question.wire, q.name.wire, q.name.len);
	assert_int_equal(seen.ede, 15);
	/* A client without EDNS gets none. */
	q.edns = false;
	read_back(buf, dns_reply_build(&q, &reply, buf, sizeof(buf)), &seen);
	assert_int_equal(seen.n_rr, 0);
}

static void a_message_with_more_records_than_we_read_is_refused(void **state)
{
	struct dns_question q = ask("api.test", DNS_TYPE_A);
	struct dns_answer a;
	struct made m;

	(void)state;
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	for (unsigned i = 0; i < DNS_ANSWER_RECORDS; i++)
		rr_addr(&m, "api.test", "198.51.100.1", 60);
	assert_int_equal(answer_to(&m, &q, &a), 0);
	rr_addr(&m, "api.test", "198.51.100.1", 60);
	assert_int_equal(answer_to(&m, &q, &a), -EBADMSG);
	/* A count that the message does not hold. */
	begin(&m, 7, 0x8180, "api.test", DNS_TYPE_A);
	dns_set_u16(&m.w, AT_ANSWER, 1);
	assert_int_equal(answer_to(&m, &q, &a), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_addresses_of_the_question),
		cmocka_unit_test(vouches_for_nothing_outside_the_owner_chain),
		cmocka_unit_test(records_of_another_class_are_nobodys),
		cmocka_unit_test(follows_a_chain_of_16_and_no_longer_one),
		cmocka_unit_test(the_order_of_a_chains_records_does_not_matter),
		cmocka_unit_test(a_loop_is_an_error_and_ends),
		cmocka_unit_test(a_denied_name_in_the_chain_refuses_it_all),
		cmocka_unit_test(answers_with_60_addresses_and_vouches_for_64_at_most),
		cmocka_unit_test(answers_only_with_what_the_ruling_keeps),
		cmocka_unit_test(an_empty_answer_is_no_error_and_keeps_its_soa),
		cmocka_unit_test(lifetimes_are_cut_to_an_hour),
		cmocka_unit_test(other_types_are_rebuilt_without_what_surrounds_them),
		cmocka_unit_test(believes_only_answers_to_its_own_query),
		cmocka_unit_test(a_reply_has_the_clients_id_case_and_error),
		cmocka_unit_test(a_message_with_more_records_than_we_read_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
