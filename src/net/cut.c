/* SPDX-License-Identifier: MIT */
/* Ends connections that the rules no longer allow.  The kernel lists the sockets of the session's
 * cgroup together with what our programs keep of each, so what is judged here is what they would
 * judge; connections to and from the session's own listeners are told apart by the same flags.
 * Only TCP: each datagram is judged anyway, and its sender told at once. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "net/inner.h"
#include "net/socket.h"
#include "net/words.h"
#include "net/world.h"

#define REPLY_MAX 65536
#define DOOMED_MAX 65536 /* the kernel drops packets of those beyond it */

/* A socket that is to end. */
struct doomed {
	struct inet_diag_sockid id;
	uint8_t family;
	struct pf_sock known;
	uint32_t rule;
};

struct cutter {
	const struct net_fence *fence;
	int fd;
	struct doomed *doomed;
	size_t n;
	size_t space;
};

struct dump_request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
	struct rtattr filter;
	struct inet_diag_bc_op op;
	uint8_t cgroup[sizeof(uint64_t)];
	struct rtattr storages;
	struct rtattr map;
	uint32_t map_fd;
};

static struct dump_request make_request(const struct cutter *c, uint8_t family)
{
	const uint8_t op_len = sizeof(struct inet_diag_bc_op) + sizeof(uint64_t);
	struct dump_request r = {
		.head = {
			.nlmsg_len = sizeof(r),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.diag = {
			.sdiag_family = family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0U,
		},
		.filter = { RTA_LENGTH(op_len), INET_DIAG_REQ_BYTECODE },
		.op = { .code = INET_DIAG_BC_CGROUP_COND, .yes = op_len, .no = op_len + 4 },
		.storages = { RTA_LENGTH(RTA_LENGTH(sizeof(uint32_t))),
			      INET_DIAG_REQ_SK_BPF_STORAGES | NLA_F_NESTED },
		.map = { RTA_LENGTH(sizeof(uint32_t)), SK_DIAG_BPF_STORAGE_REQ_MAP_FD },
		.map_fd = (uint32_t)c->fence->kernel.map[NET_MAP_SOCKS],
	};

	_Static_assert(sizeof(r) == 16 + sizeof(r.diag) + 16 + 12, "no holes between attributes");
	memcpy(r.cgroup, &c->fence->cgroup_id, sizeof(r.cgroup));
	return r;
}

/* The attribute of that type among len bytes at a, or NULL. */
static const struct rtattr *find_attr(const struct rtattr *a, size_t len, unsigned type)
{
	int left = (int)len;

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if ((a->rta_type & NLA_TYPE_MASK) == type)
			return a;
	return NULL;
}

/* What our programs keep of the socket. */
static bool read_known(const struct rtattr *attrs, size_t len, struct pf_sock *ret)
{
	static const unsigned PATH[] = { INET_DIAG_SK_BPF_STORAGES, SK_DIAG_BPF_STORAGE,
					 SK_DIAG_BPF_STORAGE_MAP_VALUE };
	const struct rtattr *a = attrs;

	for (size_t i = 0; i < ARRAY_SIZE(PATH); i++) {
		a = find_attr(a, len, PATH[i]);
		if (!a)
			return false;
		len = RTA_PAYLOAD(a);
		if (i + 1 < ARRAY_SIZE(PATH))
			a = RTA_DATA(a);
	}
	if (len < sizeof(*ret))
		return false;
	memcpy(ret, RTA_DATA(a), sizeof(*ret));
	return true;
}

/* As the packet hooks judge it. */
static bool is_allowed(const struct net_fence *f, const struct pf_sock *k, uint32_t *ret_rule)
{
	struct pf_ask ask = { .addr = k->peer.addr, .port = k->peer.port, .proto = PF_TCP };
	struct pf_ask inner = ask;
	struct pf_vouch vouch = { 0 };
	struct pf_world w = {
		.now = net_now_ns(),
		.flags = f->tables.flags,
		.tables = &f->tables,
		.host = f->host.addr,
		.n_host = f->host.n,
	};
	struct pf_answer answer;

	pf_inner(&ask.addr, &inner.addr);
	if (vouch_table_look_up(f->vouched, &inner, &vouch))
		w.vouch = &vouch;
	pf_judge(&w, &ask, &answer);
	*ret_rule = answer.rule;
	return pf_flow_holds(&answer);
}

static int doom(struct cutter *c, const struct inet_diag_msg *m, const struct pf_sock *k,
		uint32_t rule)
{
	if (c->n == DOOMED_MAX)
		return 0;
	if (c->n == c->space) {
		size_t space = c->space ? c->space * 2 : 16;
		struct doomed *bigger = reallocarray(c->doomed, space, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		c->doomed = bigger;
		c->space = space;
	}
	c->doomed[c->n++] = (struct doomed){ m->id, m->idiag_family, *k, rule };
	return 0;
}

static int look_at(struct cutter *c, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *attrs = (const void *)(m + 1);
	struct pf_sock k;
	uint32_t rule = PF_RULE_NONE;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)) ||
	    !read_known(attrs, h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)), &k))
		return 0;
	if (k.session != NET_SESSION_ID || !pf_is_outbound(k.flags) ||
	    k.peer.rules >= c->fence->cut || is_allowed(c->fence, &k, &rule))
		return 0;
	return doom(c, m, &k, rule);
}

/* 1: the list is complete. */
static int read_reply(struct cutter *c, const void *reply, size_t len)
{
	const struct nlmsghdr *h = reply;
	int rc = 0;

	for (; NLMSG_OK(h, len) && rc == 0; h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *err = NLMSG_DATA(h);

			return err->error < 0 ? err->error : -EPROTO;
		}
		rc = look_at(c, h);
	}
	return rc;
}

static int list_sockets(struct cutter *c, uint8_t family, void *reply)
{
	const struct dump_request request = make_request(c, family);
	int rc = 0;

	if (send(c->fd, &request, sizeof(request), 0) < 0)
		return -errno;
	while (rc == 0) {
		ssize_t n = recv(c->fd, reply, REPLY_MAX, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		rc = read_reply(c, reply, (size_t)n);
	}
	return rc < 0 ? rc : 0;
}

static int destroy(int fd, const struct doomed *d, void *reply)
{
	const struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 diag;
	} request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DESTROY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.diag = {
			.sdiag_family = d->family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0U,
			.id = d->id,
		},
	};
	const struct nlmsghdr *h = reply;
	const struct nlmsgerr *err = NLMSG_DATA(h);
	ssize_t n;

	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	do
		n = recv(fd, reply, REPLY_MAX, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n < NLMSG_LENGTH(sizeof(*err)) || h->nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return err->error == -ENOENT ? 0 : err->error; /* it ended by itself */
}

static void tell(const struct net_fence *f, const struct doomed *d,
		 void (*fn)(void *data, const struct net_event *ev), void *data)
{
	union pf_addr inner;
	struct net_event ev = {
		.reason = PF_DENY_REVOKED,
		.op = net_op_word(PF_OP_PACKET),
		.pid = (pid_t)d->known.pid,
		.uid = d->known.uid,
		.port = d->known.peer.port,
		.proto = net_proto_word(IPPROTO_TCP),
		.path = "",
		.rule = net_rule_of(f->policy, d->rule),
		.count = 1,
	};

	pf_inner(&d->known.peer.addr, &inner);
	ev.name = vouch_table_name(f->vouched, &inner);
	memcpy(ev.addr.b, d->known.peer.addr.b, sizeof(ev.addr.b));
	fn(data, &ev);
}

static int find_doomed(struct cutter *c, void *reply)
{
	static const uint8_t FAMILIES[] = { AF_INET, AF_INET6 };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(FAMILIES) && rc == 0; i++)
		rc = list_sockets(c, FAMILIES[i], reply);
	return rc;
}

int net_fence_cut(struct net_fence *f, void (*fn)(void *data, const struct net_event *ev),
		  void *data)
{
	auto_free void *reply = malloc(REPLY_MAX);
	auto_free struct doomed *doomed = NULL;
	auto_close int fd = net_diag_open();
	struct cutter c = { .fence = f, .fd = fd };
	int rc;

	if (fd < 0 || !reply)
		return fd < 0 ? fd : -ENOMEM;
	rc = find_doomed(&c, reply);
	doomed = c.doomed;
	for (size_t i = 0; i < c.n; i++) {
		int gone = destroy(fd, &doomed[i], reply);

		tell(f, &doomed[i], fn, data);
		rc = rc < 0 ? rc : gone;
	}
	return rc < 0 ? rc : (int)c.n;
}
