/* SPDX-License-Identifier: MIT */
/* Every way out that the kernel offers, tried against one policy: what is allowed gets its answer,
 * the same thing to somewhere else is refused. */
#include "net_lab.h"

#include <netinet/ip.h>
#include <netinet/ip6.h>

#define UDPLITE 136
#define MPTCP 262
#define SCTP 132
#define REFUSED -1 /* some errno: the kernel itself may be the first to refuse */

struct attempt {
	const char *name;
	int (*fn)(void *);
	const char *host;
	uint16_t port;
	int want; /* 0: an answer came; else the errno */
};

static int reach(int fd, const void *sa, socklen_t len)
{
	if (connect(fd, sa, len) < 0)
		return errno;
	if (send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		return errno;
	return lab_ask(fd);
}

static int open_socket(const struct attempt *a, int type, int proto, struct sockaddr_storage *sa,
		       socklen_t *len)
{
	*len = lab_sockaddr(a->host, a->port, sa);
	return socket(sa->ss_family, type | SOCK_CLOEXEC, proto);
}

static int attempt_connect(const struct attempt *a, int type, int proto)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, type, proto, &sa, &len);

	return fd < 0 ? errno : reach(fd, &sa, len);
}

static int attempt_sendto(const struct attempt *a, int proto, int flags, int type)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, type, proto, &sa, &len);

	if (fd < 0)
		return errno;
	if (sendto(fd, "x", 1, flags, (struct sockaddr *)&sa, len) != 1)
		return errno;
	return lab_ask(fd);
}

static int tcp(void *d)
{
	return attempt_connect(d, SOCK_STREAM, 0);
}

static int udp_connected(void *d)
{
	return attempt_connect(d, SOCK_DGRAM, 0);
}

static int mptcp(void *d)
{
	return attempt_connect(d, SOCK_STREAM, MPTCP);
}

static int sctp(void *d)
{
	return attempt_connect(d, SOCK_STREAM, SCTP);
}

static int udplite_connected(void *d)
{
	return attempt_connect(d, SOCK_DGRAM, UDPLITE);
}

static int udplite_sendto(void *d)
{
	return attempt_sendto(d, UDPLITE, 0, SOCK_DGRAM);
}

static int udp_sendto(void *d)
{
	return attempt_sendto(d, 0, 0, SOCK_DGRAM);
}

static int fastopen_sendto(void *d)
{
	return attempt_sendto(d, 0, MSG_FASTOPEN | MSG_NOSIGNAL, SOCK_STREAM);
}

static int raw_icmp(void *d)
{
	return attempt_connect(d, SOCK_RAW, IPPROTO_ICMP);
}

static int raw_udp(void *d)
{
	return attempt_connect(d, SOCK_RAW, IPPROTO_RAW);
}

static int ping(void *d)
{
	return attempt_connect(d, SOCK_DGRAM, IPPROTO_ICMP);
}

static int fastopen_connect(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_STREAM, 0, &sa, &len);
	const int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof(one));
	return reach(fd, &sa, len);
}

static int udp_sendmmsg(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct mmsghdr m = {
		.msg_hdr = { .msg_name = &sa, .msg_namelen = len, .msg_iov = &iov, .msg_iovlen = 1 }
	};

	return sendmmsg(fd, &m, 1, 0) == 1 ? lab_ask(fd) : errno;
}

/* A v4 address given to a v6 socket as it is. */
static int udp6_given_v4(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(a->host, a->port, &sa);
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

static int udp_unspec_family(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	sa.ss_family = AF_UNSPEC;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

/* Connected to what is allowed, then sent elsewhere. */
static int udp_readdressed(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(ALLOWED, 443, &sa);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		return 254;
	len = lab_sockaddr(a->host, a->port, &sa);
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

static int send_with_control(int fd, int level, int type, const void *data, size_t size)
{
	_Alignas(struct cmsghdr) char control[256] = { 0 };
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = CMSG_SPACE(size) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), data, size);
	return sendmsg(fd, &m, 0) == 1 ? lab_ask(fd) : errno;
}

/* As QUIC does: connected, each send with a control message. */
static int udp_connected_cmsg(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);
	const int tos = 2;

	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		return errno;
	return sa.ss_family == AF_INET
		   ? send_with_control(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos))
		   : send_with_control(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
}

/* The allowed address stands last in the route, the first hop is another. */
static int lsrr_option(void *d)
{
	const struct attempt *a = d;
	unsigned char route[8] = { 131, 7, 4 };
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	inet_pton(AF_INET, OTHER, route + 3);
	if (setsockopt(fd, IPPROTO_IP, IP_OPTIONS, route, sizeof(route)) < 0)
		return errno;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

static int lsrr_control(void *d)
{
	const struct attempt *a = d;
	unsigned char route[8] = { 131, 7, 4 };
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	inet_pton(AF_INET, OTHER, route + 3);
	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		return 254;
	return send_with_control(fd, IPPROTO_IP, IP_RETOPTS, route, sizeof(route));
}

static int srh_option(void *d)
{
	const struct attempt *a = d;
	unsigned char srh[40] = { 0, 4, 4, 1, 1 };
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	inet_pton(AF_INET6, a->host, srh + 8);
	inet_pton(AF_INET6, OTHER6, srh + 24);
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, srh, sizeof(srh)) < 0)
		return errno;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

static int hop_by_hop(void *d)
{
	const struct attempt *a = d;
	const unsigned char padding[8] = { 0, 0, 1, 4 };
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	if (setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, padding, sizeof(padding)) < 0)
		return errno;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) == 1 ? lab_ask(fd) : errno;
}

/* Dissolved and connected anew, the second time to somewhere else. */
static int unspec_then_connect(void *d)
{
	const struct attempt *a = d;
	const struct sockaddr unspec = { .sa_family = AF_UNSPEC };
	struct sockaddr_storage sa;
	socklen_t len = lab_sockaddr(ALLOWED, 443, &sa);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (reach(fd, &sa, len) != 0)
		return 254;
	if (connect(fd, &unspec, sizeof(unspec)) < 0)
		return errno;
	len = lab_sockaddr(a->host, a->port, &sa);
	return reach(fd, &sa, len);
}

/* As getaddrinfo sorts: a datagram connect to port 0 works everywhere, a send after it nowhere. */
static int udp_port_zero(void *d)
{
	const struct attempt *a = d;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_socket(a, SOCK_DGRAM, 0, &sa, &len);

	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		return 254;
	if (send(fd, "x", 1, 0) < 0)
		return errno;
	return lab_ask(fd);
}

#define YES(word, how, host, port)                                                                 \
	{                                                                                          \
		word, how, host, port, 0                                                           \
	}
#define OFF(word, how, host, port)                                                                 \
	{                                                                                          \
		word, how, host, port, REFUSED                                                     \
	}
#define NO(word, how, host, port)                                                                  \
	{                                                                                          \
		word, how, host, port, EPERM                                                       \
	}

static const struct attempt ATTEMPTS[] = {
	YES("tcp4", tcp, ALLOWED, 443),
	NO("tcp4 to another port", tcp, ALLOWED, 8443),
	NO("tcp4 to another address", tcp, OTHER, 443),
	YES("tcp6", tcp, ALLOWED6, 443),
	NO("tcp6 to another port", tcp, ALLOWED6, 8443),
	NO("tcp6 to another address", tcp, OTHER6, 443),
	YES("tcp6 to a mapped address", tcp, "::ffff:198.51.100.10", 443),
	NO("tcp6 to another mapped address", tcp, "::ffff:203.0.113.7", 443),
	NO("tcp to a private address", tcp, "10.9.9.9", 443),
	NO("tcp to a mapped private address", tcp, "::ffff:10.9.9.9", 443),
	NO("tcp to metadata", tcp, "169.254.169.254", 443),
	NO("tcp to mapped metadata", tcp, "::ffff:169.254.169.254", 443),
	NO("tcp to NAT64 metadata", tcp, "64:ff9b::a9fe:a9fe", 443),
	NO("tcp to 6to4 private", tcp, "2002:a09:909::1", 443),
	NO("tcp to the host's loopback", tcp, "127.0.0.1", 443),
	NO("tcp to the host's loopback by a mapped address", tcp, "::ffff:127.0.0.1", 443),
	NO("tcp to another loopback address", tcp, "127.255.255.254", 443),
	NO("tcp to the unspecified address", tcp, "0.0.0.0", 443),
	NO("tcp to the unspecified v6 address", tcp, "::", 443),
	NO("tcp to v6 loopback", tcp, "::1", 443),
	NO("tcp to a unique local address", tcp, "fd12::7", 443),
	YES("tcp to loopback with a literal", tcp, "127.0.0.1", 5432),
	YES("tcp to v6 loopback with a literal", tcp, "::1", 5432),
	NO("tcp to the resolver's own port", tcp, "127.0.0.1", RESOLVER_PORT),
	NO("udp to the resolver's own port", udp_sendto, "127.0.0.1", RESOLVER_PORT),
	NO("tcp to a port of a range just outside", tcp, OTHER, 8442),
	YES("tcp to a port of a range", tcp, OTHER, 8443),
	YES("fast open by sendto", fastopen_sendto, ALLOWED, 443),
	NO("fast open by sendto elsewhere", fastopen_sendto, OTHER, 443),
	YES("fast open by sendto v6", fastopen_sendto, ALLOWED6, 443),
	NO("fast open by sendto v6 elsewhere", fastopen_sendto, OTHER6, 443),
	YES("fast open by option", fastopen_connect, ALLOWED, 443),
	NO("fast open by option elsewhere", fastopen_connect, OTHER, 443),
	NO("mptcp", mptcp, ALLOWED, 443),
	NO("mptcp v6", mptcp, ALLOWED6, 443),
	OFF("sctp", sctp, ALLOWED, 443),
	YES("udp connected", udp_connected, ALLOWED, 443),
	NO("udp connected elsewhere", udp_connected, OTHER, 443),
	YES("udp6 connected", udp_connected, ALLOWED6, 443),
	NO("udp6 connected elsewhere", udp_connected, OTHER6, 443),
	YES("udp6 connected to a mapped address", udp_connected, "::ffff:198.51.100.10", 443),
	NO("udp6 connected to another mapped one", udp_connected, "::ffff:203.0.113.7", 443),
	YES("udp sendto", udp_sendto, ALLOWED, 443),
	NO("udp sendto elsewhere", udp_sendto, OTHER, 443),
	NO("udp sendto another port", udp_sendto, ALLOWED, 8443),
	YES("udp6 sendto", udp_sendto, ALLOWED6, 443),
	NO("udp6 sendto elsewhere", udp_sendto, OTHER6, 443),
	YES("udp6 sendto a mapped address", udp_sendto, "::ffff:198.51.100.10", 443),
	NO("udp6 sendto another mapped address", udp_sendto, "::ffff:203.0.113.7", 443),
	YES("udp6 socket sendto a v4 address", udp6_given_v4, ALLOWED, 443),
	NO("udp6 socket sendto another v4 address", udp6_given_v4, OTHER, 443),
	YES("udp sendto with no family", udp_unspec_family, ALLOWED, 443),
	NO("udp sendto with no family elsewhere", udp_unspec_family, OTHER, 443),
	YES("sendmmsg", udp_sendmmsg, ALLOWED, 443),
	NO("sendmmsg elsewhere", udp_sendmmsg, OTHER, 443),
	NO("udp connected and readdressed", udp_readdressed, OTHER, 443),
	YES("udp connected with a control message", udp_connected_cmsg, ALLOWED, 443),
	YES("udp6 connected with a control message", udp_connected_cmsg, ALLOWED6, 443),
	YES("udp mapped with a control message", udp_connected_cmsg, "::ffff:198.51.100.10", 443),
	NO("udp elsewhere with a control message", udp_connected_cmsg, OTHER, 443),
	NO("udp with no peer port and a control message", udp_connected_cmsg, ALLOWED, 0),
	NO("udp to port 0", udp_port_zero, OTHER, 0),
	NO("udp6 to port 0", udp_port_zero, OTHER6, 0),
	NO("udp to port 0 of what is allowed", udp_port_zero, ALLOWED, 0),
	NO("udp multicast", udp_sendto, "224.0.0.251", 5353),
	NO("udp6 multicast", udp_sendto, "ff02::fb", 5353),
	NO("udplite connected", udplite_connected, ALLOWED, 443),
	NO("udplite sendto", udplite_sendto, ALLOWED, 443),
	NO("udplite sendto v6", udplite_sendto, ALLOWED6, 443),
	NO("raw icmp", raw_icmp, ALLOWED, 0),
	NO("raw with its own header", raw_udp, ALLOWED, 0),
	OFF("ping", ping, ALLOWED, 0),
	NO("loose source route by option", lsrr_option, ALLOWED, 443),
	NO("loose source route by control message", lsrr_control, ALLOWED, 443),
	NO("segment route by option", srh_option, ALLOWED6, 443),
	NO("destination options", hop_by_hop, ALLOWED6, 443),
	NO("dissolved, then elsewhere", unspec_then_connect, OTHER, 443),
	YES("dissolved, then again", unspec_then_connect, ALLOWED, 443),
};

static void every_way_out_is_judged(void **state)
{
	struct lab *lab = *state;
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(ATTEMPTS) / sizeof(ATTEMPTS[0]); i++) {
		const struct attempt *a = &ATTEMPTS[i];
		int got = lab_run(lab, true, a->fn, (void *)(uintptr_t)a);

		if (a->want == REFUSED ? got == 0 || got == NO_ANSWER : got != a->want) {
			print_message("%s (%s port %u): %d, not %d\n", a->name, a->host, a->port,
				      got, a->want);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

/* Without this the table above would pass in a world where nothing works. */
static void outside_the_fence_the_refused_ways_work(void **state)
{
	static const struct attempt OPEN[] = {
		YES("tcp4", tcp, OTHER, 443),
		YES("tcp6", tcp, OTHER6, 443),
		YES("loopback", tcp, "127.0.0.1", 443),
		YES("udp", udp_sendto, OTHER, 443),
		YES("udp connected", udp_connected, OTHER6, 443),
		YES("private", tcp, "10.9.9.9", 443),
		YES("metadata", tcp, "169.254.169.254", 443),
	};
	struct lab *lab = *state;

	for (size_t i = 0; i < sizeof(OPEN) / sizeof(OPEN[0]); i++)
		assert_int_equal(lab_run(lab, false, OPEN[i].fn, (void *)(uintptr_t)&OPEN[i]), 0);
}

static int setup(void **state)
{
	static struct lab lab;

	lab_prepare(&lab, "reach");
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP | PROTO_UDP);
	lab_allow(&lab, ALLOWED6, 443, PROTO_TCP | PROTO_UDP);
	lab_allow(&lab, OTHER, 8443, PROTO_TCP);
	lab_allow(&lab, "localhost", 5432, PROTO_TCP);
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
		cmocka_unit_test(every_way_out_is_judged),
		cmocka_unit_test(outside_the_fence_the_refused_ways_work),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
