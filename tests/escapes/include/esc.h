/* SPDX-License-Identifier: MIT */
/* esc.h - helpers shared by the escape programs.  Own code.
 * Contract: exactly one line on stdout:
 *   ESCAPED <why>   exit 1      the sandbox did not stop it
 *   BLOCKED <errno> exit 0      the sandbox stopped it
 *   SKIP <why>      exit 77     cannot be tried here (kernel/fixture lacks it)
 */
#ifndef ESC_H
#define ESC_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ESC_MAYBE __attribute__((unused))
ESC_MAYBE static void esc_out(int code, const char *tag, const char *fmt, va_list ap)
{
	printf("%s ", tag);
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	_exit(code);
}
ESC_MAYBE static void escaped(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	esc_out(1, "ESCAPED", fmt, ap);
	va_end(ap);
}
ESC_MAYBE static void blocked_s(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	esc_out(0, "BLOCKED", fmt, ap);
	va_end(ap);
}
ESC_MAYBE static void skip(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	esc_out(77, "SKIP", fmt, ap);
	va_end(ap);
}
ESC_MAYBE static void blocked(const char *what)
{
	int e = errno;
	const char *n = strerrorname_np(e);
	blocked_s("%s at %s", n ? n : "?", what);
}
/* errno values that mean "this kernel or fixture does not have it", not "denied" */
ESC_MAYBE static int is_absent(int e)
{
	return e == ENOSYS || e == EAFNOSUPPORT || e == EPROTONOSUPPORT || e == ESOCKTNOSUPPORT ||
	       e == EOPNOTSUPP;
}
ESC_MAYBE static const char *env(const char *k, const char *d)
{
	const char *v = getenv(k);
	return v && *v ? v : d;
}
ESC_MAYBE static const char *need(const char *k)
{
	const char *v = getenv(k);
	if (!v || !*v)
		skip("%s is not set", k);
	return v;
}
ESC_MAYBE static int envi(const char *k, int d)
{
	const char *v = getenv(k);
	return v && *v ? atoi(v) : d;
}
#define TARGET_IP env("TARGET_IP", "203.0.113.2")
#define TARGET_IP6 env("TARGET_IP6", "2001:db8:77::2")
#define ALLOWED_IP env("ALLOWED_IP", "198.51.100.1")
#define ALLOWED_IP6 env("ALLOWED_IP6", "2001:db8:88::1")
#define TARGET_PORT envi("TARGET_PORT", 48080)
#define WORKSPACE env("WORKSPACE", "/tmp/pf/ws")
#define OUTSIDE_DIR env("OUTSIDE_DIR", "/tmp/pf/out")
#define SECRET_FILE env("SECRET_FILE", "/tmp/pf/out/secret.txt")
ESC_MAYBE static const char *path2(const char *d, const char *f)
{
	static char b[4][4096];
	static int i;
	i = (i + 1) & 3;
	snprintf(b[i], sizeof b[i], "%s/%s", d, f);
	return b[i];
}
ESC_MAYBE static struct sockaddr_in in4(const char *ip, int port)
{
	struct sockaddr_in s = { .sin_family = AF_INET, .sin_port = htons(port) };
	if (inet_pton(AF_INET, ip, &s.sin_addr) != 1)
		skip("bad ip %s", ip);
	return s;
}
ESC_MAYBE static struct sockaddr_in6 in6(const char *ip, int port)
{
	struct sockaddr_in6 s = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	if (inet_pton(AF_INET6, ip, &s.sin6_addr) != 1)
		skip("bad ip %s", ip);
	return s;
}
ESC_MAYBE static char *nonce(void)
{
	static char n[40];
	if (!*n) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		snprintf(n, sizeof n, "pf-%d-%lx%lx", getpid(), (long)t.tv_sec, t.tv_nsec);
	}
	return n;
}
/* The fixture servers echo what they get.  An echo of our nonce proves delivery. */
ESC_MAYBE static int got_echo(int fd, int ms)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char b[2048];
	size_t n = strlen(nonce());
	for (int k = 0; k < 4; k++) {
		if (poll(&p, 1, ms) <= 0)
			return 0;
		ssize_t r = recv(fd, b, sizeof b, 0);
		if (r <= 0)
			return 0;
		if (memmem(b, r, nonce(), n))
			return 1;
	}
	return 0;
}
/* Connect with a time limit; returns 0 or -1 with errno (ETIMEDOUT when the packets vanish). */
ESC_MAYBE static int conn_t(int fd, const void *sa, socklen_t l, int ms)
{
	int fl = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, fl | O_NONBLOCK);
	int r = connect(fd, sa, l);
	if (r < 0 && errno == EINPROGRESS) {
		struct pollfd p = { fd, POLLOUT, 0 };
		if (poll(&p, 1, ms) <= 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		int e = 0;
		socklen_t el = sizeof e;
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &el);
		if (e) {
			errno = e;
			return -1;
		}
		r = 0;
	}
	fcntl(fd, F_SETFL, fl);
	return r;
}
/* Only an echo of our nonce counts as an escape: a sandbox may redirect to a sink. */
ESC_MAYBE static void unreach(const char *what)
{
	if ((errno == ENETUNREACH || errno == EHOSTUNREACH || errno == EADDRNOTAVAIL ||
	     errno == ECONNREFUSED) &&
	    !getenv("FIXTURE"))
		skip("%s: %s - run inside the fixture", what, strerror(errno));
}
ESC_MAYBE static void tcp_try(int fd, const void *sa, socklen_t l, const char *what)
{
	if (fd < 0) {
		if (is_absent(errno))
			skip("socket: %s", strerror(errno));
		blocked("socket");
	}
	if (conn_t(fd, sa, l, 3000) < 0) {
		if (is_absent(errno))
			skip("connect: %s", strerror(errno));
		unreach("connect");
		blocked("connect");
	}
	if (send(fd, nonce(), strlen(nonce()), MSG_NOSIGNAL) < 0)
		blocked("send");
	if (got_echo(fd, 3000))
		escaped("%s: echo came back", what);
	errno = ETIMEDOUT;
	blocked("echo (connected, but not to the target)");
}
ESC_MAYBE static void udp_result(int fd, ssize_t r, const char *what)
{
	if (r < 0) {
		if (is_absent(errno))
			skip("send: %s", strerror(errno));
		unreach("send");
		blocked("send");
	}
	if (got_echo(fd, 2000))
		escaped("%s: echo came back", what);
	errno = ETIMEDOUT;
	blocked("echo (datagram was swallowed)");
}
ESC_MAYBE static void try_open(const char *p, int fl, const char *what)
{
	int f = open(p, fl | O_CLOEXEC, 0600);
	if (f < 0) {
		if (errno == ENOENT && !(fl & O_CREAT))
			skip("%s does not exist here", p);
		blocked("open");
	}
	escaped("%s: opened %s", what, p);
}
#endif
