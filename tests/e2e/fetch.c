/* SPDX-License-Identifier: MIT */
/* fetch HOST PORT: resolves, connects, prints the first line that the server sends, or why not.
 * Built statically, for containers that hold nothing else. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_INET };
	const struct timeval patience = { .tv_sec = 4 };
	struct addrinfo *found;
	char line[128] = "";
	int fd;
	int r;

	if (argc != 3)
		return 64;
	r = getaddrinfo(argv[1], argv[2], &hints, &found);
	if (r != 0) {
		printf("denied %s\n", gai_strerror(r));
		return 1;
	}
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) < 0 ||
	    recv(fd, line, sizeof(line) - 1, 0) <= 0) {
		printf("denied %s\n", strerror(errno));
		return 1;
	}
	printf("%s", line);
	return 0;
}
