/* SPDX-License-Identifier: MIT */
/* fenced RESULT SECRET: what a command says of the pen around it when something went wrong while it
 * was built.  Writes "fenced", or what is open, to RESULT. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int packet_leaves(int type)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return 0;
	inet_pton(AF_INET, "203.0.113.1", &to.sin_addr);
	r = connect(fd, (struct sockaddr *)&to, sizeof(to));
	r = r == 0 || errno == EINPROGRESS || errno == ENETUNREACH || errno == EHOSTUNREACH;
	close(fd);
	return r;
}

static const char *what_is_open(const char *secret)
{
	if (getuid() == 0 || geteuid() == 0)
		return "it is root";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return "privileges can be gained";
	if (open(secret, O_RDONLY | O_CLOEXEC) >= 0)
		return "a secret can be read";
	if (open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0)
		return "/etc/shadow can be read";
	if (packet_leaves(SOCK_STREAM) || packet_leaves(SOCK_DGRAM))
		return "packets leave";
	if (socket(AF_PACKET, SOCK_RAW, 0) >= 0)
		return "a packet socket";
	if (unshare(CLONE_NEWUSER) == 0)
		return "a user namespace";
	return "fenced";
}

int main(int argc, char **argv)
{
	const char *text;
	int fd;

	if (argc != 3)
		return 2;
	usleep(150000); /* whatever was killed meanwhile is dead now */
	text = what_is_open(argv[2]);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, text, strlen(text)) < 0;
}
