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

static void no_answer_leaves_before_the_ruling(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct asked asked;
	struct seen seen;

	(void)state;
	query(t->udp, 0x1111, "api.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	answer_address(t->up_udp[0], &asked, "198.51.100.10");
	expect_note(t, &note);
	assert_int_equal(note.kind, DNS_NOTE_VOUCH);
	assert_string_equal(note.name, "api.test");
	assert_int_equal(note.n_addrs, 1);
	assert_int_equal(note.ttl_s, 60);
	assert_false(readable(t->udp, QUIET_MS));
	/* Nor for the ruling about something else. */
	assert_int_equal(dns_ruling_send(&t->w, note.id + 1, 1), 0);
	assert_int_equal(dns_ruling_send(&t->w, note.id + DNS_FLIGHTS_MAX, 1), 0);
	assert_false(readable(t->udp, QUIET_MS));
	rule(t, &note, 1);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.h.id, 0x1111);
	assert_int_equal(seen.n_addrs, 1);
	end_world(t);
}

static void what_the_ruling_strips_is_not_answered(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct asked asked;
	struct seen seen;
	struct made m;

	(void)state;
	for (uint64_t keep = 0; keep < 4; keep++) {
		query(t->udp, 1, "api.test", DNS_TYPE_A);
		expect_query(t->up_udp[0], &asked);
		begin_answer(&m, &asked, 0x8180);
		rr_addr(&m, "api.test", "169.254.169.254", 60);
		rr_addr(&m, "api.test", "198.51.100.10", 60);
		answer(t->up_udp[0], &asked, &m);
		expect_note(t, &note);
		rule(t, &note, keep);
		expect_reply(t->udp, &seen);
		assert_int_equal(rcode(&seen), DNS_NOERROR);
		assert_int_equal(seen.n_addrs, __builtin_popcountll(keep));
	}
	end_world(t);
}

static void a_refused_name_sends_nothing_upstream(void **state)
{
	static const uint16_t TYPES[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_TXT };
	struct world *t = world(1);
	struct dns_note note;
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TYPES); i++) {
		query(t->udp, 5, "secret.evil.test", TYPES[i]);
		expect_reply(t->udp, &seen);
		assert_int_equal(rcode(&seen), DNS_NXDOMAIN);
		assert_int_equal(seen.ede, DNS_EDE_BLOCKED);
	}
	expect_note(t, &note);
	assert_int_equal(note.kind, DNS_NOTE_REFUSED);
	assert_string_equal(note.name, "secret.evil.test");
	assert_int_equal(note.refusal, DNS_REFUSAL_NAME);
	assert_false(readable(t->up_udp[0], QUIET_MS));
	/* The next note about it comes a second later, and stands for both. */
	expect_note(t, &note);
	assert_int_equal(note.folded, 2);
	end_world(t);
}

static void a_denied_name_in_the_chain_is_refused_and_told(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct asked asked;
	struct seen seen;
	struct made m;

	(void)state;
	query(t->udp, 5, "www.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	begin_answer(&m, &asked, 0x8180);
	rr_cname(&m, "www.test", "bad.test", 60);
	rr_addr(&m, "bad.test", "198.51.100.10", 60);
	answer(t->up_udp[0], &asked, &m);
	expect_reply(t->udp, &seen);
	assert_int_equal(rcode(&seen), DNS_NXDOMAIN);
	assert_int_equal(seen.n_addrs, 0);
	expect_note(t, &note);
	assert_int_equal(note.refusal, DNS_REFUSAL_CHAIN);
	assert_string_equal(note.name, "bad.test");
	end_world(t);
}

static void one_slow_name_stalls_nobody(void **state)
{
	struct world *t = world(1);
	int lazy = connect_worker(t, SOCK_STREAM);
	struct dns_note note;
	struct asked asked;
	struct seen seen;
	uint64_t start;

	(void)state;
	/* A client that sends one byte and sleeps, and a name that is never answered. */
	assert_int_equal(send(lazy, "", 1, 0), 1);
	query(t->udp, 1, "slow.test", DNS_TYPE_A);
	expect_query(t->up_udp[0], &asked);
	start = now_ms();
	for (uint16_t i = 0; i < 100; i++) {
		query(t->udp, i, "api.test", DNS_TYPE_A);
		do
			expect_query(t->up_udp[0], &asked);
		while (strcmp(asked.q.text, "api.test") != 0);
		answer_address(t->up_udp[0], &asked, "198.51.100.10");
		expect_note(t, &note);
		rule(t, &note, 1);
		expect_reply(t->udp, &seen);
		assert_int_equal(seen.h.id, i);
		assert_int_equal(seen.n_addrs, 1);
	}
	assert_true(now_ms() - start < 2000);
	close(lazy);
	end_world(t);
}

static void serves_200_names_at_once(void **state)
{
	enum { N = 200 };
	struct world *t = world(1);
	auto_free struct asked *asked = calloc(N, sizeof(*asked));
	bool seen_id[N] = { false };
	struct dns_note note;
	struct seen seen;

	(void)state;
	for (uint16_t i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.wild.test", i);
		query(t->udp, i, name, DNS_TYPE_A);
		expect_query(t->up_udp[0], &asked[i]);
	}
	for (unsigned i = N; i-- > 0;)
		answer_address(t->up_udp[0], &asked[i], "198.51.100.10");
	for (unsigned i = 0; i < N; i++) {
		expect_note(t, &note);
		rule(t, &note, 1);
		expect_reply(t->udp, &seen);
		assert_int_equal(seen.n_addrs, 1);
		assert_in_range(seen.h.id, 0, N - 1);
		assert_false(seen_id[seen.h.id]);
		seen_id[seen.h.id] = true;
	}
	end_world(t);
}

static void more_than_the_table_holds_is_servfail(void **state)
{
	struct world *t = world(1);
	unsigned failed = 0;

	(void)state;
	for (uint16_t i = 0; i < DNS_FLIGHTS_MAX + 8; i++) {
		struct asked asked;
		struct seen seen;
		char name[32];

		snprintf(name, sizeof(name), "n%u.wild.test", i);
		query(t->udp, i, name, DNS_TYPE_A);
		if (i < DNS_FLIGHTS_MAX) {
			expect_query(t->up_udp[0], &asked);
			continue;
		}
		expect_reply(t->udp, &seen);
		failed += rcode(&seen) == DNS_SERVFAIL;
	}
	assert_int_equal(failed, 8);
	end_world(t);
}

static void a_connection_may_carry_many_queries_in_pieces(void **state)
{
	enum { N = 40 };
	struct world *t = world(1);
	int fd = connect_worker(t, SOCK_STREAM);
	uint8_t all[N * 64];
	size_t len = 0;

	(void)state;
	for (uint16_t i = 0; i < N; i++) {
		size_t n = make_query(all + len + 2, i, "evil.test", DNS_TYPE_A, i % 2);

		all[len] = 0;
		all[len + 1] = (uint8_t)n;
		len += 2 + n;
	}
	for (size_t at = 0; at < len;) {
		size_t n = at % 7 + 1 < len - at ? at % 7 + 1 : len - at;

		assert_int_equal(send(fd, all + at, n, MSG_NOSIGNAL), n);
		at += n;
	}
	shutdown(fd, SHUT_WR);
	for (uint16_t i = 0; i < N; i++) {
		uint8_t msg[512];
		struct seen seen;
		size_t n;

		read_framed(fd, msg, &n);
		read_back(msg, n, &seen);
		assert_int_equal(seen.h.id, i);
		assert_int_equal(rcode(&seen), DNS_NXDOMAIN);
	}
	assert_true(readable(fd, PATIENCE_MS));
	assert_int_equal(recv(fd, all, 1, 0), 0);
	close(fd);
	end_world(t);
}

static void idle_connections_make_room_for_new_ones(void **state)
{
	struct world *t = world(1);
	int idle[100];
	uint8_t msg[512];
	struct seen seen;
	size_t n;
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		idle[i] = connect_worker(t, SOCK_STREAM);
	fd = connect_worker(t, SOCK_STREAM);
	n = make_query(msg, 9, "evil.test", DNS_TYPE_A, true);
	write_framed(fd, msg, n);
	read_framed(fd, msg, &n);
	read_back(msg, n, &seen);
	assert_int_equal(seen.h.id, 9);
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		close(idle[i]);
	close(fd);
	end_world(t);
}

static void hostile_packets_leave_it_alive(void **state)
{
	struct world *t = world(1);
	int tcp = connect_worker(t, SOCK_STREAM);
	uint8_t noise[700];
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (uint8_t)(k * 31 + i * (k % 13) + (i >> k % 8));
		noise[2] &= 0x7f;
		send(t->udp, noise, i % sizeof(noise), 0);
	}
	send(tcp, noise, sizeof(noise), MSG_NOSIGNAL);
	while (readable(t->udp, 100))
		recv(t->udp, noise, sizeof(noise), 0);
	query(t->udp, 77, "localhost", DNS_TYPE_A);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.h.id, 77);
	assert_int_equal(seen.n_addrs, 1);
	close(tcp);
	end_world(t);
}

static void https_records_are_empty_and_an_empty_aaaa_is_no_error(void **state)
{
	struct world *t = world(1);
	struct asked asked;
	struct seen seen;
	struct made m;

	(void)state;
	query(t->udp, 1, "api.test", DNS_TYPE_HTTPS);
	expect_reply(t->udp, &seen);
	assert_int_equal(rcode(&seen), DNS_NOERROR);
	assert_int_equal(seen.h.n_answer, 0);
	query(t->udp, 2, "api.test", DNS_TYPE_AAAA);
	expect_query(t->up_udp[0], &asked);
	assert_int_equal(asked.q.type, DNS_TYPE_AAAA); /* and no query for HTTPS before it */
	begin_answer(&m, &asked, 0x8180);
	answer(t->up_udp[0], &asked, &m);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.h.id, 2);
	assert_int_equal(rcode(&seen), DNS_NOERROR);
	assert_int_equal(seen.h.n_answer, 0);
	end_world(t);
}

static void answers_on_ipv6_loopback_too(void **state)
{
	struct world *t = world(1);
	struct sockaddr_in6 at = { .sin6_family = AF_INET6,
				   .sin6_port = htons(t->w.port[0]),
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct seen seen;

	(void)state;
	if (t->w.udp6[0] >= 0) {
		assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
		query(fd, 3, "localhost", DNS_TYPE_AAAA);
		expect_reply(fd, &seen);
		assert_int_equal(seen.n_addrs, 1);
	}
	close(fd);
	end_world(t);
}

static void a_successor_serves_on_the_same_sockets(void **state)
{
	struct world *t = world(1);
	struct dns_note note;
	struct seen seen;
	int status;

	(void)state;
	kill(t->pid, SIGKILL);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(dns_note_receive(&t->w, &note), -EPIPE);
	assert_int_equal(dns_worker_renew(&t->w, NULL), 0);
	query(t->udp, 8, "localhost", DNS_TYPE_A);
	start_worker(t);
	expect_reply(t->udp, &seen);
	assert_int_equal(seen.h.id, 8);
	end_world(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_answer_leaves_before_the_ruling),
		cmocka_unit_test(what_the_ruling_strips_is_not_answered),
		cmocka_unit_test(a_refused_name_sends_nothing_upstream),
		cmocka_unit_test(a_denied_name_in_the_chain_is_refused_and_told),
		cmocka_unit_test(one_slow_name_stalls_nobody),
		cmocka_unit_test(serves_200_names_at_once),
		cmocka_unit_test(more_than_the_table_holds_is_servfail),
		cmocka_unit_test(a_connection_may_carry_many_queries_in_pieces),
		cmocka_unit_test(idle_connections_make_room_for_new_ones),
		cmocka_unit_test(hostile_packets_leave_it_alive),
		cmocka_unit_test(https_records_are_empty_and_an_empty_aaaa_is_no_error),
		cmocka_unit_test(answers_on_ipv6_loopback_too),
		cmocka_unit_test(a_successor_serves_on_the_same_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
