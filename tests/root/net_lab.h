/* SPDX-License-Identifier: MIT */
/* A network namespace with documentation addresses on its loopback, echo servers in it, and a
 * cgroup to fence.  For the root tests of the network fence only. */
#ifndef PINFOLD_TESTS_NET_LAB_H
#define PINFOLD_TESTS_NET_LAB_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/fence.h"
#include "pinfold.h"
#include "policy/policy.h"

#define ALLOWED "198.51.100.10"
#define ALLOWED6 "2001:db8::10"
#define OTHER "203.0.113.7"
#define OTHER6 "2001:db8:77::7"
#define NAMED "198.51.100.20"
#define RESOLVER_PORT 5300
#define NO_ANSWER 250 /* an attempt that nobody answered and nobody refused */
#define WAIT_MS (getenv("SLOW_MACHINE") ? 3000 : 400)

struct lab {
	char cgroup[256];
	int cgroup_fd;
	pid_t server;
	struct net_rule rules[32];
	struct inbound_rule inbound[4];
	struct policy policy;
	struct net_fence *fence;
	char error[256];
};

static inline void lab_ip(const char *const *argv)
{
	extern char **environ;
	pid_t pid;
	int status = -1;

	assert_int_equal(
	    posix_spawnp(&pid, "ip", NULL, NULL, (char *const *)(uintptr_t)argv, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static inline void lab_network(void)
{
	static const char *const ADDRS[] = { ALLOWED "/32",       OTHER "/32",     NAMED "/32",
					     "10.9.9.9/32",       "192.0.2.77/32", "8.8.8.8/32",
					     "169.254.169.254/32" };
	static const char *const ADDRS6[] = { ALLOWED6 "/128", OTHER6 "/128", "fd12::7/128" };

	assert_int_equal(unshare(CLONE_NEWNET), 0);
	lab_ip((const char *const[]){ "ip", "link", "set", "lo", "up", NULL });
	for (size_t i = 0; i < sizeof(ADDRS) / sizeof(ADDRS[0]); i++)
		lab_ip((const char *const[]){ "ip", "addr", "add", ADDRS[i], "dev", "lo", NULL });
	for (size_t i = 0; i < sizeof(ADDRS6) / sizeof(ADDRS6[0]); i++)
		lab_ip((const char *const[]){ "ip", "-6", "addr", "add", ADDRS6[i], "dev", "lo",
					      "nodad", NULL });
}

static inline socklen_t lab_sockaddr(const char *host, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		abort();
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return sizeof(*in6);
}

static inline int lab_bound(const char *host, uint16_t port, int type)
{
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(host, port, &sa);
	int fd = socket(sa.ss_family, type | SOCK_CLOEXEC, 0);
	const int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&sa, len) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 64) < 0)) {
		close(fd);
		return -errno;
	}
	return fd;
}

/* Answers each datagram and each first bytes of a connection with the port that was reached. */
static inline void lab_serve(struct pollfd *p, size_t n, size_t n_tcp)
{
	for (;;) {
		struct sockaddr_storage from;
		socklen_t len = sizeof(from);
		char buf[64];

		poll(p, n, -1);
		for (size_t i = 0; i < n; i++) {
			if (!(p[i].revents & POLLIN))
				continue;
			if (i < n_tcp) {
				int c = accept(p[i].fd, NULL, NULL);

				if (fork() == 0) {
					ssize_t got;

					prctl(PR_SET_PDEATHSIG, SIGKILL);

					for (size_t k = 0; k < n; k++)
						close(p[k].fd);
					while ((got = read(c, buf, sizeof(buf))) > 0)
						if (write(c, buf, (size_t)got) < 0)
							break;
					_exit(0);
				}
				close(c);
				continue;
			}
			len = sizeof(from);
			ssize_t got =
			    recvfrom(p[i].fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len);

			if (got >= 0)
				sendto(p[i].fd, buf, (size_t)got, 0, (struct sockaddr *)&from, len);
		}
	}
}

static inline void lab_start_server(struct lab *lab)
{
	static const uint16_t PORTS[] = { 443, 8443, 53, 5432 };
	struct pollfd p[16];
	size_t n = 0;
	size_t n_tcp;

	for (size_t i = 0; i < 4; i++)
		p[n++].fd = lab_bound("::", PORTS[i], SOCK_STREAM);
	p[n++].fd = lab_bound("127.0.0.1", RESOLVER_PORT, SOCK_STREAM);
	p[n++].fd = lab_bound("::1", RESOLVER_PORT, SOCK_STREAM);
	n_tcp = n;
	for (size_t i = 0; i < 4; i++)
		p[n++].fd = lab_bound("::", PORTS[i], SOCK_DGRAM);
	p[n++].fd = lab_bound("127.0.0.1", RESOLVER_PORT, SOCK_DGRAM);
	p[n++].fd = lab_bound("::1", RESOLVER_PORT, SOCK_DGRAM);
	for (size_t i = 0; i < n; i++) {
		assert_true(p[i].fd >= 0);
		p[i].events = POLLIN;
	}
	lab->server = fork();
	if (lab->server == 0) {
		/* Whatever becomes of the test. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		signal(SIGCHLD, SIG_IGN);
		lab_serve(p, n, n_tcp);
	}
	setpgid(lab->server, lab->server);
	for (size_t i = 0; i < n; i++)
		close(p[i].fd);
}

static inline void lab_cgroup(struct lab *lab, const char *tag)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[1024];
	char point[200] = "";

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, " - cgroup2 "))
			assert_int_equal(sscanf(line, "%*s %*s %*s %*s %199s", point), 1);
	fclose(f);
	assert_true(point[0]);
	snprintf(lab->cgroup, sizeof(lab->cgroup), "%s/pinfold-test-%s-%d", point, tag,
		 (int)getpid());
	assert_int_equal(mkdir(lab->cgroup, 0755), 0);
	lab->cgroup_fd = open(lab->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(lab->cgroup_fd >= 0);
}

/* host is an address with optional /len, or a name. */
static inline void lab_rule(struct lab *lab, struct net_rules *list, const char *host, int port,
			    unsigned protos)
{
	struct net_rule *r = &lab->rules[lab->policy.net.allow.n];
	char addr[64];
	const char *slash = strchr(host, '/');

	if (list == &lab->policy.net.deny) /* denies are kept at the end of the array */
		r = &lab->rules[31 - lab->policy.net.deny.n];
	snprintf(addr, sizeof(addr), "%.*s", slash ? (int)(slash - host) : 50, host);
	*r = (struct net_rule){ .port_low = (uint16_t)(port < 0 ? 0 : port),
				.port_high = (uint16_t)(port < 0 ? 65535 : port),
				.protos = protos,
				.text = (char *)(uintptr_t)host,
				.origin = (char *)(uintptr_t) "test" };
	if (addr_parse(addr, &r->addr) == 0) {
		r->host = HOST_PREFIX;
		r->prefix_len =
		    slash ? (unsigned)atoi(slash + 1) + (strchr(addr, ':') ? 0 : 96) : 128;
	} else if (strcmp(host, "*") == 0) {
		r->host = HOST_ANY;
	} else if (strcmp(host, "localhost") == 0) {
		r->host = HOST_LOCALHOST;
	} else {
		r->host = HOST_NAME;
		r->name = (char *)(uintptr_t)host;
	}
	list->n++;
	lab->policy.net.allow.rule = lab->rules;
	lab->policy.net.deny.rule = &lab->rules[32 - lab->policy.net.deny.n];
}

static inline void lab_allow(struct lab *lab, const char *host, int port, unsigned protos)
{
	struct net_rules *l = &lab->policy.net.allow;

	lab_rule(lab, l, host, port, protos);
}

static inline void lab_deny(struct lab *lab, const char *host, int port, unsigned protos)
{
	lab_rule(lab, &lab->policy.net.deny, host, port, protos);
}

/* The lab that a failed assertion would leave. */
static struct lab *lab_left;

static inline void lab_sweep(void)
{
	if (!lab_left)
		return;
	if (lab_left->server > 0) {
		kill(-lab_left->server, SIGKILL);
		waitpid(lab_left->server, NULL, 0);
	}
	rmdir(lab_left->cgroup);
}

static inline void lab_prepare(struct lab *lab, const char *tag)
{
	memset(lab, 0, sizeof(*lab));
	lab_left = lab;
	atexit(lab_sweep);
	lab_network();
	lab_cgroup(lab, tag);
	lab_start_server(lab);
	lab->policy.net.deny_errno = EPERM;
	lab->policy.net.dns.min_ttl_s = 0;
	lab->policy.net.dns.max_addresses = 64;
}

static inline void lab_fence(struct lab *lab)
{
	struct pinfold_error e = { "" };
	const struct net_resolver resolver = { .port = { RESOLVER_PORT } };

	if (net_fence_new(&lab->policy, NULL, &lab->fence, &e) < 0 ||
	    net_fence_attach(lab->fence, lab->cgroup_fd, &resolver, &e) < 0)
		fail_msg("%s", e.text);
}

static inline void lab_done(struct lab *lab)
{
	net_fence_free(lab->fence);
	close(lab->cgroup_fd);
	kill(-lab->server, SIGKILL);
	waitpid(lab->server, NULL, 0);
	lab->server = 0;
	assert_int_equal(rmdir(lab->cgroup), 0);
	lab_left = NULL;
}

static inline void lab_join(const struct lab *lab)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", lab->cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		abort();
	close(fd);
}

/* Runs fn in a child, in the cgroup when inside; its result is 0 or an errno. */
static inline int lab_run(const struct lab *lab, bool inside, int (*fn)(void *), void *data)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (inside)
			lab_join(lab);
		alarm(20);
		_exit(fn(data));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* 0: an answer came; NO_ANSWER; or an errno. */
static inline int lab_ask(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[16];

	if (poll(&p, 1, WAIT_MS) == 0)
		return NO_ANSWER;
	ssize_t n = recv(fd, buf, sizeof(buf), 0);

	if (n < 0)
		return errno;
	return n > 0 ? 0 : NO_ANSWER;
}

#endif
