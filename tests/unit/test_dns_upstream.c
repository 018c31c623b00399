/* SPDX-License-Identifier: MIT */
#include "dns_world.h"

static struct net_rule allow[] = { NAME_RULE(HOST_NAME, "www.test"),
				   NAME_RULE(HOST_NAME, "api.test"),
				   NAME_RULE(HOST_NAME, "slow.test"),
				   NAME_RULE(HOST_BELOW, "wild.test") };
static struct net_rule deny[] = { NAME_RULE(HOST_NAME, "bad.test") };

static struct world *world(size_t n_upstream)
{
	const struct net_rules a = { allow, ARRAY_SIZE(allow) };
	const struct net_rules d = { deny, ARRAY_SIZE(deny) };

	return begin_world(&a, &d, n_upstream);
}

static void queries_have_ids_ports_and_case_of_their_own(void **state)
{
	struct world *t = world(1);
	struct asked a[8];
	unsigned same_id = 0;
	unsigned same_port = 0;
	unsigned same_case = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
		char name[32];

		snprintf(name, sizeof(name), "abcdefghijklmnop%zu.wild.test", i);
		query(t->udp, 0x4242, name, DNS_TYPE_A);
		expect_query(t->up_udp[0], &a[i]);
		assert_true(a[i].q.edns);
		assert_int_equal(a[i].q.udp_size, 1232);
		same_id += a[i].q.id == 0x4242 || a[i].q.id == a[0].q.id;
		same_port += a[i].from.sin_port == a[0].from.sin_port;
		same_case += memcmp(a[i].q.name.wire, a[0].q.name.wire, 17) == 0;
	}
	assert_int_equal(same_port, 1);
	assert_true(same_id <= 2);
	assert_true(same_case <= 2);
	end_world(t);
}

static void forged_answers_are_passed_over(void **state)
{
	struct world *t = world(1);
	struct addr good = ip("198.51.100.10");
	struct dns_note note;
	struct asked asked;
	struct asked forged;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	forged = asked;
	forged.q.id ^= 1;
	answer_address(t->up_udp[0], &forged, "203.0.113.66");
	/* From another port: the kernel does not even deliver it. */
	answer_address(t->up_udp[1], &asked, "203.0.113.66");
	answer_address(t->up_udp[0], &asked, "198.51.100.10");
	expect_note(t, &note);
	assert_true(addr_equal(&note.addrs[0], &good));
	end_world(t);
}

static void identical_questions_share_one_query(void **state)
{
	struct world *t = world(1);
	int other = connect_worker(t, SOCK_DGRAM);
	struct dns_note note;
	struct asked asked;
	struct seen seen;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	query(other, 2, "api.test", DNS_TYPE_A);
	assert_false(readable(t->up_udp[0], QUIET_MS));
	answer_address(t->up_udp[0], &asked, "198.51.100.10");
	expect_note(t, &note);
	rule(t, &note, 1);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.h.id, 1);
	expect_reply(other, &seen);
	assert_int_equal(seen.h.id, 2);
	assert_int_equal(dns_note_receive(&t->w, &note), -EAGAIN);
	close(other);
	end_world(t);
}

static void a_truncated_answer_is_fetched_over_tcp(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct asked asked;
	struct seen seen;
	struct made m;
	int conn;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	begin_answer(&m, &asked, 0x8380);
	answer(t->up_udp[0], &asked, &m);
	conn = accept_upstream(t, 0);
	read_framed(conn, asked.msg, &asked.len);
	assert_int_equal(dns_question_parse(asked.msg, asked.len, &asked.q), 0);
	begin_answer(&m, &asked, 0x8180);
	for (unsigned i = 0; i < 60; i++) {
		char addr[32];

		snprintf(addr, sizeof(addr), "198.51.100.%u", i + 1);
		rr_addr(&m, "api.test", addr, 60);
	}
	write_framed(conn, m.buf, m.w.len);
	expect_note(t, &note);
	assert_int_equal(note.n_addrs, 60);
	rule(t, &note, UINT64_MAX);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.n_addrs, 60);
	close(conn);
	end_world(t);
}

static void the_wrong_case_turns_to_tcp(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct asked asked;
	int conn;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	asked.q.name.wire[1] ^= 0x20;
	answer_address(t->up_udp[0], &asked, "203.0.113.66");
	conn = accept_upstream(t, 0);
	assert_int_equal(dns_note_receive(&t->w, &note), -EAGAIN);
	close(conn);
	end_world(t);
}

static void an_upstream_without_edns_is_asked_without(void **state)
{
	struct world *t = world(1);
	struct asked asked;
	struct made m;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	assert_true(asked.q.edns);
	begin_answer(&m, &asked, 0x8181);
	answer(t->up_udp[0], &asked, &m);
	expect_query(t->up_udp[0], &asked);
	assert_false(asked.q.edns);
	end_world(t);
}

static void a_silent_upstream_is_followed_by_the_next(void **state)
{
	struct world *t = world(2);
	struct dns_note note;
	struct asked asked;
	struct asked first;
	uint64_t start = now_ms();

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &first);
	expect_query(t->up_udp[1], &asked);
	assert_in_range(now_ms() - start, 600, 1500);
	/* The first is late, but may still answer. */
	answer_address(t->up_udp[0], &first, "198.51.100.10");
	expect_note(t, &note);
	end_world(t);
}

static void a_silent_upstream_is_asked_last_for_a_while(void **state)
{
	struct world *t = world(2);
	struct asked asked;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	expect_query(t->up_udp[1], &asked);
	query(t->udp, 1, "www.test", DNS_TYPE_A);
	expect_query(t->up_udp[1], &asked);
	assert_string_equal(asked.q.text, "www.test");
	end_world(t);
}

static void a_refusing_upstream_is_followed_at_once(void **state)
{
	struct world *t = world(2);
	struct asked asked;
	struct seen seen;
	struct made m;
	uint64_t start = now_ms();

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	begin_answer(&m, &asked, 0x8182);
	answer(t->up_udp[0], &asked, &m);
	expect_query(t->up_udp[1], &asked);
	begin_answer(&m, &asked, 0x8185);
	answer(t->up_udp[1], &asked, &m);
	expect_reply(t->udp, &seen);
	assert_int_equal(rcode(&seen), DNS_SERVFAIL);
	assert_true(now_ms() - start < 700);
	end_world(t);
}

static void without_any_upstream_the_answer_is_servfail_at_once(void **state)
{
	struct world *t = world(2);
	struct seen seen;
	uint64_t start = now_ms();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		close(t->up_udp[i]);
		t->up_udp[i] = -1;
	}
	query(t->udp, 1, "api.test", DNS_TYPE_A);
	expect_reply(t->udp, &seen);
	assert_int_equal(rcode(&seen), DNS_SERVFAIL);
	assert_true(now_ms() - start < 1500);
	end_world(t);
}

static void hostile_answers_leave_it_alive(void **state)
{
	struct world *t = world(1);
	struct asked asked;
	struct seen seen;
	struct made m;

	(void)state;
	for (uint16_t i = 0; i < 50; i++) {
		query(t->udp, i, "api.test", DNS_TYPE_A);
		expect_query(t->up_udp[0], &asked);
		begin_answer(&m, &asked, 0x8180);
		dns_set_u16(&m.w, AT_ANSWER, 3);
		for (unsigned k = 0; k < 60; k++)
			dns_put_u8(&m.w, (uint8_t)(0xc0 * (k % 2) + i * k));
		answer(t->up_udp[0], &asked, &m);
		expect_reply(t->udp, &seen);
		assert_int_equal(seen.n_addrs, 0);
	}
	end_world(t);
}

static void upstreams_may_have_ipv6_addresses(void **state)
{
	struct world *t = world(1);
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int status;

	(void)state;
	if (t->w.udp6[0] >= 0) {
		assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
		assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
		kill(t->pid, SIGKILL);
		assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
		t->policy.net.dns.upstream[0].addr = ip("::1");
		t->policy.net.dns.upstream[0].port = ntohs(at.sin6_port);
		assert_int_equal(dns_worker_renew(&t->w, NULL), 0);
		start_worker(t);
		query(t->udp, 1, "api.test", DNS_TYPE_A);
		assert_true(readable(fd, PATIENCE_MS));
	}
	close(fd);
	end_world(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_have_ids_ports_and_case_of_their_own),
		cmocka_unit_test(forged_answers_are_passed_over),
		cmocka_unit_test(identical_questions_share_one_query),
		cmocka_unit_test(a_truncated_answer_is_fetched_over_tcp),
		cmocka_unit_test(the_wrong_case_turns_to_tcp),
		cmocka_unit_test(an_upstream_without_edns_is_asked_without),
		cmocka_unit_test(a_silent_upstream_is_followed_by_the_next),
		cmocka_unit_test(a_silent_upstream_is_asked_last_for_a_while),
		cmocka_unit_test(a_refusing_upstream_is_followed_at_once),
		cmocka_unit_test(without_any_upstream_the_answer_is_servfail_at_once),
		cmocka_unit_test(upstreams_may_have_ipv6_addresses),
		cmocka_unit_test(hostile_answers_leave_it_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
