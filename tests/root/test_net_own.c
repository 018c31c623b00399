/* SPDX-License-Identifier: MIT */
/* "Own" means the very socket: ports that the session touched before somebody else used them.  And
 * ping, where it is allowed. */
#include "net_lab.h"

#define SHARED_PORT 3100

static int bind_and_wait(const struct lab *lab, int type, int *ret_release)
{
	int ready[2];
	int go[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		struct sockaddr_storage sa;
		socklen_t len = lab_sockaddr("127.0.0.1", SHARED_PORT, &sa);
		const int one = 1;
		int fd;

		close(go[1]);
		lab_join(lab);
		fd = socket(AF_INET, type, 0);
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		byte = bind(fd, (struct sockaddr *)&sa, len) == 0 ? 'y' : 'n';
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(go[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	close(ready[0]);
	close(ready[1]);
	*ret_release = go[1];
	return pid;
}

static int reach_shared(void *data)
{
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr("127.0.0.1", SHARED_PORT, &sa);
	int fd = socket(AF_INET, *(int *)data, 0);

	return connect(fd, (struct sockaddr *)&sa, len) < 0 ? errno : 0;
}

static void a_port_bound_first_does_not_open_another_process_listener(void **state)
{
	struct lab *lab = *state;
	int stream = SOCK_STREAM;
	int release;
	int pid = bind_and_wait(lab, SOCK_STREAM, &release);
	int host = lab_bound("127.0.0.1", SHARED_PORT, SOCK_STREAM);

	assert_true(host >= 0);
	assert_int_equal(lab_run(lab, true, reach_shared, &stream), EPERM);
	assert_int_equal(lab_run(lab, false, reach_shared, &stream), 0);
	close(host);
	close(release);
	waitpid(pid, NULL, 0);
}

static void a_datagram_port_shared_with_another_process_is_not_own(void **state)
{
	struct lab *lab = *state;
	int datagram = SOCK_DGRAM;
	int release;
	int pid = bind_and_wait(lab, SOCK_DGRAM, &release);
	int host = lab_bound("127.0.0.1", SHARED_PORT, SOCK_DGRAM);

	/* the kernel gives datagrams to the one that bound last */
	assert_true(host >= 0);
	assert_int_equal(lab_run(lab, true, reach_shared, &datagram), EPERM);
	close(host);
	assert_int_equal(lab_run(lab, true, reach_shared, &datagram), 0);
	close(release);
	waitpid(pid, NULL, 0);
}

static int ping(void *data)
{
	const unsigned char echo[8] = { 8 };
	const unsigned char echo6[8] = { 128 };
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(data, 0, &sa);
	bool v6 = sa.ss_family == AF_INET6;
	int fd = socket(sa.ss_family, SOCK_DGRAM, v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);

	if (fd < 0 || sendto(fd, v6 ? echo6 : echo, 8, 0, (struct sockaddr *)&sa, len) != 8)
		return errno;
	return lab_ask(fd);
}

static void ping_reaches_what_an_entry_names_and_nothing_else(void **state)
{
	struct lab *lab = *state;

	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t)ALLOWED), 0);
	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t)OTHER), EPERM);
	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t) "10.9.9.9"), EPERM);
	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t) "169.254.169.254"), EPERM);
	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t)ALLOWED6), 0);
	/* the kernel says nothing about a dropped ICMPv6 packet */
	assert_int_equal(lab_run(lab, true, ping, (void *)(uintptr_t)OTHER6), NO_ANSWER);
}

static int setup(void **state)
{
	static struct lab lab;
	FILE *f;

	lab_prepare(&lab, "own");
	f = fopen("/proc/sys/net/ipv4/ping_group_range", "we");
	assert_non_null(f);
	assert_true(fputs("0 2147483647", f) >= 0);
	fclose(f);
	lab.policy.net.icmp = true;
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP);
	lab_allow(&lab, ALLOWED6, 443, PROTO_TCP);
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
		cmocka_unit_test(a_port_bound_first_does_not_open_another_process_listener),
		cmocka_unit_test(a_datagram_port_shared_with_another_process_is_not_own),
		cmocka_unit_test(ping_reaches_what_an_entry_names_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
