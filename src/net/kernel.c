/* SPDX-License-Identifier: MIT */
#include "net/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"
#include "net.skel.h"
#include "net/fence.h"

struct net_loader {
	pid_t pid;
	int channel;
};

static const struct {
	size_t map; /* where the skeleton keeps it */
} MAPS[] = {
	[NET_MAP_SESSIONS] = { offsetof(struct net_bpf, maps.sessions) },
	[NET_MAP_DENY_NETS] = { offsetof(struct net_bpf, maps.deny_nets) },
	[NET_MAP_ALLOW_NETS] = { offsetof(struct net_bpf, maps.allow_nets) },
	[NET_MAP_PORT_SETS] = { offsetof(struct net_bpf, maps.port_sets) },
	[NET_MAP_VOUCHED] = { offsetof(struct net_bpf, maps.vouched) },
	[NET_MAP_HOST_ADDRS] = { offsetof(struct net_bpf, maps.host_addrs) },
	[NET_MAP_RELAYED] = { offsetof(struct net_bpf, maps.relayed) },
	[NET_MAP_EVENTS] = { offsetof(struct net_bpf, maps.events) },
	[NET_MAP_SOCKS] = { offsetof(struct net_bpf, maps.socks) },
	[NET_MAP_BSS] = { offsetof(struct net_bpf, maps.bss) },
};
_Static_assert(ARRAY_SIZE(MAPS) == NET_MAPS, "a place for every map");

#define HOOK(name, type)                                                                           \
	{                                                                                          \
		offsetof(struct net_bpf, progs.pf_##name), type, #name                             \
	}

static const struct {
	size_t prog; /* where the skeleton keeps it */
	enum bpf_attach_type type;
	const char *word;
} HOOKS[] = {
	HOOK(ingress, BPF_CGROUP_INET_INGRESS),
	HOOK(egress, BPF_CGROUP_INET_EGRESS),
	HOOK(sock_create, BPF_CGROUP_INET_SOCK_CREATE),
	HOOK(bind4, BPF_CGROUP_INET4_BIND),
	HOOK(bind6, BPF_CGROUP_INET6_BIND),
	HOOK(connect4, BPF_CGROUP_INET4_CONNECT),
	HOOK(connect6, BPF_CGROUP_INET6_CONNECT),
	HOOK(sendmsg4, BPF_CGROUP_UDP4_SENDMSG),
	HOOK(sendmsg6, BPF_CGROUP_UDP6_SENDMSG),
	HOOK(recvmsg4, BPF_CGROUP_UDP4_RECVMSG),
	HOOK(recvmsg6, BPF_CGROUP_UDP6_RECVMSG),
	HOOK(getpeername4, BPF_CGROUP_INET4_GETPEERNAME),
	HOOK(getpeername6, BPF_CGROUP_INET6_GETPEERNAME),
};
_Static_assert(ARRAY_SIZE(HOOKS) == NET_HOOKS, "every program is attached");

static int load_error(struct pinfold_error *e, int rc)
{
	switch (rc) {
	case -EPERM:
	case -EACCES:
		return err_set(e, rc,
			       "network: the kernel refused to load the BPF programs: "
			       "CAP_BPF and CAP_NET_ADMIN are needed");
	case -ENOSYS:
		return err_set(e, rc, "network: this kernel has no bpf(2)");
	case -EINVAL:
		return err_set(e, rc,
			       "network: this kernel lacks something that the BPF programs "
			       "need (cgroup-bpf, Linux 6.1 or later)");
	default:
		return err_set(e, rc, "network: cannot load the BPF programs: %s", strerror(-rc));
	}
}

/* ---- here ----------------------------------------------------------------------------------- */

static int copy_fds(const struct net_bpf *skeleton, int ret[static NET_KERNEL_FDS])
{
	const char *at = (const char *)skeleton;

	for (size_t i = 0; i < NET_MAPS; i++)
		ret[i] = bpf_map__fd(*(struct bpf_map *const *)(const void *)(at + MAPS[i].map));
	for (size_t i = 0; i < NET_HOOKS; i++)
		ret[NET_MAPS + i] = bpf_program__fd(
		    *(struct bpf_program *const *)(const void *)(at + HOOKS[i].prog));
	for (size_t i = 0; i < NET_KERNEL_FDS; i++)
		if (ret[i] < 0)
			return -EBADF;
	return 0;
}

/* Loading is silent: libbpf's own words would go to standard error. */
static int load_skeleton(struct net_bpf **ret)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);
	struct net_bpf *skeleton = net_bpf__open_and_load();
	int rc = skeleton ? 0 : -errno;

	libbpf_set_print(before);
	if (rc == 0)
		*ret = skeleton;
	return rc;
}

static int load_here(int ret[static NET_KERNEL_FDS])
{
	struct net_bpf *skeleton = NULL;
	int fds[NET_KERNEL_FDS];
	int rc = load_skeleton(&skeleton);

	if (rc == 0)
		rc = copy_fds(skeleton, fds);
	for (size_t i = 0; rc == 0 && i < NET_KERNEL_FDS; i++) {
		ret[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		if (ret[i] < 0)
			rc = -errno;
	}
	net_bpf__destroy(skeleton);
	return rc;
}

/* ---- in a process of its own ---------------------------------------------------------------- */

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int) * NET_KERNEL_FDS)];
};

static int send_result(int channel, int rc, const int *fds)
{
	union control control;
	struct iovec body = { .iov_base = &rc, .iov_len = sizeof(rc) };
	struct msghdr m = { .msg_iov = &body, .msg_iovlen = 1 };

	if (rc == 0) {
		memset(&control, 0, sizeof(control));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * NET_KERNEL_FDS);
		memcpy(CMSG_DATA(&control.head), fds, sizeof(int) * NET_KERNEL_FDS);
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	return sendmsg(channel, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static _Noreturn void be_loader(int channel)
{
	struct net_bpf *skeleton = NULL;
	int fds[NET_KERNEL_FDS];
	int rc = load_skeleton(&skeleton);

	if (rc == 0)
		rc = copy_fds(skeleton, fds);
	_exit(send_result(channel, rc, fds) < 0);
}

int net_loader_start(struct net_loader **ret, struct pinfold_error *e)
{
	struct net_loader *l = calloc(1, sizeof(*l));
	int pair[2];

	if (!l)
		return err_set(e, -ENOMEM, "network: out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		free(l);
		return err_set(e, -errno, "network: cannot make a socket pair: %s",
			       strerror(errno));
	}
	l->pid = fork();
	if (l->pid == 0)
		be_loader(pair[1]);
	close(pair[1]);
	l->channel = pair[0];
	if (l->pid < 0) {
		int code = -errno;

		net_loader_free(l);
		return err_set(e, code, "network: cannot start the loader: %s", strerror(-code));
	}
	*ret = l;
	return 0;
}

static int receive_result(struct net_loader *l, int ret[static NET_KERNEL_FDS])
{
	union control control;
	int rc = -EPIPE;
	struct iovec body = { .iov_base = &rc, .iov_len = sizeof(rc) };
	struct msghdr m = { .msg_iov = &body,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(l->channel, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != sizeof(rc))
		return -EPIPE; /* it died */
	if (rc < 0)
		return rc;
	if (m.msg_controllen < sizeof(struct cmsghdr) || (m.msg_flags & MSG_CTRUNC) ||
	    control.head.cmsg_len != CMSG_LEN(sizeof(int) * NET_KERNEL_FDS))
		return -EMFILE;
	memcpy(ret, CMSG_DATA(&control.head), sizeof(int) * NET_KERNEL_FDS);
	return 0;
}

void net_loader_free(struct net_loader *l)
{
	if (!l)
		return;
	clean_close(&l->channel);
	if (l->pid > 0) {
		child_kill(l->pid);
		waitpid(l->pid, NULL, 0);
	}
	free(l);
}

/* ---- both ----------------------------------------------------------------------------------- */

int net_kernel_load(struct net_kernel *k, struct net_loader *loader, struct pinfold_error *e)
{
	int fds[NET_KERNEL_FDS];
	void *bss;
	int rc;

	memset(fds, -1, sizeof(fds));
	rc = loader ? receive_result(loader, fds) : load_here(fds);
	memcpy(k->map, fds, sizeof(k->map));
	memcpy(k->prog, fds + NET_MAPS, sizeof(k->prog));
	if (rc < 0)
		return load_error(e, rc);
	bss = mmap(NULL, sizeof(struct net_bpf__bss), PROT_READ | PROT_WRITE, MAP_SHARED,
		   k->map[NET_MAP_BSS], 0);
	if (bss == MAP_FAILED)
		return load_error(e, -errno);
	k->bss = bss;
	k->generation = &((struct net_bpf__bss *)bss)->generation;
	return 0;
}

void net_kernel_hooks(const struct net_kernel *k, struct net_hook ret[NET_HOOKS])
{
	for (size_t i = 0; i < NET_HOOKS; i++)
		ret[i] = (struct net_hook){ k->prog[i], HOOKS[i].type, HOOKS[i].word };
}

void net_kernel_init(struct net_kernel *k)
{
	memset(k->map, -1, sizeof(k->map));
	memset(k->prog, -1, sizeof(k->prog));
	k->generation = NULL;
	k->bss = NULL;
}

void net_kernel_done(struct net_kernel *k)
{
	if (k->bss)
		munmap(k->bss, sizeof(struct net_bpf__bss));
	for (size_t i = 0; i < NET_MAPS; i++)
		clean_close(&k->map[i]);
	for (size_t i = 0; i < NET_HOOKS; i++)
		clean_close(&k->prog[i]);
	net_kernel_init(k);
}
