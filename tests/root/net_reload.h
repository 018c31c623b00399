/* SPDX-License-Identifier: MIT */
/* For test_net_reload.c: policies of a few rules, and children inside that lean on them. */
#ifndef PINFOLD_TESTS_NET_RELOAD_H
#define PINFOLD_TESTS_NET_RELOAD_H

#include "net_lab.h"

#include <sys/mman.h>

/* What a child inside and the test say to each other. */
struct shared {
	volatile int ready;
	volatile int go;
	volatile int passed;
	volatile int refused;
	volatile long tries;
};

static inline struct shared *share(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static inline void pause_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static inline void await(const volatile int *flag)
{
	for (int i = 0; i < 1000 && !*flag; i++)
		pause_ms(5);
	assert_true(*flag);
}

/* A policy of its own rules; add() appends to allow. */
struct rules {
	struct policy policy;
	struct net_rule allow[8];
	struct net_rule deny[8];
};

static inline void add(struct net_rules *list, const char *host, int port)
{
	struct net_rule *r = &list->rule[list->n++];

	*r = (struct net_rule){ .port_low = (uint16_t)(port < 0 ? 0 : port),
				.port_high = (uint16_t)(port < 0 ? 65535 : port),
				.protos = PROTO_TCP | PROTO_UDP,
				.text = (char *)(uintptr_t)host,
				.origin = (char *)(uintptr_t) "test" };
	if (addr_parse(host, &r->addr) == 0) {
		r->host = HOST_PREFIX;
		r->prefix_len = 128;
	} else if (strcmp(host, "*") == 0) {
		r->host = HOST_ANY;
	} else {
		r->host = HOST_NAME;
		r->name = (char *)(uintptr_t)host;
	}
}

static inline void begin(struct rules *r, const struct lab *lab, enum revoke revoke)
{
	memset(r, 0, sizeof(*r));
	r->policy.net.deny_errno = EPERM;
	r->policy.net.dns = lab->policy.net.dns;
	r->policy.net.on_revoke = revoke;
	r->policy.net.allow.rule = r->allow;
	r->policy.net.deny.rule = r->deny;
}

static inline void reload(const struct lab *lab, const struct rules *r)
{
	struct pinfold_error e = { "" };

	if (net_fence_reload(lab->fence, &r->policy, &e) < 0)
		fail_msg("%s", e.text);
}

static inline int connect_to(const char *host, uint16_t port, int type)
{
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(host, port, &sa);
	int fd = socket(sa.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&sa, len) < 0) {
		int code = errno;

		close(fd);
		return -code;
	}
	return fd;
}

static inline int try_once(const char *host, uint16_t port)
{
	int fd = connect_to(host, port, SOCK_STREAM);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -fd : 0;
}

/* ---- the moment of a reload ----------------------------------------------------------------- */

static inline int lean(void *data)
{
	struct shared *sh = data;
	struct sockaddr_storage other;
	struct sockaddr_storage allowed;
	socklen_t other_len = lab_sockaddr(OTHER, 443, &other);
	socklen_t allowed_len = lab_sockaddr(ALLOWED, 443, &allowed);
	int udp = socket(AF_INET, SOCK_DGRAM, 0);

	sh->ready = 1;
	while (!sh->go) {
		sh->passed += try_once(OTHER, 443) == 0;
		sh->passed += sendto(udp, "x", 1, 0, (struct sockaddr *)&other, other_len) == 1;
		sh->refused +=
		    sendto(udp, "x", 1, 0, (struct sockaddr *)&allowed, allowed_len) != 1;
		sh->tries++;
	}
	return 0;
}

static inline pid_t start_inside(const struct lab *lab, int (*fn)(void *), void *data)
{
	pid_t pid = fork();

	if (pid == 0) {
		lab_join(lab);
		alarm(60);
		_exit(fn(data));
	}
	return pid;
}

static inline int end_of(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

#endif
