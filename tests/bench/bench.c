/* SPDX-License-Identifier: MIT */
/* The inner loops of tools/bench: prints one number, microseconds each or MiB a second. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (256 * 1024)
#define DATAGRAM 1400
#define BATCH 32

extern char **environ;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* spawn N COMMAND...: starts it and waits for its end. */
static int bench_spawn(int n, char **argv)
{
	double start = now_us();
	int status;

	for (int i = 0; i < n; i++) {
		pid_t pid;

		if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0)
			return 1;
		if (waitpid(pid, &status, 0) < 0 || status != 0)
			return 1;
	}
	printf("%.3f\n", (now_us() - start) / n);
	return 0;
}

/* connect N ADDRESS PORT: only the connect(2) call is timed.  A reset at close keeps the number of
 * sockets in TIME_WAIT at zero. */
static int bench_connect(int n, const char *address, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct linger reset = { .l_onoff = 1 };
	double spent = 0;

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		return 1;
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		double start = now_us();

		connect(fd, (struct sockaddr *)&to, sizeof(to));
		spent += now_us() - start;
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
	}
	printf("%.3f\n", spent / n);
	return 0;
}

/* lookup N SERVER: round trips for A of api.test, one after the other. */
static int bench_lookup(int n, const char *server)
{
	static const char query[] = "\0\7\1\0\0\1\0\0\0\0\0\0\3api\4test\0\0\1\0\1";
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	struct timeval patience = { .tv_sec = 2 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned char answer[512];
	double start;

	if (inet_pton(AF_INET, server, &to.sin_addr) != 1 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return 1;
	start = now_us();
	for (int i = 0; i < n; i++)
		if (send(fd, query, sizeof(query) - 1, 0) < 0 ||
		    recv(fd, answer, sizeof(answer), 0) < 28 || answer[7] != 1)
			return 1;
	printf("%.3f\n", (now_us() - start) / n);
	close(fd);
	return 0;
}

static void *drain(void *arg)
{
	static char buf[CHUNK];
	int fd = accept(*(int *)arg, NULL, NULL);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	return NULL;
}

/* stream MIB: one sender, one receiver, over loopback. */
static int bench_stream(int mib)
{
	static char buf[CHUNK];
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t reader;
	double start;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&at, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &len) ||
	    pthread_create(&reader, NULL, drain, &listener) ||
	    connect(fd, (struct sockaddr *)&at, len)) {
		fprintf(stderr, "bench: %s\n", strerror(errno));
		return 1;
	}
	start = now_us();
	for (long i = 0; i < (long)mib * 1024 * 1024 / CHUNK; i++)
		if (write(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
			return 1;
	close(fd);
	pthread_join(reader, NULL);
	printf("%.1f\n", mib / ((now_us() - start) / 1e6));
	return 0;
}

static void *take_batches(void *arg)
{
	static char buf[DATAGRAM];
	const int fd = *(int *)arg;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);

	for (;;) {
		for (int i = 0; i < BATCH; i++)
			if (recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len) <= 1)
				return NULL;
		sendto(fd, "!", 1, 0, (struct sockaddr *)&from, len);
	}
}

/* datagrams MIB: over loopback, in batches that the receiver confirms, so that none is lost. */
static int bench_datagrams(int mib)
{
	static char buf[DATAGRAM];
	struct sockaddr_in at = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = 2 };
	socklen_t len = sizeof(at);
	int server = socket(AF_INET, SOCK_DGRAM, 0);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	const long batches = (long)mib * 1024 * 1024 / DATAGRAM / BATCH;
	pthread_t reader;
	double start;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (struct sockaddr *)&at, len) ||
	    getsockname(server, (struct sockaddr *)&at, &len) ||
	    pthread_create(&reader, NULL, take_batches, &server) ||
	    connect(fd, (struct sockaddr *)&at, len) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience))) {
		fprintf(stderr, "bench: %s\n", strerror(errno));
		return 1;
	}
	start = now_us();
	for (long i = 0; i < batches; i++) {
		for (int k = 0; k < BATCH; k++)
			if (send(fd, buf, sizeof(buf), 0) != (ssize_t)sizeof(buf))
				return 1;
		if (recv(fd, buf, sizeof(buf), 0) != 1)
			return 1;
	}
	printf("%.1f\n", mib / ((now_us() - start) / 1e6));
	send(fd, buf, 1, 0);
	pthread_join(reader, NULL);
	return 0;
}

struct name {
	pthread_t thread;
	char text[64];
	bool reached;
};

static void *reach(void *arg)
{
	struct name *n = arg;
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int fd;

	if (getaddrinfo(n->text, "443", &hints, &found) != 0)
		return NULL;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	n->reached = connect(fd, found->ai_addr, found->ai_addrlen) == 0;
	close(fd);
	freeaddrinfo(found);
	return NULL;
}

/* names N ROUNDS: N new names at once, each looked up and connected to, ROUNDS times over.  Prints
 * microseconds for a round, and how many were refused over all. */
static int bench_names(int n, int rounds)
{
	struct name *names = calloc((size_t)n, sizeof(*names));
	const double start = now_us();
	int refused = 0;

	for (int r = 0; names && r < rounds; r++) {
		for (int i = 0; i < n; i++) {
			names[i].reached = false;
			snprintf(names[i].text, sizeof(names[i].text), "n%d-%d-%d.wild.test", i, r,
				 (int)getpid());
			if (pthread_create(&names[i].thread, NULL, reach, &names[i]))
				return 1;
		}
		for (int i = 0; i < n; i++) {
			pthread_join(names[i].thread, NULL);
			refused += !names[i].reached;
		}
	}
	printf("%.1f %d\n", (now_us() - start) / rounds, refused);
	free(names);
	return !names;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "spawn") == 0)
		return bench_spawn((int)strtol(argv[2], NULL, 10), argv + 3);
	if (argc == 5 && strcmp(argv[1], "connect") == 0)
		return bench_connect((int)strtol(argv[2], NULL, 10), argv[3],
				     (int)strtol(argv[4], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "lookup") == 0)
		return bench_lookup((int)strtol(argv[2], NULL, 10), argv[3]);
	if (argc == 3 && strcmp(argv[1], "stream") == 0)
		return bench_stream((int)strtol(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "datagrams") == 0)
		return bench_datagrams((int)strtol(argv[2], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "names") == 0)
		return bench_names((int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10));
	return 64;
}
