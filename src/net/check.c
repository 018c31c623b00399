/* SPDX-License-Identifier: MIT */
/* Whether the fence is still what it was made to be, asked of the kernel. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "base/err.h"
#include "net/inner.h"

static int check_programs(const struct net_fence *f, int cgroup_fd, struct pinfold_error *e)
{
	struct net_hook hooks[NET_HOOKS + NET_UNIX_HOOKS];
	size_t n = NET_HOOKS;

	net_kernel_hooks(&f->kernel, hooks);
	if (f->unix_hooks)
		n += net_unix_hooks(f->unix_hooks, hooks + NET_HOOKS);
	for (size_t i = 0; i < n; i++) {
		int rc = net_hook_is_effective(&hooks[i], cgroup_fd);

		if (rc < 0)
			return err_set(e, rc, "%s is not attached: %s", hooks[i].word,
				       strerror(-rc));
	}
	return 0;
}

static int check_session(const struct net_fence *f, struct pinfold_error *e)
{
	struct pf_session want;
	struct pf_session has;
	int rc = bpf_map_lookup_elem(f->kernel.map[NET_MAP_SESSIONS], &f->cgroup_id, &has);

	if (rc < 0)
		return err_set(e, rc, "the cgroup's storage is gone: %s", strerror(-rc));
	net_fence_describe(f, &want);
	if (has.id != want.id || has.flags != want.flags || has.rules != want.rules ||
	    memcmp(has.resolver_port, want.resolver_port, sizeof(want.resolver_port)) != 0 ||
	    has.deny_errno != want.deny_errno)
		return err_set(e, -EBADMSG, "the cgroup's storage does not hold this session");
	return 0;
}

union trie_key {
	struct pf_net_key net;
	struct pf_port_key port;
};

/* How many keys of a map belong to the rules that hold. */
static size_t count_keys(int map, uint32_t rules, bool is_port)
{
	union trie_key key;
	union trie_key next;
	const void *from = NULL;
	size_t n = 0;

	while (bpf_map_get_next_key(map, from, &next) == 0) {
		n += (is_port ? next.port.rules : next.net.rules) == rules;
		key = next;
		from = &key;
	}
	return n;
}

static int check_rules(const struct net_fence *f, struct pinfold_error *e)
{
	const struct {
		const char *word;
		enum net_map map;
		size_t n;
		bool is_port;
	} MAPS[] = {
		{ "denied", NET_MAP_DENY_NETS, f->tables.n_prefix[PF_TRIE_DENY], false },
		{ "allowed", NET_MAP_ALLOW_NETS, f->tables.n_prefix[PF_TRIE_ALLOW], false },
		{ "ports", NET_MAP_PORT_SETS, f->tables.n_port, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(MAPS); i++) {
		size_t n = count_keys(f->kernel.map[MAPS[i].map], f->rules, MAPS[i].is_port);

		if (n != MAPS[i].n)
			return err_set(e, -EBADMSG, "of %zu rules in the map '%s' there are %zu",
				       MAPS[i].n, MAPS[i].word, n);
	}
	return 0;
}

int net_fence_check(const struct net_fence *f, int cgroup_fd, struct pinfold_error *e)
{
	int rc = check_programs(f, cgroup_fd, e);

	if (rc == 0)
		rc = check_session(f, e);
	return rc < 0 ? rc : check_rules(f, e);
}
