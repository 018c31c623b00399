/* SPDX-License-Identifier: MIT */
#include "net/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include "base/clean.h"

#define REPLY_MAX 65536
#define TIMEOUT_S 2
#define STATE_ESTABLISHED 1 /* the kernel's TCP_ESTABLISHED */
#define STATE_TIME_WAIT 6
#define STATE_LISTEN 10

struct request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
};

struct lister {
	int (*fn)(void *data, const struct net_socket *s);
	void *data;
	uint8_t proto;
};

bool net_socket_listens(const struct net_socket *s)
{
	return s->proto == IPPROTO_TCP && s->state == STATE_LISTEN;
}

bool net_socket_is_connected(const struct net_socket *s)
{
	return s->peer_port != 0;
}

const char *net_socket_proto(const struct net_socket *s)
{
	static const struct {
		uint8_t proto;
		const char *word;
	} WORDS[] = {
		{ IPPROTO_TCP, "tcp" },
		{ IPPROTO_UDP, "udp" },
		{ IPPROTO_UDPLITE, "udplite" },
		{ IPPROTO_RAW, "raw" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++)
		if (WORDS[i].proto == s->proto)
			return WORDS[i].word;
	return "other";
}

int net_diag_open(void)
{
	const struct timeval patience = { .tv_sec = TIMEOUT_S };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd < 0 ? -errno : fd;
}

static struct addr address_of(uint8_t family, const __be32 from[4])
{
	struct addr a;

	if (family == AF_INET)
		return addr_from_v4(from[0]);
	memcpy(a.b, from, sizeof(a.b));
	return a;
}

static void read_attributes(const struct inet_diag_msg *m, size_t len, struct net_socket *ret)
{
	const struct rtattr *a = (const void *)(m + 1);
	int left = (int)len;

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if ((a->rta_type & NLA_TYPE_MASK) == INET_DIAG_CGROUP_ID && /* since Linux 5.8 */
		    RTA_PAYLOAD(a) >= sizeof(ret->cgroup))
			memcpy(&ret->cgroup, RTA_DATA(a), sizeof(ret->cgroup));
}

static int hand_out(const struct lister *l, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	struct net_socket s = { .proto = l->proto };

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return 0;
	s.family = m->idiag_family;
	s.state = m->idiag_state;
	s.local = address_of(s.family, m->id.idiag_src);
	s.peer = address_of(s.family, m->id.idiag_dst);
	s.local_port = ntohs(m->id.idiag_sport);
	s.peer_port = ntohs(m->id.idiag_dport);
	s.interface = m->id.idiag_if;
	s.inode = m->idiag_inode;
	s.uid = m->idiag_uid;
	memcpy(&s.cookie, m->id.idiag_cookie, sizeof(s.cookie));
	read_attributes(m, h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)), &s);
	return s.state == STATE_TIME_WAIT ? 0 : l->fn(l->data, &s);
}

/* 1: the list is complete. */
static int read_reply(const struct lister *l, const void *reply, size_t len)
{
	const struct nlmsghdr *h = reply;
	int rc = 0;

	for (; NLMSG_OK(h, len) && rc >= 0; h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *err = NLMSG_DATA(h);

			/* A protocol that is not there has no sockets. */
			return err->error == -ENOENT ? 1 : err->error < 0 ? err->error : -EPROTO;
		}
		rc = hand_out(l, h);
	}
	return rc < 0 ? rc : 0;
}

static int list_family(const struct lister *l, int fd, uint8_t family, void *reply)
{
	const struct request request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.diag = {
			.sdiag_family = family,
			.sdiag_protocol = l->proto,
			.idiag_states = ~0U,
		},
	};
	int rc = 0;

	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	while (rc == 0) {
		ssize_t n = recv(fd, reply, REPLY_MAX, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		rc = read_reply(l, reply, (size_t)n);
	}
	return rc < 0 ? rc : 0;
}

int net_sockets_list(int (*fn)(void *data, const struct net_socket *s), void *data)
{
	static const uint8_t PROTOS[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_UDPLITE, IPPROTO_RAW };
	static const uint8_t FAMILIES[] = { AF_INET, AF_INET6 };
	auto_free void *reply = malloc(REPLY_MAX);
	auto_close int fd = net_diag_open();
	int rc = 0;

	if (fd < 0 || !reply)
		return fd < 0 ? fd : -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(PROTOS) * ARRAY_SIZE(FAMILIES) && rc == 0; i++) {
		const struct lister l = { fn, data, PROTOS[i / ARRAY_SIZE(FAMILIES)] };

		rc = list_family(&l, fd, FAMILIES[i % ARRAY_SIZE(FAMILIES)], reply);
	}
	return rc;
}

static void address_to(const struct net_socket *s, const struct addr *a, __be32 ret[4])
{
	if (s->family == AF_INET)
		memcpy(ret, a->b + 12, 4);
	else
		memcpy(ret, a->b, sizeof(a->b));
}

int net_socket_destroy(const struct net_socket *s)
{
	struct request request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DESTROY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.diag = {
			.sdiag_family = s->family,
			.sdiag_protocol = s->proto,
			.idiag_states = ~0U,
			.id = {
				.idiag_sport = htons(s->local_port),
				.idiag_dport = htons(s->peer_port),
				.idiag_if = s->interface,
			},
		},
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char rest[512];
	} reply;
	auto_close int fd = net_diag_open();
	ssize_t n;

	if (fd < 0)
		return fd;
	address_to(s, &s->local, request.diag.id.idiag_src);
	address_to(s, &s->peer, request.diag.id.idiag_dst);
	memcpy(request.diag.id.idiag_cookie, &s->cookie, sizeof(s->cookie));
	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	do
		n = recv(fd, &reply, sizeof(reply), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n < NLMSG_LENGTH(sizeof(reply.err)) || reply.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return reply.err.error;
}
