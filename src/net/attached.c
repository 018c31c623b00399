/* SPDX-License-Identifier: MIT */
#include "net/attached.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "base/err.h"
#include "net/inner.h"
#include "net/socket.h"
#include "net/world.h"
#include "policy/policy.h"

#define OURS "pf_"      /* what the names of our programs begin with */
#define PROGRAMS_MAX 64 /* of one type on one cgroup: the kernel's own limit */
#define PATH_BUF 256

/* Where programs of this version, or of another one, may be attached. */
static const int TYPES[] = {
	BPF_CGROUP_INET_INGRESS,
	BPF_CGROUP_INET_EGRESS,
	BPF_CGROUP_INET_SOCK_CREATE,
	BPF_CGROUP_INET_SOCK_RELEASE,
	BPF_CGROUP_SOCK_OPS,
	BPF_CGROUP_INET4_BIND,
	BPF_CGROUP_INET6_BIND,
	BPF_CGROUP_INET4_POST_BIND,
	BPF_CGROUP_INET6_POST_BIND,
	BPF_CGROUP_INET4_CONNECT,
	BPF_CGROUP_INET6_CONNECT,
	BPF_CGROUP_UDP4_SENDMSG,
	BPF_CGROUP_UDP6_SENDMSG,
	BPF_CGROUP_UDP4_RECVMSG,
	BPF_CGROUP_UDP6_RECVMSG,
	BPF_CGROUP_INET4_GETPEERNAME,
	BPF_CGROUP_INET6_GETPEERNAME,
	BPF_CGROUP_SETSOCKOPT,
	49, /* unix connect and sendmsg, since Linux 6.7 */
	50,
};

/* A descriptor of the program if it is one of ours, else negative. */
static int open_ours(__u32 id)
{
	struct bpf_prog_info info;
	__u32 len = sizeof(info);
	auto_close int fd = bpf_prog_get_fd_by_id(id);

	memset(&info, 0, sizeof(info));
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return -ENOENT;
	return strncmp(info.name, OURS, strlen(OURS)) == 0 ? take_fd(fd) : -ENOENT;
}

/* Does with each of ours of one type what fn says; its negative result ends it. */
static int for_type(int cgroup_fd, int type, unsigned flags,
		    int (*fn)(int prog_fd, int cgroup_fd, int type))
{
	__u32 ids[PROGRAMS_MAX];
	__u32 n = PROGRAMS_MAX;
	__u32 attach_flags = 0;
	int found = 0;
	int rc =
	    bpf_prog_query(cgroup_fd, (enum bpf_attach_type)type, flags, &attach_flags, ids, &n);

	if (rc == -EINVAL) /* not known to this kernel */
		return 0;
	if (rc < 0)
		return rc;
	for (__u32 i = 0; i < n; i++) {
		auto_close int fd = open_ours(ids[i]);

		if (fd < 0)
			continue;
		rc = fn(fd, cgroup_fd, type);
		if (rc < 0)
			return rc;
		found++;
	}
	return found;
}

static int for_all(int cgroup_fd, unsigned flags, int (*fn)(int prog_fd, int cgroup_fd, int type))
{
	int found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(TYPES); i++) {
		int n = for_type(cgroup_fd, TYPES[i], flags, fn);

		if (n < 0)
			return n;
		found += n;
	}
	return found;
}

static int count(int prog_fd, int cgroup_fd, int type)
{
	(void)prog_fd;
	(void)cgroup_fd;
	(void)type;
	return 0;
}

static int detach(int prog_fd, int cgroup_fd, int type)
{
	return bpf_prog_detach2(prog_fd, cgroup_fd, (enum bpf_attach_type)type);
}

int net_attached(int cgroup_fd, enum net_reach reach)
{
	return for_all(cgroup_fd, reach == NET_EFFECTIVE ? BPF_F_QUERY_EFFECTIVE : 0, count);
}

int net_attached_remove(int cgroup_fd, struct pinfold_error *e)
{
	int n = for_all(cgroup_fd, 0, detach);

	return n < 0 ? err_set(e, n, "network: cannot take the programs off the cgroup: %s",
			       strerror(-n))
		     : n;
}

static int pin(int fd, const char *dir, const char *kind, const char *word)
{
	char path[PATH_BUF];
	int n = snprintf(path, sizeof(path), "%s/%s_%s", dir, kind, word);

	return n >= (int)sizeof(path) ? -ENAMETOOLONG : bpf_obj_pin(fd, path);
}

int net_fence_pin(const struct net_fence *f, const char *dir, struct pinfold_error *e)
{
	struct net_hook hooks[NET_HOOKS + NET_UNIX_HOOKS];
	size_t n = NET_HOOKS;
	int rc = 0;

	net_kernel_hooks(&f->kernel, hooks);
	if (f->unix_hooks)
		n += net_unix_hooks(f->unix_hooks, hooks + NET_HOOKS);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = pin(hooks[i].prog_fd, dir, "prog", hooks[i].word);
	for (size_t i = 0; i < NET_MAPS && rc == 0; i++) {
		char word[16];

		snprintf(word, sizeof(word), "%zu", i);
		rc = pin(f->kernel.map[i], dir, "map", word);
	}
	return rc < 0 ? err_set(e, rc, "network: cannot pin below %s: %s", dir, strerror(-rc)) : 0;
}

int net_fence_no_helpers(struct net_fence *f)
{
	const int map = f->kernel.map[NET_MAP_SESSIONS];
	struct pf_session s;
	int rc = bpf_map_lookup_elem(map, &f->cgroup_id, &s);

	memset(f->resolver_port, 0, sizeof(f->resolver_port));
	f->relay_port = 0;
	memset(s.resolver_port, 0, sizeof(s.resolver_port));
	s.relay_port = 0;
	return rc < 0 ? rc : bpf_map_update_elem(map, &f->cgroup_id, &s, BPF_EXIST);
}

static struct pf_world world_of(const struct net_fence *f)
{
	return (struct pf_world){
		.now = net_now_ns(),
		.flags = f->tables.flags,
		.tables = &f->tables,
		.host = f->host.addr,
		.n_host = f->host.n,
	};
}

enum pf_reason net_fence_judge_socket(const struct net_fence *f, const struct net_socket *s,
				      const struct net_rule **ret_rule)
{
	const struct pf_world w = world_of(f);
	const struct pf_ask ask = { .addr = net_addr(&s->peer),
				    .port = s->peer_port,
				    .proto = s->proto };
	struct pf_answer answer = { 0 };

	*ret_rule = NULL;
	if (s->proto != IPPROTO_TCP && s->proto != IPPROTO_UDP)
		return PF_DENY_SOCKET;
	pf_judge(&w, &ask, &answer);
	*ret_rule = net_rule_of(f->policy, answer.rule);
	/* It went past the relay, and nobody knows by what name. */
	return answer.reason == PF_ALLOW_VERIFY ? PF_DENY_SNI : (enum pf_reason)answer.reason;
}

bool net_fence_lets_in(const struct net_fence *f, const struct net_socket *s)
{
	const struct pf_world w = world_of(f);
	const struct pf_ask local = { .port = s->local_port, .proto = s->proto };
	const union pf_addr peer = net_addr(&s->peer);
	uint32_t rule = PF_RULE_NONE;

	if (!(w.flags & PF_HAS_INBOUND))
		return false;
	if (pf_world_port(&w, PF_SET_INBOUND, &local, &rule))
		return true;
	return pf_is_loopback(&peer) && pf_world_port(&w, PF_SET_INBOUND_LOCAL, &local, &rule);
}

int net_fence_adopt(struct net_fence *f, int fd, const struct net_socket *s, enum net_flow flow,
		    pid_t pid)
{
	struct pf_session session;
	struct pf_sock k = {
		.pid = (__u32)pid,
		.uid = s->uid,
		.cookie = s->cookie,
	};

	net_fence_describe(f, &session);
	k.session = session.id;
	if (flow == NET_FLOW_OUTBOUND) {
		k.flags = PF_SOCK_CONNECTED;
		k.peer.addr = net_addr(&s->peer);
		k.peer.port = s->peer_port;
		k.peer.rules = session.rules;
		/* Of datagrams each is judged: that it was let through once is not known. */
		k.peer.until = s->proto == IPPROTO_TCP ? PF_NEVER_ENDS : 0;
	}
	return bpf_map_update_elem(f->kernel.map[NET_MAP_SOCKS], &fd, &k, BPF_ANY);
}
