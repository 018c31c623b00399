/* SPDX-License-Identifier: MIT */
#include "net/host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"

#define HOST_BUFFER 32768

static bool read_attribute(const struct ifaddrmsg *ifa, const struct rtattr *attr,
			   union pf_addr *ret)
{
	struct addr v4;
	uint32_t word;

	if (ifa->ifa_family == AF_INET && RTA_PAYLOAD(attr) >= sizeof(word)) {
		memcpy(&word, RTA_DATA(attr), sizeof(word));
		v4 = addr_from_v4(word);
		memcpy(ret, &v4, sizeof(*ret));
		return true;
	}
	if (ifa->ifa_family == AF_INET6 && RTA_PAYLOAD(attr) >= sizeof(*ret)) {
		memcpy(ret, RTA_DATA(attr), sizeof(*ret));
		return true;
	}
	return false;
}

/* IFA_LOCAL is the own end of a point-to-point link, where IFA_ADDRESS is the peer. */
static bool read_address(const struct nlmsghdr *h, union pf_addr *ret)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(h);
	unsigned left = (unsigned)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*ifa)));
	bool found = false;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*ifa)))
		return false;
	for (const struct rtattr *a = IFA_RTA(ifa); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == IFA_LOCAL)
			return read_attribute(ifa, a, ret);
		if (a->rta_type == IFA_ADDRESS)
			found = read_attribute(ifa, a, ret);
	}
	return found;
}

static int add_address(struct net_host *h, const union pf_addr *a)
{
	if (h->n == PF_HOST_ADDRS_MAX)
		return -E2BIG;
	if (h->n == h->space) {
		size_t space = h->space ? h->space * 2 : 16;
		union pf_addr *bigger = reallocarray(h->addr, space, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		h->addr = bigger;
		h->space = space;
	}
	h->addr[h->n++] = *a;
	return 0;
}

/* 1: the dump has ended. */
static int read_message(const struct nlmsghdr *h, struct net_host *to)
{
	const struct nlmsgerr *err = NLMSG_DATA(h);
	union pf_addr a;

	if (h->nlmsg_type == NLMSG_DONE)
		return 1;
	if (h->nlmsg_type == NLMSG_ERROR && h->nlmsg_len >= NLMSG_LENGTH(sizeof(*err)))
		return err->error ? err->error : -EPROTO;
	if (h->nlmsg_type != RTM_NEWADDR || !read_address(h, &a))
		return 0;
	return add_address(to, &a);
}

/* One datagram.  1: the dump has ended. */
static int read_datagram(int fd, struct net_host *to)
{
	_Alignas(struct nlmsghdr) char buf[HOST_BUFFER];
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(fd, buf, sizeof(buf), MSG_TRUNC, (struct sockaddr *)&from, &from_len);
	unsigned left = (unsigned)n;
	int rc = 0;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n > (ssize_t)sizeof(buf))
		return -ENOBUFS;
	if (from_len != sizeof(from) || from.nl_pid != 0) /* only the kernel is believed */
		return 0;
	for (const struct nlmsghdr *h = (const void *)buf; NLMSG_OK(h, left) && rc == 0;
	     h = NLMSG_NEXT(h, left))
		rc = read_message(h, to);
	return rc;
}

static int route_socket(uint32_t groups, int *ret_fd)
{
	const struct sockaddr_nl self = { .nl_family = AF_NETLINK, .nl_groups = groups };
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&self, sizeof(self)) < 0)
		return -errno;
	*ret_fd = take_fd(fd);
	return 0;
}

int net_host_list(struct net_host *ret)
{
	const struct {
		struct nlmsghdr h;
		struct ifaddrmsg ifa;
	} ask = {
		.h = {
			.nlmsg_len = sizeof(ask),
			.nlmsg_type = RTM_GETADDR,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.ifa = { .ifa_family = AF_UNSPEC },
	};
	struct net_host h = { 0 };
	auto_close int fd = -1;
	int rc = route_socket(0, &fd);

	if (rc < 0)
		return rc;
	if (send(fd, &ask, sizeof(ask), 0) < 0)
		return -errno;
	do
		rc = read_datagram(fd, &h);
	while (rc == 0);
	if (rc < 0) {
		net_host_done(&h);
		return rc;
	}
	*ret = h;
	return 0;
}

void net_host_done(struct net_host *h)
{
	free(h->addr);
	memset(h, 0, sizeof(*h));
}

int net_host_open(int *ret_fd, struct pinfold_error *e)
{
	int rc = route_socket(RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR, ret_fd);

	if (rc < 0)
		return err_set(e, rc, "network: cannot follow the host's addresses: %s",
			       strerror(-rc));
	return 0;
}

int net_host_drain(int fd)
{
	char buf[HOST_BUFFER];
	int changed = 0;

	for (;;) {
		if (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
			changed = 1;
		else if (errno != EINTR)
			return changed;
	}
}
