/* SPDX-License-Identifier: MIT */
/* Rarer ways to send a datagram: routes in control messages and behind flow labels, flow labels
 * alone, sockets bound to a device or made for broadcasts.  What is allowed gets its answer. */
#include "net_lab.h"

#define FLOWLABEL_MGR 32 /* linux/in6.h, which does not go with netinet/in.h */
#define FLOWINFO_SEND 33
#define FL_SHARE_EXCL 1
#define FL_CREATE 1
#define ANSWER_MS 20000
#define ROUTE_LEN 24
#define REFUSED -1 /* by the fence, or by the kernel itself */

struct way {
	const char *name;
	int (*fn)(void *);
	const char *host;
	int want; /* 0: an answer came; REFUSED; else the errno */
};

struct flow_request {
	struct in6_addr to;
	uint32_t label;
	uint8_t action, share;
	uint16_t flags, expires, linger;
	uint32_t pad;
};

static int ask(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;

	if (poll(&p, 1, ANSWER_MS) != 1)
		return NO_ANSWER;
	return recv(fd, &byte, 1, 0) < 0 ? errno : 0;
}

static int open_for(const struct way *w, struct sockaddr_storage *sa, socklen_t *len)
{
	*len = lab_sockaddr(w->host, 443, sa);
	return socket(sa->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int send_to(int fd, const struct sockaddr_storage *sa, socklen_t len)
{
	return sendto(fd, "x", 1, 0, (const struct sockaddr *)sa, len) == 1 ? ask(fd) : errno;
}

/* A routing header of type 2, the one that needs no privilege here: OTHER6 is the first hop.  A
 * kernel without mobile IPv6 refuses it by itself. */
static size_t make_control(void *ret)
{
	static const unsigned char HEAD[] = { 0, 2, 2, 1, 0, 0, 0, 0 };
	struct cmsghdr *c = ret;

	c->cmsg_level = IPPROTO_IPV6;
	c->cmsg_type = IPV6_RTHDR;
	c->cmsg_len = CMSG_LEN(ROUTE_LEN);
	memcpy(CMSG_DATA(c), HEAD, sizeof(HEAD));
	inet_pton(AF_INET6, OTHER6, CMSG_DATA(c) + sizeof(HEAD));
	return CMSG_SPACE(ROUTE_LEN);
}

static int route_in_a_control_message(void *d)
{
	const struct way *w = d;
	_Alignas(struct cmsghdr) char control[128] = { 0 };
	struct sockaddr_storage sa;
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	int fd = open_for(w, &sa, &m.msg_namelen);

	m.msg_name = &sa;
	m.msg_controllen = make_control(control);
	return sendmsg(fd, &m, 0) == 1 ? ask(fd) : errno;
}

static int route_connected(void *d)
{
	const struct way *w = d;
	_Alignas(struct cmsghdr) char control[128] = { 0 };
	struct sockaddr_storage sa;
	socklen_t len;
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	int fd = open_for(w, &sa, &len);

	m.msg_controllen = make_control(control);
	if (connect(fd, (struct sockaddr *)&sa, len) < 0)
		return 254;
	return sendmsg(fd, &m, 0) == 1 ? ask(fd) : errno;
}

static int send_labelled(const struct way *w, bool with_route)
{
	_Alignas(struct cmsghdr) char request[sizeof(struct flow_request) + 128] = { 0 };
	struct flow_request *r = (struct flow_request *)request;
	struct sockaddr_storage sa;
	struct sockaddr_in6 *to = (struct sockaddr_in6 *)&sa;
	socklen_t len, size = sizeof(*r);
	const uint32_t label = htonl(0x10000u | ((uint32_t)getpid() & 0xffff)); /* nobody's */
	const int one = 1;
	int fd = open_for(w, &sa, &len);

	r->to = to->sin6_addr;
	r->label = label;
	r->share = FL_SHARE_EXCL;
	r->flags = FL_CREATE;
	if (with_route)
		size += make_control(request + sizeof(*r));
	if (setsockopt(fd, IPPROTO_IPV6, FLOWLABEL_MGR, request, size) < 0 ||
	    setsockopt(fd, IPPROTO_IPV6, FLOWINFO_SEND, &one, sizeof(one)) < 0)
		return errno == EINVAL ? EINVAL : 254;
	to->sin6_flowinfo = label;
	return send_to(fd, &sa, len);
}

static int with_a_flow_label(void *d)
{
	return send_labelled(d, false);
}

static int route_behind_a_flow_label(void *d)
{
	return send_labelled(d, true);
}

static int bound_to_a_device(void *d)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_for(d, &sa, &len);

	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) < 0)
		return errno;
	return send_to(fd, &sa, len);
}

static int made_for_broadcasts(void *d)
{
	const int one = 1;
	struct sockaddr_storage sa;
	socklen_t len;
	int fd = open_for(d, &sa, &len);

	if (setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one)) < 0)
		return errno;
	return send_to(fd, &sa, len);
}

static const struct way WAYS[] = {
	{ "a route in a control message", route_in_a_control_message, ALLOWED6, REFUSED },
	{ "a route on a connected socket", route_connected, ALLOWED6, REFUSED },
	{ "a route behind a flow label", route_behind_a_flow_label, ALLOWED6, REFUSED },
	{ "a flow label", with_a_flow_label, ALLOWED6, 0 },
	{ "a flow label, elsewhere", with_a_flow_label, OTHER6, EPERM },
	{ "bound to a device", bound_to_a_device, ALLOWED, 0 },
	{ "bound to a device, elsewhere", bound_to_a_device, OTHER, EPERM },
	{ "bound to a device, IPv6", bound_to_a_device, ALLOWED6, 0 },
	{ "bound to a device, IPv6 elsewhere", bound_to_a_device, OTHER6, EPERM },
	{ "for broadcasts, to one", made_for_broadcasts, ALLOWED, 0 },
	{ "for broadcasts, to everybody", made_for_broadcasts, "255.255.255.255", EPERM },
	{ "for broadcasts, to a network", made_for_broadcasts, "203.0.113.255", EPERM },
};

static void odd_ways_to_send_reach_what_is_allowed_and_nothing_else(void **state)
{
	struct lab *lab = *state;
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(WAYS) / sizeof(WAYS[0]); i++) {
		const struct way *w = &WAYS[i];
		int got = lab_run(lab, true, w->fn, (void *)(uintptr_t)w);

		if (w->want == REFUSED ? got != EPERM && got != EINVAL : got != w->want) {
			print_message("%s (%s): %d, not %d\n", w->name, w->host, got, w->want);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

/* It is the fence that refuses: without it the kernel lets each of them go. */
static void outside_the_fence_none_of_them_is_refused(void **state)
{
	static const struct way OPEN[] = {
		{ "a flow label", with_a_flow_label, OTHER6, 0 },
		{ "bound to a device", bound_to_a_device, OTHER, 0 },
		{ "for broadcasts", made_for_broadcasts, OTHER, 0 },
	};

	for (size_t i = 0; i < sizeof(OPEN) / sizeof(OPEN[0]); i++)
		assert_int_equal(lab_run(*state, false, OPEN[i].fn, (void *)(uintptr_t)&OPEN[i]),
				 0);
}

static int setup(void **state)
{
	static struct lab lab;

	lab_prepare(&lab, "odd");
	lab_allow(&lab, ALLOWED, 443, PROTO_UDP);
	lab_allow(&lab, ALLOWED6, 443, PROTO_UDP);
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
		cmocka_unit_test(odd_ways_to_send_reach_what_is_allowed_and_nothing_else),
		cmocka_unit_test(outside_the_fence_none_of_them_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
