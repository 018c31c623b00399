/* SPDX-License-Identifier: MIT */
/*
 * DOC: the programs of a fence mark each socket as it is made, and let nothing pass through one
 * without a mark.  A socket that was there before has none: it gets one by a descriptor, which is
 * copied out of a process that has it (pidfd_getfd), if the rules would let it through now. Listing
 * is by network namespace, so each that a process inside lives in is entered for a moment.
 */
#include "session/attach_old.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/number.h"
#include "policy/read.h"
#include "session/attach_cgroup.h"

#define HOLDERS_MAX (1 << 20)
#define NETNS_MAX 1024

/* Who has a descriptor of a socket. */
struct holder {
	uint32_t inode;
	pid_t pid;
	int fd;
};

struct listing {
	const struct attach_tree *tree;
	struct old_sockets *o;
	struct holder *holder; /* sorted by inode */
	size_t n;
	int netns;
};

/* ---- namespaces ----------------------------------------------------------------------------- */

int old_enter_netns(int netns_fd, int *ret_back)
{
	auto_close int back = -1;

	*ret_back = -1;
	if (netns_fd < 0)
		return 0;
	back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (back < 0 || setns(netns_fd, CLONE_NEWNET) < 0)
		return -errno;
	*ret_back = take_fd(back);
	return 0;
}

void old_leave_netns(int back)
{
	if (back < 0)
		return;
	/* What follows would run in the wrong place. */
	if (setns(back, CLONE_NEWNET) < 0)
		assert(!"the way back");
	close(back);
}

static int add_netns(struct old_sockets *o, pid_t pid)
{
	char path[64];
	struct old_netns *slot;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) { /* it has ended */
		clean_close(&fd);
		return 0;
	}
	for (size_t i = 0; i < o->n_netns; i++) {
		if (o->netns[i].inode == st.st_ino) {
			o->netns[i].n++;
			close(fd);
			return 0;
		}
	}
	slot = o->n_netns < NETNS_MAX ? grow(&o->netns, o->n_netns, sizeof(*o->netns)) : NULL;
	if (!slot) {
		close(fd);
		return o->n_netns < NETNS_MAX ? -ENOMEM : -E2BIG;
	}
	*slot = (struct old_netns){ st.st_ino, fd, pid, 1 };
	o->n_netns++;
	return 0;
}

int old_netns_read(const struct attach_tree *t, struct old_sockets *ret)
{
	int r = 0;

	*ret = (struct old_sockets){ 0 };
	for (size_t i = 0; i < t->n_pids && r == 0; i++)
		r = add_netns(ret, t->pid[i]);
	return r;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int by_inode(const void *a, const void *b)
{
	const struct holder *x = a;
	const struct holder *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* "socket:[4711]" */
static uint32_t inode_of(int dir_fd, const char *name)
{
	char link[64];
	ssize_t n = readlinkat(dir_fd, name, link, sizeof(link) - 1);
	uint64_t inode;

	if (n < 10 || strncmp(link, "socket:[", 8) != 0 || link[n - 1] != ']')
		return 0;
	link[n - 1] = '\0';
	return number_parse(link + 8, UINT32_MAX, &inode) < 0 ? 0 : (uint32_t)inode;
}

static int add_holders(struct listing *l, pid_t pid)
{
	char path[64];
	const struct dirent *entry;
	DIR *d;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && r == 0 && (entry = readdir(d))) {
		uint32_t inode = inode_of(dirfd(d), entry->d_name);
		struct holder *slot;
		uint64_t fd;

		if (inode == 0 || number_parse(entry->d_name, INT32_MAX, &fd) < 0)
			continue;
		slot = l->n < HOLDERS_MAX ? grow(&l->holder, l->n, sizeof(*l->holder)) : NULL;
		r = slot ? 0 : l->n < HOLDERS_MAX ? -ENOMEM : -E2BIG;
		if (slot) {
			*slot = (struct holder){ inode, pid, (int)fd };
			l->n++;
		}
	}
	if (d)
		closedir(d);
	return r;
}

static const struct holder *find_holder(const struct listing *l, uint32_t inode)
{
	const struct holder key = { .inode = inode };

	return l->n ? bsearch(&key, l->holder, l->n, sizeof(key), by_inode) : NULL;
}

static int note_socket(void *data, const struct net_socket *s)
{
	struct listing *l = data;
	struct old_sockets *o = l->o;
	const struct holder *h = s->inode ? find_holder(l, s->inode) : NULL;
	const bool inside = attach_tree_has(l->tree, s->cgroup);
	struct old_socket *slot;

	/* One that is closed already sends no more than its last words. */
	if (s->inode == 0 || (!inside && !h))
		return 0;
	slot = o->n < OLD_SOCKETS_MAX ? grow(&o->socket, o->n, sizeof(*o->socket)) : NULL;
	if (!slot)
		return o->n < OLD_SOCKETS_MAX ? -ENOMEM : -E2BIG;
	*slot = (struct old_socket){
		.s = *s,
		.netns = l->netns,
		.pid = h ? h->pid : 0,
		.fd = h ? h->fd : -1,
		.fate = inside ? OLD_REFUSED : OLD_OUTSIDE,
		.reason = PF_DENY_UNFILLED,
	};
	o->n++;
	return 0;
}

static int list_netns(struct listing *l, int netns)
{
	int back;
	int r = old_enter_netns(l->o->netns[netns].fd, &back);

	if (r < 0) {
		l->o->unseen++;
		return 0;
	}
	l->netns = netns;
	r = net_sockets_list(note_socket, l);
	old_leave_netns(back);
	return r;
}

int old_sockets_read(const struct attach_tree *t, struct old_sockets *o)
{
	struct listing l = { .tree = t, .o = o };
	int r = 0;

	for (size_t i = 0; i < t->n_pids && r == 0; i++)
		r = add_holders(&l, t->pid[i]);
	if (l.n)
		qsort(l.holder, l.n, sizeof(*l.holder), by_inode);
	for (size_t i = 0; i < o->n_netns && r == 0; i++)
		r = list_netns(&l, (int)i);
	free(l.holder);
	return r;
}

/* ---- deciding ------------------------------------------------------------------------------- */

static bool is_peer_of(const struct old_socket *a, const struct old_socket *b)
{
	return a->netns == b->netns && a->s.proto == b->s.proto &&
	       a->s.local_port == b->s.peer_port && a->s.peer_port == b->s.local_port &&
	       addr_equal(&a->s.local, &b->s.peer) && addr_equal(&a->s.peer, &b->s.local);
}

static bool is_listener_of(const struct old_socket *a, const struct old_socket *b)
{
	return a->netns == b->netns && net_socket_listens(&a->s) &&
	       a->s.local_port == b->s.local_port;
}

/* By what is looked for below; a listener before what it accepted. */
static int by_local_port(const void *a, const void *b)
{
	const struct old_socket *x = a;
	const struct old_socket *y = b;

	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	if (x->s.local_port != y->s.local_port)
		return x->s.local_port < y->s.local_port ? -1 : 1;
	return (int)net_socket_listens(&y->s) - (int)net_socket_listens(&x->s);
}

/* Another of the old sockets, made inside and with that local port, for which that holds. */
static bool has_another(const struct old_sockets *o, const struct old_socket *of, uint16_t port,
			bool (*holds)(const struct old_socket *a, const struct old_socket *b))
{
	size_t low = 0;
	size_t high = o->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct old_socket *m = &o->socket[middle];

		if (m->netns < of->netns || (m->netns == of->netns && m->s.local_port < port))
			low = middle + 1;
		else
			high = middle;
	}
	for (;
	     low < o->n && o->socket[low].netns == of->netns && o->socket[low].s.local_port == port;
	     low++)
		if (&o->socket[low] != of && o->socket[low].fate != OLD_OUTSIDE &&
		    holds(&o->socket[low], of))
			return true;
	return false;
}

static bool is_stream(const struct net_socket *s)
{
	return s->proto == IPPROTO_TCP;
}

/* Listeners and datagrams are judged by what comes and goes; TCP connections now or never. */
static enum pf_reason judge(const struct old_sockets *o, struct old_socket *s,
			    const struct net_fence *f, enum net_flow *ret_flow)
{
	*ret_flow = NET_FLOW_NONE;
	if (s->s.proto != IPPROTO_TCP && s->s.proto != IPPROTO_UDP)
		return PF_DENY_SOCKET;
	if (!net_socket_is_connected(&s->s))
		return PF_ALLOW_OWN;
	if (has_another(o, s, s->s.peer_port, is_peer_of))
		return PF_ALLOW_OWN;
	if (is_stream(&s->s) && has_another(o, s, s->s.local_port, is_listener_of))
		return net_fence_lets_in(f, &s->s) ? PF_ALLOW_OWN : PF_DENY_INBOUND;
	*ret_flow = NET_FLOW_OUTBOUND;
	return is_stream(&s->s) ? net_fence_judge_socket(f, &s->s, &s->rule) : PF_ALLOW_OWN;
}

/* The same socket, not another that took the number meanwhile. */
static bool is_same(int fd, const struct net_socket *s)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) == 0 && cookie == s->cookie;
}

static int adopt(struct old_socket *s, struct net_fence *f, enum net_flow flow)
{
	auto_close int pidfd = s->pid ? (int)syscall(SYS_pidfd_open, s->pid, 0) : -1;
	auto_close int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, s->fd, 0);

	if (fd < 0)
		return s->pid ? -errno : -ESRCH;
	return is_same(fd, &s->s) ? net_fence_adopt(f, fd, &s->s, flow, s->pid) : -ESTALE;
}

/* What observing lets through; see bpf/verdict.h. */
static bool is_open_to_rules(enum pf_reason r)
{
	return r != PF_DENY_METADATA && r != PF_DENY_NEVER && r != PF_DENY_SOCKET &&
	       r != PF_DENY_INBOUND;
}

void old_sockets_adopt(struct old_sockets *o, struct net_fence *f, bool observe)
{
	if (o->n)
		qsort(o->socket, o->n, sizeof(*o->socket), by_local_port);
	for (size_t i = 0; i < o->n; i++) {
		struct old_socket *s = &o->socket[i];
		enum net_flow flow;

		if (s->fate == OLD_OUTSIDE)
			continue;
		s->reason = judge(o, s, f, &flow);
		s->observed = s->reason < PF_ALLOW && observe && is_open_to_rules(s->reason);
		if ((s->reason >= PF_ALLOW || s->observed) && adopt(s, f, flow) == 0)
			s->fate = OLD_KEPT;
		else if (s->reason >= PF_ALLOW)
			s->reason = PF_DENY_UNFILLED;
	}
}

int old_sockets_cut(struct old_sockets *o)
{
	int rc = 0;

	for (size_t i = 0; i < o->n; i++) {
		struct old_socket *s = &o->socket[i];
		int back;
		int r;

		if (s->fate == OLD_KEPT)
			continue;
		r = old_enter_netns(o->netns[s->netns].fd, &back);
		if (r == 0)
			r = net_socket_destroy(&s->s);
		old_leave_netns(back);
		s->cut = r == 0 || r == -ENOENT;
		rc = s->cut ? rc : r;
	}
	return rc;
}

void old_sockets_done(struct old_sockets *o)
{
	for (size_t i = 0; i < o->n_netns; i++)
		close(o->netns[i].fd);
	free(o->netns);
	free(o->socket);
	*o = (struct old_sockets){ 0 };
}
