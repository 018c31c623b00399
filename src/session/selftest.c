/* SPDX-License-Identifier: MIT */
/*
 * DOC: the self-test
 *
 * A real session is started whose command is a function of ours.  It tries, for each fence, one
 * thing that must work and one that must not, and sends what it saw through a pipe.  Nothing
 * leaves the host: the forbidden destinations are documentation addresses, whose connections are
 * refused before a packet is made.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "net/fence.h"
#include "pinfold.h"
#include "session/api.h"
#include "session/session.h"

#define FORBIDDEN_V4 "203.0.113.1"
#define FORBIDDEN_V6 "2001:db8::1"
#define METADATA "169.254.169.254"
#define CHECKS_MAX 32
#define NETWORK_CHECK "network: the kernel holds every program and every rule"

struct result {
	uint32_t index;
	int32_t seen;
};

struct probe {
	int out;
	const char *workspace;
	int leaked;         /* a descriptor that must not have come through */
	struct stat shadow; /* of /etc/shadow outside; st_ino 0: there is none */
	/* what the supervisor found when all was over */
	int in;
	struct result result[CHECKS_MAX];
	size_t n_results;
	bool inspected;
	struct pinfold_error network;
};

/* 0: as it must be; otherwise what was seen, as an errno, or -1 for "it worked". */
struct check {
	const char *name;
	int (*fn)(const struct probe *p);
};

/* A thing that must not work: refused is well, working is the failure. */
static int must_fail(int r)
{
	return r < 0 ? 0 : -1;
}

static int must_work(int r)
{
	return r < 0 ? (errno ? errno : EIO) : 0;
}

static int connect_to(int family, int type, const char *address, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	auto_close int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (family == AF_INET) {
		inet_pton(AF_INET, address, &in.sin_addr);
		return connect(fd, (const struct sockaddr *)&in, sizeof(in));
	}
	inet_pton(AF_INET6, address, &in6.sin6_addr);
	return connect(fd, (const struct sockaddr *)&in6, sizeof(in6));
}

/* EINPROGRESS would mean that a packet left. */
static int refused(int r)
{
	return r < 0 && errno != EINPROGRESS ? 0 : -1;
}

static int tcp4_is_refused(const struct probe *p)
{
	(void)p;
	return refused(connect_to(AF_INET, SOCK_STREAM, FORBIDDEN_V4, 9));
}

static int tcp6_is_refused(const struct probe *p)
{
	(void)p;
	return refused(connect_to(AF_INET6, SOCK_STREAM, FORBIDDEN_V6, 9));
}

static int mapped_is_refused(const struct probe *p)
{
	(void)p;
	return refused(connect_to(AF_INET6, SOCK_STREAM, "::ffff:" FORBIDDEN_V4, 9));
}

static int udp_is_refused(const struct probe *p)
{
	(void)p;
	return refused(connect_to(AF_INET, SOCK_DGRAM, FORBIDDEN_V4, 9));
}

static int metadata_is_refused(const struct probe *p)
{
	(void)p;
	return refused(connect_to(AF_INET, SOCK_STREAM, METADATA, 80));
}

static int sendto_is_refused(const struct probe *p)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(9) };
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)p;
	inet_pton(AF_INET, FORBIDDEN_V4, &in.sin_addr);
	return refused((int)sendto(fd, "x", 1, 0, (const struct sockaddr *)&in, sizeof(in)));
}

static int own_listener_is_reached(const struct probe *p)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	const struct timeval patience = { .tv_sec = 2 }; /* for connect, too */
	socklen_t len = sizeof(in);
	auto_close int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_close int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)p;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (const struct sockaddr *)&in, sizeof(in)) < 0 ||
	    listen(listener, 1) < 0 || getsockname(listener, (struct sockaddr *)&in, &len) < 0 ||
	    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return errno;
	return must_work(connect(client, (const struct sockaddr *)&in, len));
}

static int raw_socket_is_refused(const struct probe *p)
{
	(void)p;
	return must_fail(socket(AF_INET, SOCK_RAW, IPPROTO_UDP));
}

static int packet_socket_is_refused(const struct probe *p)
{
	(void)p;
	return must_fail(socket(AF_PACKET, SOCK_RAW, 0));
}

static int connect_unix(const char *path, size_t len)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(un.sun_path, path, len);
	return connect(fd, (const struct sockaddr *)&un,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

static int unix_outside_is_refused(const struct probe *p)
{
	(void)p;
	return must_fail(connect_unix("/var/run/docker.sock", sizeof("/var/run/docker.sock")));
}

static int socketpair_works(const struct probe *p)
{
	int pair[2];
	int r = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);

	(void)p;
	if (r < 0)
		return errno;
	r = must_work((int)send(pair[0], "x", 1, 0));
	close(pair[0]);
	close(pair[1]);
	return r;
}

static int system_is_readable(const struct probe *p)
{
	auto_close int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	(void)p;
	return must_work(fd);
}

static int system_is_not_writable(const struct probe *p)
{
	(void)p;
	return must_fail(open("/etc/pinfold-selftest", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int secrets_are_unreadable(const struct probe *p)
{
	(void)p;
	return must_fail(open("/etc/shadow", O_RDONLY | O_CLOEXEC));
}

/* Another inode has its name: unreadable it is by its mode already. */
static int secrets_are_covered(const struct probe *p)
{
	struct stat st;

	if (p->shadow.st_ino == 0 || stat("/etc/shadow", &st) < 0)
		return 0;
	return st.st_dev == p->shadow.st_dev && st.st_ino == p->shadow.st_ino ? -1 : 0;
}

static int private_tmp_is_writable(const struct probe *p)
{
	auto_close int fd = open("/tmp/pinfold-selftest", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)p;
	return must_work(fd);
}

static int workspace_is_there(const struct probe *p)
{
	return p->workspace ? must_work(access(p->workspace, R_OK)) : 0;
}

static int namespaces_are_refused(const struct probe *p)
{
	(void)p;
	return must_fail(unshare(CLONE_NEWUSER));
}

static int identity_is_unprivileged(const struct probe *p)
{
	(void)p;
	return getuid() != 0 && geteuid() != 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0
											      : -1;
}

static int descriptors_are_closed(const struct probe *p)
{
	return fcntl(p->leaked, F_GETFD) < 0 && errno == EBADF ? 0 : -1;
}

static int outsiders_are_out_of_reach(const struct probe *p)
{
	(void)p;
	return getppid() == 1 && kill(1, SIGKILL) == 0 && access("/proc/1/environ", R_OK) == 0 ? -1
											       : 0;
}

static const struct check CHECKS[] = {
	/* First: a later check may open a descriptor of the same number. */
	{ "identity: inherited descriptors are closed", descriptors_are_closed },
	{ "network: a TCP connection that no rule allows is refused", tcp4_is_refused },
	{ "network: the same over IPv6", tcp6_is_refused },
	{ "network: the same through a v4-mapped address", mapped_is_refused },
	{ "network: a connected datagram is refused", udp_is_refused },
	{ "network: an unconnected datagram is refused", sendto_is_refused },
	{ "network: the metadata address is refused", metadata_is_refused },
	{ "network: the session reaches its own listener", own_listener_is_reached },
	{ "network: a raw socket is refused", raw_socket_is_refused },
	{ "system calls: a packet socket is refused", packet_socket_is_refused },
	{ "unix sockets: docker.sock is out of reach", unix_outside_is_refused },
	{ "unix sockets: a socket pair works", socketpair_works },
	{ "files: the system is readable", system_is_readable },
	{ "files: the system is not writable", system_is_not_writable },
	{ "files: /etc/shadow is unreadable", secrets_are_unreadable },
	{ "files: a mask covers /etc/shadow", secrets_are_covered },
	{ "files: a private /tmp is writable", private_tmp_is_writable },
	{ "files: the workspace is there", workspace_is_there },
	{ "system calls: a user namespace is refused", namespaces_are_refused },
	{ "identity: no root, no new privileges", identity_is_unprivileged },
	{ "life: the pen has processes of its own only", outsiders_are_out_of_reach },
};

static int try_everything(void *data)
{
	const struct probe *p = data;

	for (uint32_t i = 0; i < ARRAY_SIZE(CHECKS); i++) {
		struct result r = { .index = i, .seen = CHECKS[i].fn(p) };

		if (write(p->out, &r, sizeof(r)) != sizeof(r))
			return 1;
	}
	return 0;
}

_Static_assert(ARRAY_SIZE(CHECKS) <= CHECKS_MAX, "room for every result");

struct reporter {
	void (*report)(void *data, const char *check, bool passed, const char *detail);
	void *data;
};

/* The first result of a check counts; NULL: none came, and it has failed. */
static const struct result *result_of(const struct probe *p, size_t check)
{
	for (size_t i = 0; i < p->n_results; i++)
		if (p->result[i].index == check)
			return &p->result[i];
	return NULL;
}

static int report_results(const struct probe *p, const struct reporter *to)
{
	int failures = 0;

	for (size_t i = 0; i < ARRAY_SIZE(CHECKS); i++) {
		const struct result *r = result_of(p, i);

		failures += !r || r->seen != 0;
		to->report(to->data, CHECKS[i].name, r && r->seen == 0,
			   !r             ? "no result came back"
			   : r->seen == 0 ? ""
			   : r->seen < 0  ? "it worked, and must not"
					  : strerror(r->seen));
	}
	return failures;
}

static void log_results(const struct session *s, const struct probe *p)
{
	struct record_line *l = record_begin(s->record, "self_test");
	const char *failed[CHECKS_MAX + 1];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(CHECKS); i++) {
		const struct result *r = result_of(p, i);

		if (!r || r->seen != 0)
			failed[n++] = CHECKS[i].name;
	}
	if (p->network.text[0])
		failed[n++] = NETWORK_CHECK;
	record_text(l, "result", n ? "failed" : "ok");
	if (n)
		record_texts(l, "failed", failed, n);
	record_end(l);
}

static void inspect(const struct session *s, void *data)
{
	struct probe *p = data;

	while (p->n_results < CHECKS_MAX &&
	       read(p->in, &p->result[p->n_results], sizeof(p->result[0])) == sizeof(p->result[0]))
		p->n_results++;
	p->inspected = true;
	if (net_fence_check(s->net, s->cgroup.dir_fd, &p->network) < 0 && !p->network.text[0])
		(void)snprintf(p->network.text, sizeof(p->network.text), "unknown");
	if (s->is_recorded)
		log_results(s, p);
}

static int report_network(const struct probe *p, const struct reporter *to)
{
	const char *seen = p->inspected ? p->network.text : "nobody looked";

	to->report(to->data, NETWORK_CHECK, !seen[0], seen);
	return seen[0] ? 1 : 0;
}

static int test_policy(const struct pinfold_policy *policy, const struct reporter *to,
		       struct pinfold_error *e)
{
	auto_close int in = -1;
	auto_close int leaked = open("/", O_RDONLY | O_DIRECTORY);
	struct probe probe;
	struct session s;
	int ends[2];
	int status;
	int r;

	if (leaked < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	in = ends[0];
	probe = (struct probe){
		.in = in,
		.out = ends[1],
		.leaked = leaked,
		.workspace = policy->policy.workspace_access == WORKSPACE_NONE
				 ? NULL
				 : policy->policy.workspace,
	};
	if (stat("/etc/shadow", &probe.shadow) < 0)
		probe.shadow.st_ino = 0;
	session_init(&s, policy);
	s.command.inspect = inspect;
	s.command.probe = try_everything;
	s.command.probe_data = &probe;
	s.command.keep_fds = &probe.out;
	s.command.n_keep_fds = 1;
	r = session_run(&s, &status, e);
	close(ends[1]);
	return r < 0 ? r : report_results(&probe, to) + report_network(&probe, to);
}

int pinfold_selftest(const struct pinfold_policy *policy,
		     void (*report)(void *data, const char *check, bool passed, const char *detail),
		     void *data, struct pinfold_error *e)
{
	struct reporter to = { .report = report, .data = data };
	struct pinfold_policy *own = NULL;
	int r;

	if (policy)
		return test_policy(policy, &to, e);
	r = pinfold_policy_default(NULL, &own, e);
	if (r == 0)
		r = test_policy(own, &to, e);
	pinfold_policy_free(own);
	return r;
}
