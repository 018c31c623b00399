/* SPDX-License-Identifier: MIT */
#include "session/link.h"

#include <errno.h>
#include <sys/socket.h>

int link_send(int fd, const struct link_message *m)
{
	ssize_t n;

	do
		n = send(fd, m, sizeof(*m), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int link_receive(int fd, struct link_message *ret)
{
	ssize_t n;

	do
		n = recv(fd, ret, sizeof(*ret), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	return (size_t)n == sizeof(*ret) ? 0 : -EBADMSG;
}
