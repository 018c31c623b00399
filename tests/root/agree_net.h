/* SPDX-License-Identifier: MIT */
/* What runs inside the pen in test_agree_net.c: tries each destination once, and says how it went.
 */
#ifndef PINFOLD_TESTS_AGREE_NET_H
#define PINFOLD_TESTS_AGREE_NET_H

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <resolv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clean.h"

#define HOST_MAX 108 /* a socket's path, too */
#define LAB_DNS "198.51.100.53"
#define HOST_OWN "9.9.9.9" /* a public address of this host's */
#define WAIT_MS 2000
#define ANSWER_MS 20000 /* for one that surely comes */
#define OPT_BYTES 11
#define EDE_OPTION 15
#define EDE_BLOCKED 15

enum how { ASK_NAME, ASK_TCP, ASK_UDP_SENDTO, ASK_UDP_CONNECTED, ASK_UNIX };

struct question {
	enum how how;
	bool by_name;  /* host is a name: it is looked up first */
	bool mapped;   /* an IPv4 address on an IPv6 socket; a unix socket: sent to unconnected */
	uint16_t port; /* of a unix socket: its type */
	char host[HOST_MAX];
};

/* How it went, in one letter. */
#define GOT_REFUSED 'r' /* by the fence; a name: by the resolver, as blocked */
#define GOT_NOBODY 'n'  /* ECONNREFUSED */
#define GOT_THROUGH 't' /* whatever else: the network had its say */
#define GOT_ODD 'o'     /* the kernel refuses before the fence is asked */

struct name_answer {
	bool blocked;
	char addr[8][INET6_ADDRSTRLEN];
	size_t n;
};

static inline socklen_t socket_address(const char *host, bool mapped, uint16_t port,
				       struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (!mapped && inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1)
		return sizeof(*in6);
	in6->sin6_addr.s6_addr[10] = 0xff;
	in6->sin6_addr.s6_addr[11] = 0xff;
	return inet_pton(AF_INET, host, &in6->sin6_addr.s6_addr[12]) == 1 ? sizeof(*in6) : 0;
}

static inline char letter_of(int error)
{
	switch (error) {
	case EPERM:
		return GOT_REFUSED;
	case ECONNREFUSED:
		return GOT_NOBODY;
	case EINVAL:
		return GOT_ODD;
	default:
		return GOT_THROUGH;
	}
}

/* The errno of a connect that does not wait. */
static inline int finish_connect(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = 0;

	if (poll(&p, 1, WAIT_MS) != 1)
		return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

static inline char try_address(const struct question *q, const char *host)
{
	const int type = q->how == ASK_TCP ? SOCK_STREAM : SOCK_DGRAM;
	struct sockaddr_storage sa;
	socklen_t len = socket_address(host, q->mapped, q->port, &sa);
	auto_close int fd = socket(sa.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;

	if (fd < 0)
		return '?';
	if (q->how == ASK_UDP_SENDTO)
		return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) < 0 ? letter_of(errno)
									      : GOT_THROUGH;
	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		error = errno == EINPROGRESS ? finish_connect(fd) : errno;
	/* A datagram connect that found no way says nothing: the fence may wait for the send. */
	if (q->how == ASK_UDP_CONNECTED && error && letter_of(error) == GOT_THROUGH)
		return GOT_ODD;
	if (error == 0 && q->how == ASK_UDP_CONNECTED && send(fd, "x", 1, 0) < 0)
		error = errno;
	return error ? letter_of(error) : GOT_THROUGH;
}

/* A message as far as it is read; bad once it ends too early. */
struct message {
	const uint8_t *p;
	size_t len;
	size_t at;
	bool bad;
};

static inline unsigned take(struct message *m, size_t bytes)
{
	unsigned value = 0;

	m->bad = m->bad || m->len - m->at < bytes;
	for (size_t i = 0; i < bytes && !m->bad; i++)
		value = value << 8 | m->p[m->at++];
	return value;
}

static inline void skip_name(struct message *m)
{
	unsigned n;

	while ((n = take(m, 1)) != 0 && n < 0xc0 && !m->bad) {
		m->bad = m->len - m->at < n;
		m->at += m->bad ? 0 : n;
	}
	if (n >= 0xc0)
		take(m, 1);
}

static inline void read_record(struct message *m, struct name_answer *ret)
{
	unsigned type, len;

	skip_name(m);
	type = take(m, 2);
	take(m, 2);
	take(m, 4);
	len = take(m, 2);
	if (m->bad || m->len - m->at < len) {
		m->bad = true;
		return;
	}
	if ((type == 1 || type == 28) && ret->n < ARRAY_SIZE(ret->addr))
		inet_ntop(type == 1 ? AF_INET : AF_INET6, m->p + m->at, ret->addr[ret->n++],
			  INET6_ADDRSTRLEN);
	/* The option of an OPT record: the code, its length, the reason. */
	if (type == 41 && len >= 6 && m->p[m->at + 1] == EDE_OPTION && (m->p[3] & 0xf) != 0)
		ret->blocked = ret->blocked || m->p[m->at + 5] == EDE_BLOCKED;
	m->at += len;
}

static inline void read_answer(const uint8_t *msg, size_t len, struct name_answer *ret)
{
	struct message m = { .p = msg, .len = len, .at = 4 };
	const unsigned questions = take(&m, 2);
	unsigned records = take(&m, 2);

	records += take(&m, 2);
	records += take(&m, 2);
	for (unsigned i = 0; i < questions && !m.bad; i++) {
		skip_name(&m);
		take(&m, 4);
	}
	for (unsigned i = 0; i < records && !m.bad; i++)
		read_record(&m, ret);
}

static inline void ask_type(const char *name, const char *server, int type, struct name_answer *ret)
{
	static const uint8_t OPT[OPT_BYTES] = { 0, 0, 41, 0x10, 0 };
	const struct question q = { .how = ASK_UDP_CONNECTED, .port = 53 };
	struct sockaddr_storage sa;
	socklen_t len = socket_address(server, q.mapped, q.port, &sa);
	auto_close int fd = socket(sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t msg[4096];
	int n = res_mkquery(ns_o_query, name, ns_c_in, type, NULL, 0, NULL, msg, sizeof(msg));

	if (n < 0 || (size_t)n + OPT_BYTES > sizeof(msg))
		return;
	memcpy(msg + n, OPT, OPT_BYTES);
	msg[11] = 1; /* one additional record */
	if (connect(fd, (struct sockaddr *)&sa, len) < 0 ||
	    send(fd, msg, (size_t)n + OPT_BYTES, 0) < 0 || poll(&p, 1, ANSWER_MS) != 1)
		return;
	n = (int)recv(fd, msg, sizeof(msg), 0);
	if (n > 0)
		read_answer(msg, (size_t)n, ret);
}

static inline void ask_name(const char *name, const char *server, struct name_answer *ret)
{
	memset(ret, 0, sizeof(*ret));
	ask_type(name, server, ns_t_a, ret);
	ask_type(name, server, ns_t_aaaa, ret);
}

static inline socklen_t unix_address(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%.107s", path);
	if (path[0] != '@')
		return sizeof(*ret);
	ret->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

/* Connected, or a datagram sent with an address.  A full queue is one that was reached. */
static inline char try_unix(const struct question *q)
{
	struct sockaddr_un at;
	socklen_t len = unix_address(q->host, &at);
	auto_close int fd = socket(AF_UNIX, q->port | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return '?';
	if (q->mapped)
		r = (int)sendto(fd, "x", 1, 0, (struct sockaddr *)&at, len);
	else
		r = connect(fd, (struct sockaddr *)&at, len);
	return r >= 0 || errno == EAGAIN ? GOT_THROUGH : GOT_REFUSED;
}

static inline void try_question(const struct question *q, FILE *out)
{
	struct name_answer a;

	if (q->how == ASK_UNIX) {
		fprintf(out, "%c\n", try_unix(q));
		return;
	}

	if (!q->by_name) {
		fprintf(out, "%c\n", try_address(q, q->host));
		return;
	}
	ask_name(q->host, LAB_DNS, &a);
	if (q->how != ASK_NAME && a.n > 0)
		fprintf(out, "%c", try_address(q, a.addr[0]));
	else
		fprintf(out, "%c", a.blocked ? GOT_REFUSED : GOT_THROUGH);
	for (size_t i = 0; i < a.n; i++)
		fprintf(out, " %s", a.addr[i]);
	fprintf(out, " \n");
}

static inline int try_all(const char *asked, const char *told)
{
	FILE *in = fopen(asked, "re");
	FILE *out = fopen(told, "we");
	struct question q;

	if (!in || !out)
		return 2;
	while (fread(&q, sizeof(q), 1, in) == 1)
		try_question(&q, out);
	fclose(in);
	return fclose(out) == 0 ? 0 : 2;
}

#endif
