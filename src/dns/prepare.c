/* SPDX-License-Identifier: MIT */
/* The supervisor's preparations: all that the worker can't open by itself. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "dns/resolv.h"
#include "dns/worker.h"
#include "policy/policy.h"

#define BIND_TRIES 64 /* random ports have to be free in both families and protocols */
#define TCP_BACKLOG 128

const struct dns_worker DNS_WORKER_EMPTY = {
	.udp4 = { -1, -1, -1, -1 },
	.udp6 = { -1, -1, -1, -1 },
	.tcp4 = -1,
	.tcp6 = -1,
	.channel = -1,
	.supervisor = -1,
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_listeners(struct dns_worker *w)
{
	for (size_t i = 0; i < DNS_PORTS; i++) {
		close_fd(&w->udp4[i]);
		close_fd(&w->udp6[i]);
	}
	close_fd(&w->tcp4);
	close_fd(&w->tcp6);
}

static int listener4(int type, uint16_t port)
{
	auto_close int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, TCP_BACKLOG) < 0))
		return -errno;
	return take_fd(fd);
}

static int listener6(int type, uint16_t port)
{
	auto_close int fd = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct sockaddr_in6 at = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, TCP_BACKLOG) < 0))
		return -errno;
	return take_fd(fd);
}

static int bound_port(int fd, uint16_t *ret)
{
	struct sockaddr_in at = { 0 };
	socklen_t len = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return -errno;
	*ret = ntohs(at.sin_port);
	return 0;
}

static bool no_ipv6(int err)
{
	return err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL;
}

/* One port in both families; -EADDRINUSE: not this one. */
static int bind_datagrams(struct dns_worker *w, size_t i)
{
	int err;

	w->udp4[i] = listener4(SOCK_DGRAM, 0);
	if (w->udp4[i] < 0)
		return w->udp4[i];
	err = bound_port(w->udp4[i], &w->port[i]);
	if (err < 0)
		return err;
	w->udp6[i] = listener6(SOCK_DGRAM, w->port[i]);
	if (no_ipv6(w->udp6[i]))
		w->udp6[i] = -1;
	return w->udp6[i] < -1 ? w->udp6[i] : 0;
}

static int bind_streams(struct dns_worker *w)
{
	w->tcp4 = listener4(SOCK_STREAM, w->port[0]);
	if (w->tcp4 < 0 || w->udp6[0] < 0)
		return w->tcp4 < 0 ? w->tcp4 : 0;
	w->tcp6 = listener6(SOCK_STREAM, w->port[0]);
	return w->tcp6 < 0 ? w->tcp6 : 0;
}

static int bind_all(struct dns_worker *w)
{
	int err = 0;

	for (size_t i = 0; i < DNS_PORTS && err == 0; i++)
		err = bind_datagrams(w, i);
	return err < 0 ? err : bind_streams(w);
}

static int bind_listeners(struct dns_worker *w, struct pinfold_error *e)
{
	int err = -EADDRINUSE;

	for (unsigned i = 0; i < BIND_TRIES && err == -EADDRINUSE; i++) {
		close_listeners(w);
		err = bind_all(w);
	}
	if (err < 0)
		return err_set(e, err, "cannot bind the DNS worker's sockets on loopback: %s",
			       strerror(-err));
	return 0;
}

static int find_upstreams(struct dns_worker *w, const struct policy *p, struct pinfold_error *e)
{
	const struct dns_policy *dns = &p->net.dns;

	if (dns->n_upstream == 0)
		return dns_resolv_upstreams(w->upstream, &w->n_upstream, e);
	if (dns->n_upstream > DNS_UPSTREAMS_MAX)
		return err_set(e, -EINVAL, "network.dns.upstream: at most %d servers, not %zu",
			       DNS_UPSTREAMS_MAX, dns->n_upstream);
	for (size_t i = 0; i < dns->n_upstream; i++) {
		w->upstream[i].addr = dns->upstream[i].addr;
		w->upstream[i].port = dns->upstream[i].port;
	}
	w->n_upstream = dns->n_upstream;
	return 0;
}

int dns_worker_renew(struct dns_worker *w, struct pinfold_error *e)
{
	int pair[2];
	int err = find_upstreams(w, w->policy, e);

	if (err < 0)
		return err;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return err_set(e, -errno, "cannot make the DNS worker's channel: %s",
			       strerror(errno));
	close_fd(&w->channel);
	close_fd(&w->supervisor);
	w->channel = pair[0];
	w->supervisor = pair[1];
	return 0;
}

int dns_worker_prepare(struct dns_worker *w, const struct policy *p, struct pinfold_error *e)
{
	int err;

	*w = DNS_WORKER_EMPTY;
	w->policy = p;
	err = bind_listeners(w, e);
	if (err == 0)
		err = dns_worker_renew(w, e);
	if (err < 0)
		dns_worker_done(w);
	return err;
}

void dns_worker_started(struct dns_worker *w)
{
	close_fd(&w->channel);
}

void dns_worker_done(struct dns_worker *w)
{
	close_listeners(w);
	close_fd(&w->channel);
	close_fd(&w->supervisor);
	*w = DNS_WORKER_EMPTY;
}
