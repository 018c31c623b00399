/* SPDX-License-Identifier: MIT */
/* The supervisor's preparations: all that the worker can't open by itself. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "relay/worker.h"

#define BIND_TRIES 64 /* a random port has to be free twice */
#define BACKLOG 256
#define FDS_EACH 2
#define FDS_BESIDE 16
#define FDS_USUAL 1024

const struct relay_worker RELAY_EMPTY = {
	.tcp4 = -1,
	.tcp6 = -1,
	.channel = -1,
	.supervisor = -1,
};

static void close_fd(int *fd)
{
	clean_close(fd);
	*fd = -1;
}

/* What is accepted inherits TCP_NODELAY: a relay must not hold small writes back. */
static int listener(const struct sockaddr *at, socklen_t len)
{
	auto_close int fd =
	    socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	const int one = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0 ||
	    bind(fd, at, len) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return take_fd(fd);
}

static int listener4(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	auto_close int fd = listener((const struct sockaddr *)&at, sizeof(at));

	if (fd < 0)
		return take_fd(fd);
	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return -errno;
	*port = ntohs(at.sin_port);
	return take_fd(fd);
}

static int listener6(uint16_t port)
{
	const struct sockaddr_in6 at = { .sin6_family = AF_INET6,
					 .sin6_port = htons(port),
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	return listener((const struct sockaddr *)&at, sizeof(at));
}

/* One port for both; -EADDRINUSE: not this one. */
static int bind_both(struct relay_worker *w)
{
	int fd = listener4(&w->port);

	if (fd < 0)
		return fd;
	w->tcp4 = fd;
	fd = listener6(w->port);
	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
		return 0;
	if (fd < 0)
		return fd;
	w->tcp6 = fd;
	return 0;
}

static void close_listeners(struct relay_worker *w)
{
	close_fd(&w->tcp4);
	close_fd(&w->tcp6);
}

int relay_worker_renew(struct relay_worker *w, struct pinfold_error *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return err_set(e, -errno, "cannot make the relay's channel: %s", strerror(errno));
	close_fd(&w->channel);
	close_fd(&w->supervisor);
	w->channel = pair[0];
	w->supervisor = pair[1];
	return 0;
}

int relay_worker_prepare(struct relay_worker *w, struct pinfold_error *e)
{
	int r = -EADDRINUSE;

	*w = RELAY_EMPTY;
	for (unsigned i = 0; i < BIND_TRIES && r == -EADDRINUSE; i++) {
		close_listeners(w);
		r = bind_both(w);
	}
	if (r < 0)
		err_set(e, r, "cannot bind the relay's sockets on loopback: %s", strerror(-r));
	else
		r = relay_worker_renew(w, e);
	if (r < 0)
		relay_worker_done(w);
	return r;
}

void relay_worker_limits(struct relay_worker *w)
{
	const size_t want = RELAY_CONNS_MAX * FDS_EACH + FDS_BESIDE;
	struct rlimit limit;
	size_t have = FDS_USUAL;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		struct rlimit more = limit;

		more.rlim_cur = limit.rlim_max < want ? limit.rlim_max : want;
		if (limit.rlim_cur < want && setrlimit(RLIMIT_NOFILE, &more) == 0)
			limit = more;
		have = limit.rlim_cur < want ? limit.rlim_cur : want;
	}
	w->conns_max = have > FDS_BESIDE ? (have - FDS_BESIDE) / FDS_EACH : 0;
}

void relay_worker_started(struct relay_worker *w)
{
	close_fd(&w->channel);
}

void relay_worker_done(struct relay_worker *w)
{
	close_listeners(w);
	close_fd(&w->channel);
	close_fd(&w->supervisor);
	*w = RELAY_EMPTY;
}
