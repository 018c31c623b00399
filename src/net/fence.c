/* SPDX-License-Identifier: MIT */
/*
 * DOC: life of the fence.  new: open and load the programs, fill the rule maps.  attach: attach,
 * ask the kernel what is effective, and only then fill the storage of the cgroup; until that
 * moment its sockets are denied everything.  The programs hold the maps, and the cgroup holds the
 * programs: what happens to this process changes nothing.
 */
#include "net/fence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "base/err.h"
#include "net/fill.h"
#include "net/inner.h"
#include "policy/policy.h"

#define EFFECTIVE_MAX 64

static int fill_rules(struct net_fence *f, struct pinfold_error *e)
{
	int rc = net_tables_build(f->policy, &f->tables, e);

	f->rules = ++f->last_rules;
	if (rc < 0)
		return rc;
	rc = net_fill(&f->kernel, f->rules, &f->tables);
	return rc < 0 ? err_set(e, rc, "network: cannot fill the rule maps: %s", strerror(-rc)) : 0;
}

static bool host_has(const struct net_host *h, const union pf_addr *a)
{
	for (size_t i = 0; i < h->n; i++)
		if (memcmp(&h->addr[i], a, sizeof(*a)) == 0)
			return true;
	return false;
}

/* New addresses go in before old ones go out. */
static int refresh_host(struct net_fence *f)
{
	const int map = f->kernel.map[NET_MAP_HOST_ADDRS];
	const __u32 yes = 1;
	struct net_host now = { 0 };
	int rc = net_host_list(&now);

	for (size_t i = 0; rc == 0 && i < now.n; i++)
		rc = bpf_map_update_elem(map, &now.addr[i], &yes, BPF_ANY);
	if (rc < 0) {
		net_host_done(&now);
		return rc;
	}
	for (size_t i = 0; i < f->host.n; i++)
		if (!host_has(&now, &f->host.addr[i]))
			bpf_map_delete_elem(map, &f->host.addr[i]);
	net_host_done(&f->host);
	f->host = now;
	(*f->kernel.generation)++;
	return 0;
}

static int follow_host(struct net_fence *f, struct pinfold_error *e)
{
	int rc = net_host_open(&f->host_fd, e);

	if (rc < 0)
		return rc;
	rc = refresh_host(f);
	if (rc < 0)
		return err_set(e, rc, "network: cannot read the host's addresses: %s",
			       strerror(-rc));
	return 0;
}

int net_fence_new(const struct policy *p, struct net_loader *loader, struct net_fence **ret,
		  struct pinfold_error *e)
{
	struct net_fence *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_set(e, -ENOMEM, "network: out of memory");
	f->policy = p;
	f->host_fd = -1;
	net_kernel_init(&f->kernel);
	rc = net_kernel_load(&f->kernel, loader, e);
	if (rc == 0)
		rc = fill_rules(f, e);
	if (rc == 0)
		rc = follow_host(f, e);
	if (rc == 0)
		rc = net_fence_open_vouched(f, e);
	if (rc == 0)
		rc = net_fence_open_events(f, e);
	if (rc < 0) {
		net_fence_free(f);
		return rc;
	}
	*ret = f;
	return 0;
}

static int program_id(int fd, __u32 *ret)
{
	struct bpf_prog_info info;
	__u32 len = sizeof(info);
	int rc;

	memset(&info, 0, sizeof(info));
	rc = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (rc == 0)
		*ret = info.id;
	return rc;
}

int net_hook_is_effective(const struct net_hook *h, int cgroup_fd)
{
	__u32 ids[EFFECTIVE_MAX];
	__u32 n = EFFECTIVE_MAX;
	__u32 flags = 0;
	__u32 id = 0;
	int rc = program_id(h->prog_fd, &id);

	if (rc == 0)
		rc = bpf_prog_query(cgroup_fd, (enum bpf_attach_type)h->type, BPF_F_QUERY_EFFECTIVE,
				    &flags, ids, &n);
	for (__u32 i = 0; rc == 0 && i < n; i++)
		if (ids[i] == id)
			return 0;
	return rc < 0 ? rc : -ENOLINK;
}

static int attach_hook(const struct net_hook *h, int cgroup_fd, struct pinfold_error *e)
{
	int rc = bpf_prog_attach(h->prog_fd, cgroup_fd, (enum bpf_attach_type)h->type,
				 BPF_F_ALLOW_MULTI);

	if (rc < 0)
		return err_set(e, rc, "network: cannot attach %s to the cgroup: %s%s", h->word,
			       strerror(-rc),
			       rc == -EPERM ? " (CAP_NET_ADMIN is missing, or a parent cgroup "
					      "forbids it)"
					    : "");
	rc = net_hook_is_effective(h, cgroup_fd);
	if (rc < 0)
		return err_set(e, rc, "network: %s was attached but is not effective: %s", h->word,
			       strerror(-rc));
	return 0;
}

void net_fence_observe(struct net_fence *f)
{
	f->observes = true;
}

static __u32 session_flags(const struct net_fence *f)
{
	if (!f->observes)
		return f->tables.flags;
	return (f->tables.flags & ~PF_WITH_METADATA) | PF_OBSERVE;
}

_Static_assert(NET_RESOLVER_PORTS == PF_RESOLVER_PORTS, "the kernel side knows as many");

void net_fence_describe(const struct net_fence *f, struct pf_session *ret)
{
	const int code = f->policy->net.deny_errno;

	*ret = (struct pf_session){
		.id = NET_SESSION_ID,
		.flags = session_flags(f),
		.rules = f->rules,
		.cut = f->cut,
		.relay_port = f->relay_port,
		.deny_errno = (__u16)(code ? code : EPERM),
	};
	memcpy(ret->resolver_port, f->resolver_port, sizeof(ret->resolver_port));
}

int net_fence_attach(struct net_fence *f, int cgroup_fd, const struct net_resolver *resolver,
		     struct pinfold_error *e)
{
	struct pf_session session;
	struct net_hook hooks[NET_HOOKS + NET_UNIX_HOOKS];
	size_t n = NET_HOOKS;
	struct stat st;
	__u64 key;
	int rc = 0;

	if (fstat(cgroup_fd, &st) < 0)
		return err_set(e, -errno, "network: cannot look at the cgroup: %s",
			       strerror(errno));
	net_kernel_hooks(&f->kernel, hooks);
	if (f->unix_hooks)
		n += net_unix_hooks(f->unix_hooks, hooks + NET_HOOKS);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = attach_hook(&hooks[i], cgroup_fd, e);
	if (rc < 0)
		return rc;
	key = st.st_ino; /* a cgroup's id is its inode number */
	if (resolver)
		memcpy(f->resolver_port, resolver->port, sizeof(f->resolver_port));
	f->relay_port = resolver ? resolver->relay_port : 0;
	net_fence_describe(f, &session);
	rc = bpf_map_update_elem(f->kernel.map[NET_MAP_SESSIONS], &key, &session, BPF_EXIST);
	if (rc < 0)
		return err_set(e, rc, "network: cannot fill the cgroup's storage: %s",
			       strerror(-rc));
	f->cgroup_id = key;
	return 0;
}

int net_fence_forget(struct net_fence *f)
{
	const struct pf_session empty = { 0 };

	return bpf_map_update_elem(f->kernel.map[NET_MAP_SESSIONS], &f->cgroup_id, &empty,
				   BPF_EXIST);
}

int net_fence_unix_trees(struct net_fence *f, const struct net_unix_tree *trees, size_t n)
{
	int rc = 0;

	if (!f->unix_hooks)
		rc = net_unix_load(f->kernel.map[NET_MAP_SESSIONS], f->kernel.map[NET_MAP_EVENTS],
				   &f->unix_hooks);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = net_unix_add(f->unix_hooks, trees[i].path, trees[i].is_own);
	return rc;
}

int net_fence_host_fd(const struct net_fence *f)
{
	return f->host_fd;
}

int net_fence_read_host(struct net_fence *f)
{
	return net_host_drain(f->host_fd) ? refresh_host(f) : 0;
}

void net_fence_counts(const struct net_fence *f, struct net_counts *ret)
{
	struct pf_session s = { 0 };

	bpf_map_lookup_elem(f->kernel.map[NET_MAP_SESSIONS], &f->cgroup_id, &s);
	ret->allowed = s.allowed + f->verified;
	ret->denied = s.denied + f->mismatched;
	ret->lost = s.lost;
	ret->evicted = vouch_table_evicted(f->vouched);
}

void net_fence_free(struct net_fence *f)
{
	if (!f)
		return;
	net_fence_close_events(f);
	vouch_table_free(f->vouched);
	net_tables_done(&f->tables);
	net_host_done(&f->host);
	clean_close(&f->host_fd);
	net_unix_free(f->unix_hooks);
	net_kernel_done(&f->kernel);
	free(f);
}
