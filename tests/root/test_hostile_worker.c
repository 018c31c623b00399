/* SPDX-License-Identifier: MIT */
/* A resolver that was taken over: whatever it says, only the addresses of allowed names open, on
 * the ports of their entries, and no denied space ever. */
#include "net_lab.h"

#include "audit/record.h"
#include "dns/worker.h"
#include "session/session.h"

struct enemy {
	struct lab lab;
	struct session s;
};

static void take_over(struct enemy *e, const char *tag)
{
	struct pinfold_error error = { "" };
	const struct record_who who = { .session = "0123456789abcdef" };
	int pair[2];

	memset(e, 0, sizeof(*e));
	lab_prepare(&e->lab, tag);
	lab_allow(&e->lab, "api.test", 443, PROTO_TCP);
	lab_fence(&e->lab);
	assert_int_equal(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	e->s.net = e->lab.fence;
	e->s.policy = &e->lab.policy;
	e->s.dns = (struct dns_worker){ .channel = pair[0], .supervisor = pair[1] };
	assert_int_equal(record_open(NULL, &who, &e->s.record, &error), 0);
}

static void let_go(struct enemy *e)
{
	record_free(e->s.record);
	close(e->s.dns.channel);
	close(e->s.dns.supervisor);
	lab_done(&e->lab);
}

/* The enemy claims that name has that address; the answer's first bit, or -1 for none. */
static int claim(struct enemy *e, const char *name, const char *address, uint32_t ttl_s)
{
	struct dns_note note = {
		.kind = DNS_NOTE_VOUCH, .id = 7, .type = 1, .n_addrs = 1, .ttl_s = ttl_s
	};
	struct dns_ruling ruling = { 0 };

	snprintf(note.name, sizeof(note.name), "%s", name);
	assert_int_equal(addr_parse(address, &note.addrs[0]), 0);
	assert_int_equal(send(e->s.dns.channel, &note, sizeof(note), 0), sizeof(note));
	session_dns_notes(&e->s);
	if (recv(e->s.dns.channel, &ruling, sizeof(ruling), 0) != sizeof(ruling))
		return -1;
	assert_int_equal(ruling.id, 7);
	return (int)(ruling.keep & 1);
}

struct target {
	const char *host;
	uint16_t port;
	int type;
};

static int reach(void *data)
{
	const struct target *t = data;
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(t->host, t->port, &sa);
	int fd = socket(sa.ss_family, t->type, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, len) < 0)
		return errno;
	if (send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		return errno;
	return lab_ask(fd);
}

static int from_inside(const struct enemy *e, const char *host, uint16_t port, int type)
{
	struct target t = { host, port, type };

	return lab_run(&e->lab, true, reach, &t);
}

static void vouches_for_allowed_names_on_their_ports_only(void **state)
{
	struct enemy e;

	(void)state;
	take_over(&e, "enemy-names");
	assert_int_equal(from_inside(&e, NAMED, 443, SOCK_STREAM), EPERM);
	assert_int_not_equal(claim(&e, "evil.test", NAMED, 60), 1);
	assert_int_not_equal(claim(&e, "xapi.test", NAMED, 60), 1);
	assert_int_not_equal(claim(&e, "test", NAMED, 60), 1);
	assert_int_not_equal(claim(&e, "*", NAMED, 60), 1);
	assert_int_equal(from_inside(&e, NAMED, 443, SOCK_STREAM), EPERM);

	/* What the policy allows is all that it can do. */
	assert_int_equal(claim(&e, "api.test", NAMED, 60), 1);
	assert_int_equal(from_inside(&e, NAMED, 443, SOCK_STREAM), 0);
	assert_int_equal(from_inside(&e, NAMED, 8443, SOCK_STREAM), EPERM);
	assert_int_not_equal(from_inside(&e, NAMED, 443, SOCK_DGRAM), 0);
	assert_int_equal(from_inside(&e, OTHER, 443, SOCK_STREAM), EPERM);
	let_go(&e);
}

static void never_opens_denied_space(void **state)
{
	static const char *const DENIED[] = {
		"169.254.169.254", "10.9.9.9",   "127.0.0.1",
		"0.0.0.0",         "::1",        "fd12::7",
		"::ffff:10.9.9.9", "224.0.0.1",  "::",
		"192.168.1.1",     "fe80::1",    "64:ff9b::a09:909",
		"2002:a09:909::1", "100.64.0.1",
	};
	struct enemy e;

	(void)state;
	take_over(&e, "enemy-space");
	for (size_t i = 0; i < sizeof(DENIED) / sizeof(DENIED[0]); i++)
		if (claim(&e, "api.test", DENIED[i], 60) == 1)
			fail_msg("a name led to %s", DENIED[i]);
	assert_int_equal(from_inside(&e, "169.254.169.254", 443, SOCK_STREAM), EPERM);
	assert_int_equal(from_inside(&e, "10.9.9.9", 443, SOCK_STREAM), EPERM);
	assert_int_equal(claim(&e, "api.test", NAMED, 60), 1);
	let_go(&e);
}

/* Not told apart from a crash: it is killed, and another one is started. */
static void is_killed_for_what_is_no_note(void **state)
{
	static const struct {
		uint32_t kind;
		uint16_t n_addrs;
		size_t size;
		const char *name;
	} LIES[] = {
		{ DNS_NOTE_VOUCH, DNS_ADDRS_MAX + 1, sizeof(struct dns_note), "api.test" },
		{ DNS_NOTE_VOUCH, 1, sizeof(struct dns_note) - 1, "api.test" },
		{ DNS_NOTE_MAX, 1, sizeof(struct dns_note), "api.test" },
		{ DNS_NOTE_NONE, 0, sizeof(struct dns_note), "" },
		{ DNS_NOTE_VOUCH, 1, sizeof(struct dns_note), "api..test" },
		{ DNS_NOTE_VOUCH, 1, sizeof(struct dns_note), "API.test" },
		{ DNS_NOTE_VOUCH, 1, 4, "api.test" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(LIES) / sizeof(LIES[0]); i++) {
		struct enemy e;
		struct dns_note note = { .kind = LIES[i].kind, .type = 1, .ttl_s = 60 };
		int status = 0;

		take_over(&e, "enemy-lies");
		e.s.worker = fork();
		if (e.s.worker == 0) {
			alarm(20);
			pause();
			_exit(0);
		}
		note.n_addrs = LIES[i].n_addrs;
		snprintf(note.name, sizeof(note.name), "%s", LIES[i].name);
		assert_true(send(e.s.dns.channel, &note, LIES[i].size, 0) > 0);
		if (session_dns_notes(&e.s) >= 0)
			fail_msg("lie %zu was taken", i);
		assert_int_equal(waitpid(e.s.worker, &status, 0), e.s.worker);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		assert_int_equal(from_inside(&e, NAMED, 443, SOCK_STREAM), EPERM);
		let_go(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vouches_for_allowed_names_on_their_ports_only),
		cmocka_unit_test(never_opens_denied_space),
		cmocka_unit_test(is_killed_for_what_is_no_note),
	};

	return cmocka_run_group_tests_name("a resolver that was taken over", tests, NULL, NULL);
}
