/* SPDX-License-Identifier: MIT */
/* Lives of sessions: listeners and who reaches them, port 53 and what it looks like, lifetimes of
 * vouched addresses, the loader's death. */
#include "net_lab.h"

#define OWN_PORT 3000
#define INBOUND_PORT 3001
#define LOCAL_PORT 3002

struct where {
	const char *bind;
	const char *reach;
	uint16_t port;
	int type;
};

static int ask_at(const char *host, uint16_t port, int type)
{
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(host, port, &sa);
	int fd = socket(sa.ss_family, type | SOCK_NONBLOCK, 0);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int rc = 0;
	socklen_t size = sizeof(rc);

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&sa, len) < 0 && errno != EINPROGRESS)
		rc = errno;
	if (rc == 0 && poll(&p, 1, WAIT_MS) == 0)
		rc = NO_ANSWER;
	if (rc == 0)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &rc, &size);
	if (rc == 0 && send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		rc = errno;
	if (rc == 0)
		rc = lab_ask(fd);
	close(fd);
	return rc;
}

/* A listener (or a datagram server) of the session, in a process of its own. */
static pid_t start_server(const struct lab *lab, const struct where *w)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct pollfd p = { .events = POLLIN };

		lab_join(lab);
		setpgid(0, 0);
		signal(SIGCHLD, SIG_IGN);
		p.fd = w->bind ? lab_bound(w->bind, w->port, w->type) : socket(AF_INET, w->type, 0);
		byte = p.fd >= 0 ? 'y' : 'n';
		if (write(ready[1], &byte, 1) != 1 || p.fd < 0)
			_exit(1);
		lab_serve(&p, 1, w->type == SOCK_STREAM);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(byte, 'y');
	return pid;
}

static void stop_server(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int reach_it(void *data)
{
	const struct where *w = data;

	return ask_at(w->reach, w->port, w->type);
}

static void own_listeners_are_reached_from_inside_and_from_nowhere_else(void **state)
{
	static const struct where WHERE[] = {
		{ "127.0.0.1", "127.0.0.1", OWN_PORT, SOCK_STREAM },
		{ "0.0.0.0", "127.0.0.1", OWN_PORT, SOCK_STREAM },
		{ "::1", "::1", OWN_PORT, SOCK_STREAM },
		{ "::", "::1", OWN_PORT, SOCK_STREAM },
		{ "::", "127.0.0.1", OWN_PORT, SOCK_STREAM },
		{ "127.0.0.1", "127.0.0.1", OWN_PORT, SOCK_DGRAM },
		{ "0.0.0.0", "127.0.0.1", OWN_PORT, SOCK_DGRAM },
		{ "::", "::1", OWN_PORT, SOCK_DGRAM },
		{ "::", "127.0.0.1", OWN_PORT, SOCK_DGRAM },
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < sizeof(WHERE) / sizeof(WHERE[0]); i++) {
		struct where w = WHERE[i];
		pid_t pid = start_server(lab, &w);

		assert_int_equal(lab_run(lab, true, reach_it, &w), 0);
		assert_int_not_equal(lab_run(lab, false, reach_it, &w), 0);
		w.reach = ALLOWED;
		assert_int_not_equal(lab_run(lab, false, reach_it, &w), 0);
		w.reach = ALLOWED6;
		assert_int_not_equal(lab_run(lab, false, reach_it, &w), 0);
		stop_server(pid);
	}
}

static void inbound_ports_are_reached_from_outside(void **state)
{
	static const struct {
		struct where w;
		bool reached;
	} CASES[] = {
		{ { "0.0.0.0", ALLOWED, INBOUND_PORT, SOCK_STREAM }, true },
		{ { "0.0.0.0", "127.0.0.1", INBOUND_PORT, SOCK_STREAM }, true },
		{ { "::", ALLOWED6, INBOUND_PORT, SOCK_STREAM }, true },
		{ { "0.0.0.0", ALLOWED, INBOUND_PORT, SOCK_DGRAM }, true },
		{ { "0.0.0.0", "127.0.0.1", LOCAL_PORT, SOCK_STREAM }, true },
		{ { "::", "127.0.0.1", LOCAL_PORT, SOCK_STREAM }, true },
		{ { "::", ALLOWED, LOCAL_PORT, SOCK_STREAM }, false },
		{ { "::", ALLOWED6, OWN_PORT, SOCK_STREAM }, false },
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		struct where w = CASES[i].w;
		pid_t pid = start_server(lab, &w);

		if (CASES[i].reached)
			assert_int_equal(lab_run(lab, false, reach_it, &w), 0);
		else
			assert_int_not_equal(lab_run(lab, false, reach_it, &w), 0);
		stop_server(pid);
	}
}

/* listen without bind: the kernel takes a port on every address, and no bind hook runs. */
static int listen_unbound(void *data)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);
	const int *pipe_fd = data;
	char byte;

	if (listen(fd, 1) < 0 || getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return errno;
	if (write(pipe_fd[1], &sa.sin_port, 2) != 2)
		return 254;
	return read(pipe_fd[2], &byte, 1) == 1 ? 0 : 253;
}

static void a_listener_that_binds_itself_is_not_reached_from_outside(void **state)
{
	struct lab *lab = *state;
	int up[2];
	int down[2];
	uint16_t port = 0;
	pid_t pid;
	int status;

	assert_int_equal(pipe(up), 0);
	assert_int_equal(pipe(down), 0);
	pid = fork();
	if (pid == 0) {
		const int fds[3] = { up[0], up[1], down[0] };

		lab_join(lab);
		_exit(listen_unbound((void *)(uintptr_t)fds));
	}
	assert_int_equal(read(up[0], &port, 2), 2);
	assert_int_not_equal(ask_at("127.0.0.1", ntohs(port), SOCK_STREAM), 0);
	assert_int_not_equal(ask_at(ALLOWED, ntohs(port), SOCK_STREAM), 0);
	assert_int_equal(write(down[1], "x", 1), 1);
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int bind_at(void *data)
{
	const struct where *w = data;
	int fd = lab_bound(w->bind, w->port, w->type);

	return fd < 0 ? -fd : 0;
}

static void binding_outside_loopback_is_refused(void **state)
{
	struct where denied = { ALLOWED, NULL, OWN_PORT, SOCK_STREAM };
	struct where denied6 = { ALLOWED6, NULL, OWN_PORT, SOCK_STREAM };
	struct where inbound = { ALLOWED, NULL, INBOUND_PORT, SOCK_STREAM };
	struct where sending = { ALLOWED, NULL, 0, SOCK_DGRAM };
	struct lab *lab = *state;

	assert_int_equal(lab_run(lab, true, bind_at, &denied), EPERM);
	assert_int_equal(lab_run(lab, true, bind_at, &denied6), EPERM);
	assert_int_equal(lab_run(lab, true, bind_at, &inbound), 0);
	assert_int_equal(lab_run(lab, true, bind_at, &sending), 0);
}

static int wildcard_becomes_loopback(void *data)
{
	int fd = lab_bound("0.0.0.0", OWN_PORT, SOCK_STREAM);
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);

	(void)data;
	if (fd < 0 || getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return errno;
	return sa.sin_addr.s_addr == htonl(INADDR_LOOPBACK) ? 0 : 1;
}

static void a_wildcard_bind_becomes_a_loopback_bind(void **state)
{
	assert_int_equal(lab_run(*state, true, wildcard_becomes_loopback, NULL), 0);
}

/* ---- port 53 --------------------------------------------------------------------------------- */

struct server {
	const char *host;
	int type;
	bool connected;
};

/* The answer must seem to come from the server that was asked, whatever really answered. */
static int ask_dns(void *data)
{
	const struct server *s = data;
	struct sockaddr_storage sa;
	struct sockaddr_storage from = { 0 };
	socklen_t len = lab_sockaddr(s->host, 53, &sa);
	socklen_t from_len = sizeof(from);
	int fd = socket(sa.ss_family, s->type, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[8];

	if (s->connected && connect(fd, (struct sockaddr *)&sa, len) < 0)
		return errno;
	if (s->connected ? send(fd, "x", 1, 0) != 1
			 : sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) != 1)
		return errno;
	if (poll(&p, 1, WAIT_MS) != 1)
		return NO_ANSWER;
	if (recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &from_len) != 1)
		return errno;
	if (s->type == SOCK_DGRAM && memcmp(&from, &sa, len) != 0)
		return 201;
	if (!s->connected)
		return 0;
	from_len = sizeof(from);
	if (getpeername(fd, (struct sockaddr *)&from, &from_len) < 0)
		return errno;
	return memcmp(&from, &sa, len) == 0 ? 0 : 202;
}

static void port_53_of_any_server_is_the_resolver_and_looks_like_that_server(void **state)
{
	static const struct server SERVERS[] = {
		{ "9.9.9.9", SOCK_DGRAM, true },         { "9.9.9.9", SOCK_DGRAM, false },
		{ "9.9.9.9", SOCK_STREAM, true },        { "10.1.2.3", SOCK_DGRAM, false },
		{ "2620:fe::fe", SOCK_DGRAM, true },     { "2620:fe::fe", SOCK_DGRAM, false },
		{ "2620:fe::fe", SOCK_STREAM, true },    { "::ffff:9.9.9.9", SOCK_DGRAM, true },
		{ "::ffff:9.9.9.9", SOCK_DGRAM, false }, { "::ffff:9.9.9.9", SOCK_STREAM, true },
		{ "127.0.0.53", SOCK_DGRAM, false },     { "169.254.169.254", SOCK_DGRAM, true },
	};

	for (size_t i = 0; i < sizeof(SERVERS) / sizeof(SERVERS[0]); i++) {
		int rc = lab_run(*state, true, ask_dns, (void *)(uintptr_t)&SERVERS[i]);

		if (rc != 0)
			fail_msg("%s type %d connected %d: %d", SERVERS[i].host, SERVERS[i].type,
				 SERVERS[i].connected, rc);
	}
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static struct net_vouch vouch_for(struct lab *lab, const char *name, const char *host, uint32_t ttl)
{
	struct net_vouch v = { .reason = PF_DENY_UNFILLED };

	assert_int_equal(addr_parse(host, &v.addr), 0);
	net_fence_vouch(lab->fence, name, &v, 1, ttl);
	return v;
}

static int keep_and_retry(void *data)
{
	const struct lab *lab = data;
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(NAMED, 443, &sa);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	int udp = socket(AF_INET, SOCK_DGRAM, 0);

	(void)lab;
	if (connect(tcp, (struct sockaddr *)&sa, len) < 0 ||
	    connect(udp, (struct sockaddr *)&sa, len) < 0)
		return errno;
	if (send(tcp, "x", 1, 0) != 1 || lab_ask(tcp) != 0)
		return 201;
	if (send(udp, "x", 1, 0) != 1 || lab_ask(udp) != 0)
		return 202;
	usleep(1500000);
	if (send(tcp, "x", 1, 0) != 1 || lab_ask(tcp) != 0)
		return 203;
	if (send(udp, "x", 1, 0) == 1 || errno != EPERM)
		return 204;
	if (ask_at(NAMED, 443, SOCK_STREAM) != EPERM)
		return 205;
	return 0;
}

static void an_expired_name_shuts_new_flows_and_datagrams_but_no_connection(void **state)
{
	struct lab *lab = *state;
	struct where w = { NULL, NAMED, 443, SOCK_STREAM };

	assert_int_equal(lab_run(lab, true, reach_it, &w), EPERM);
	assert_int_equal(vouch_for(lab, "api.test", NAMED, 1).reason, PF_ALLOW_VOUCHED);
	assert_int_equal(lab_run(lab, true, keep_and_retry, lab), 0);
	assert_int_equal(vouch_for(lab, "api.test", NAMED, 60).reason, PF_ALLOW_VOUCHED);
	assert_int_equal(lab_run(lab, true, reach_it, &w), 0);
	w.port = 8443;
	assert_int_equal(lab_run(lab, true, reach_it, &w), EPERM);
}

static void answers_that_lead_into_shut_space_are_stripped(void **state)
{
	static const struct {
		const char *name;
		const char *host;
		enum pf_reason reason;
	} CASES[] = {
		{ "api.test", "10.9.9.9", PF_DENY_PRIVATE },
		{ "api.test", "::ffff:10.9.9.9", PF_DENY_PRIVATE },
		{ "api.test", "127.0.0.1", PF_DENY_LOOPBACK },
		{ "api.test", "169.254.169.254", PF_DENY_METADATA },
		{ "api.test", "0.0.0.0", PF_DENY_NEVER },
		{ "api.test", "8.8.8.8", PF_DENY_PRIVATE }, /* an address of this host */
		{ "api.test", "192.0.2.66", PF_DENY_RULE },
		{ "api.test", "8.8.4.4", PF_ALLOW_VOUCHED },
		{ "api.test", "172.16.5.5", PF_ALLOW_LITERAL },
		{ "api.test", "::ffff:172.16.5.5", PF_ALLOW_LITERAL },
		{ "api.test", "127.0.0.2", PF_ALLOW_LITERAL },
		{ "api.test", "127.0.0.3", PF_DENY_LOOPBACK },
		{ "api.test", "8.8.7.7", PF_DENY_RULE }, /* 443 alone, and that is denied */
		{ "range.test", "8.8.7.7", PF_ALLOW_VOUCHED },
		{ "any.test", "8.8.6.6", PF_DENY_RULE }, /* 1 to 65535 are denied */
		{ "bad.test", "198.51.100.77", PF_DENY_RULE },
		{ "none.test", "198.51.100.77", PF_DENY_UNMATCHED },
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
		if (vouch_for(lab, CASES[i].name, CASES[i].host, 60).reason != CASES[i].reason)
			fail_msg("%s %s", CASES[i].name, CASES[i].host);
}

/* ---- attachment ------------------------------------------------------------------------------ */

static void a_child_cgroup_is_fenced_too(void **state)
{
	struct lab *lab = *state;
	struct lab child = *lab;
	struct where w = { NULL, OTHER, 443, SOCK_STREAM };

	snprintf(child.cgroup, sizeof(child.cgroup), "%.200s/child", lab->cgroup);
	assert_int_equal(mkdir(child.cgroup, 0755), 0);
	assert_int_equal(lab_run(&child, true, reach_it, &w), EPERM);
	w.reach = ALLOWED;
	assert_int_equal(lab_run(&child, true, reach_it, &w), 0);
	assert_int_equal(rmdir(child.cgroup), 0);
}

static void the_loaders_death_opens_nothing(void **state)
{
	struct lab *lab = *state;
	struct lab other = *lab;
	struct where w = { NULL, OTHER, 443, SOCK_STREAM };
	int ready[2];
	char byte;
	pid_t pid;

	lab_cgroup(&other, "death");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		lab_fence(&other);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(lab_run(&other, true, reach_it, &w), EPERM);
	w.reach = ALLOWED;
	assert_int_equal(lab_run(&other, true, reach_it, &w), 0);
	close(other.cgroup_fd);
	assert_int_equal(rmdir(other.cgroup), 0);
}

static void count_event(void *data, const struct net_event *ev)
{
	struct net_event *last = data;

	*last = *ev;
}

static void a_denial_is_told_with_who_what_and_why(void **state)
{
	struct lab *lab = *state;
	struct where w = { NULL, "10.9.9.9", 443, SOCK_STREAM };
	struct net_event ev = { 0 };
	struct net_counts before;
	struct net_counts after;

	net_fence_read_events(lab->fence, count_event, &ev);
	net_fence_counts(lab->fence, &before);
	assert_int_equal(lab_run(lab, true, reach_it, &w), EPERM);
	assert_int_equal(net_fence_read_events(lab->fence, count_event, &ev), 1);
	net_fence_counts(lab->fence, &after);
	assert_int_equal(ev.reason, PF_DENY_PRIVATE);
	assert_string_equal(ev.op, "connect");
	assert_string_equal(ev.proto, "tcp");
	assert_int_equal(ev.port, 443);
	assert_true(ev.pid > 1);
	assert_int_equal(after.denied, before.denied + 1);
	assert_int_equal(after.lost, 0);
}

static int setup(void **state)
{
	static struct lab lab;

	lab_prepare(&lab, "life");
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP | PROTO_UDP);
	lab_allow(&lab, "api.test", 443, PROTO_TCP | PROTO_UDP);
	lab_allow(&lab, "bad.test", 443, PROTO_TCP);
	lab_allow(&lab, "172.16.5.5", 5432, PROTO_TCP);
	lab_allow(&lab, "127.0.0.2", 5432, PROTO_TCP);
	lab_allow(&lab, "range.test", 443, PROTO_TCP);
	lab.rules[lab.policy.net.allow.n - 1].port_high = 444;
	lab_allow(&lab, "any.test", -1, PROTO_TCP);
	lab_deny(&lab, "8.8.6.6", 1, PROTO_TCP | PROTO_UDP);
	lab.policy.net.deny.rule[0].port_high = 65535;
	lab_deny(&lab, "8.8.7.7", 443, PROTO_TCP | PROTO_UDP);
	lab_deny(&lab, "bad.test", -1, PROTO_TCP | PROTO_UDP);
	lab_deny(&lab, "192.0.2.0/24", -1, PROTO_TCP | PROTO_UDP);
	lab.inbound[0] =
	    (struct inbound_rule){ .port = INBOUND_PORT, .protos = PROTO_TCP | PROTO_UDP };
	lab.inbound[1] =
	    (struct inbound_rule){ .port = LOCAL_PORT, .protos = PROTO_TCP, .loopback_only = true };
	lab.policy.net.inbound = lab.inbound;
	lab.policy.net.n_inbound = 2;
	lab_fence(&lab);
	*state = &lab;
	return 0;
}

static int teardown(void **state)
{
	lab_done(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_listeners_are_reached_from_inside_and_from_nowhere_else),
		cmocka_unit_test(inbound_ports_are_reached_from_outside),
		cmocka_unit_test(a_listener_that_binds_itself_is_not_reached_from_outside),
		cmocka_unit_test(binding_outside_loopback_is_refused),
		cmocka_unit_test(a_wildcard_bind_becomes_a_loopback_bind),
		cmocka_unit_test(port_53_of_any_server_is_the_resolver_and_looks_like_that_server),
		cmocka_unit_test(an_expired_name_shuts_new_flows_and_datagrams_but_no_connection),
		cmocka_unit_test(answers_that_lead_into_shut_space_are_stripped),
		cmocka_unit_test(a_child_cgroup_is_fenced_too),
		cmocka_unit_test(the_loaders_death_opens_nothing),
		cmocka_unit_test(a_denial_is_told_with_who_what_and_why),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
