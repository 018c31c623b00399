/* SPDX-License-Identifier: MIT */
/* The supervisor's half.  The worker reads hostile bytes: what it sends is taken for hostile too.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clean.h"
#include "relay/worker.h"

static bool name_is_sound(const struct relay_note *n)
{
	size_t len = strnlen(n->name, sizeof(n->name));

	for (size_t i = 0; i < len; i++)
		if (n->name[i] <= ' ' || n->name[i] > '~')
			return false;
	return len < sizeof(n->name);
}

static bool note_is_sound(const struct relay_note *n)
{
	switch (n->kind) {
	case RELAY_NOTE_ASK:
		return n->finding == RELAY_NAME && n->name[0];
	case RELAY_NOTE_REFUSED:
	case RELAY_NOTE_CUT:
		return n->finding > RELAY_NAME && n->finding < RELAY_FINDINGS;
	case RELAY_NOTE_GONE:
		return n->finding == 0 && !n->name[0];
	default:
		return false;
	}
}

int relay_note_receive(const struct relay_worker *w, struct relay_note *ret)
{
	struct relay_note note;
	ssize_t n;

	do
		n = recv(w->supervisor, &note, sizeof(note), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	/* An empty message and the end of the channel look the same, and mean the same. */
	if (n == 0)
		return -EPIPE;
	if ((size_t)n != sizeof(note) || !name_is_sound(&note) || !note_is_sound(&note))
		return -EBADMSG;
	*ret = note;
	return 0;
}

int relay_ruling_send(const struct relay_worker *w, uint32_t id, int server_fd)
{
	struct relay_ruling ruling = { .id = id };
	struct iovec body = { .iov_base = &ruling, .iov_len = sizeof(ruling) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1 };
	ssize_t n;

	if (server_fd >= 0) {
		memset(&control, 0, sizeof(control));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &server_fd, sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	do
		n = sendmsg(w->supervisor, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(ruling))
		return 0;
	return n < 0 && errno == EAGAIN ? -EAGAIN : -EPIPE;
}

static socklen_t to_sockaddr(const struct addr *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	memset(ret, 0, sizeof(*ret));
	if (addr_is_v4(a)) {
		memcpy(&in.sin_addr, a->b + 12, sizeof(in.sin_addr));
		memcpy(ret, &in, sizeof(in));
		return sizeof(in);
	}
	memcpy(&in6.sin6_addr, a->b, sizeof(in6.sin6_addr));
	memcpy(ret, &in6, sizeof(in6));
	return sizeof(in6);
}

int relay_dial(const struct addr *a, uint16_t port)
{
	struct sockaddr_storage to;
	socklen_t len = to_sockaddr(a, port, &to);
	auto_close int fd =
	    socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	const int one = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)) < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS)
		return -errno;
	return take_fd(fd);
}

const char *relay_finding_word(enum relay_finding f)
{
	static const char *const WORDS[] = {
		[RELAY_MORE] = "",
		[RELAY_NAME] = "another name",
		[RELAY_NO_NAME] = "no server name",
		[RELAY_NOT_TLS] = "not TLS",
		[RELAY_MALFORMED] = "malformed ClientHello",
		[RELAY_TOO_LONG] = "too long a ClientHello",
		[RELAY_ENCRYPTED] = "encrypted ClientHello",
		[RELAY_LATE] = "no ClientHello in time",
		[RELAY_ENDED] = "an incomplete ClientHello",
		[RELAY_OTHER_NAME] = "another name in the second ClientHello",
		[RELAY_WRONG_ANSWER] = "the server does not speak TLS",
	};
	_Static_assert(ARRAY_SIZE(WORDS) == RELAY_FINDINGS, "a word for every finding");

	return f < RELAY_FINDINGS ? WORDS[f] : WORDS[RELAY_MORE];
}
