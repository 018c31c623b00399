/* SPDX-License-Identifier: MIT */
/*
 * DOC: new rules for a session that runs.  Rules have a number, which stands in the key of every
 * entry that is theirs.  The new ones are put into the maps next to the old ones, the vouched
 * addresses too, and then one update of the session's storage makes programs use the new number.
 * Each run of a program reads the storage once, so it judges by the old rules or by the new ones,
 * never by a mixture.  What an old verdict left in a socket carries the number and counts no more.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "net/fill.h"
#include "net/grace.h"
#include "net/inner.h"
#include "policy/policy.h"

/* Rules and all that is theirs. */
struct rule_set {
	const struct policy *policy;
	uint32_t rules;
	uint32_t cut;
	unsigned slot;
	struct net_tables tables;
	struct vouch_table *vouched;
};

static int build(struct net_fence *f, struct rule_set *n, struct pinfold_error *e)
{
	int rc = net_tables_build(n->policy, &n->tables, e);

	if (rc < 0)
		return rc;
	rc = net_fill(&f->kernel, n->rules, &n->tables);
	if (rc < 0)
		return err_set(e, rc, "network: cannot fill the rule maps: %s", strerror(-rc));
	f->target[n->slot] = (struct net_vouch_target){ &f->kernel, n->rules };
	rc = net_fence_new_vouched(n->policy, &f->target[n->slot], &n->vouched);
	if (rc == 0)
		rc = vouch_table_adopt(n->vouched, f->vouched);
	if (rc < 0)
		return err_set(e, rc, "network: cannot take over the known addresses: %s",
			       strerror(-rc));
	return 0;
}

/* What a program may still look at stays in the maps, where nobody asks for it any more. */
static void drop(const struct net_fence *f, struct rule_set *n, bool unused)
{
	if (unused)
		net_unfill(&f->kernel, n->rules, &n->tables);
	vouch_table_free(n->vouched);
	net_tables_done(&n->tables);
}

static void exchange(struct net_fence *f, struct rule_set *n)
{
	const struct rule_set was = {
		.policy = f->policy,
		.rules = f->rules,
		.cut = f->cut,
		.slot = f->slot,
		.tables = f->tables,
		.vouched = f->vouched,
	};

	f->policy = n->policy;
	f->rules = n->rules;
	f->cut = n->cut;
	f->slot = n->slot;
	f->tables = n->tables;
	f->vouched = n->vouched;
	*n = was;
}

/* The counts are in the storage too, and go on. */
static int switch_over(const struct net_fence *f)
{
	const int map = f->kernel.map[NET_MAP_SESSIONS];
	struct pf_session session;
	struct pf_session before;
	int rc = bpf_map_lookup_elem(map, &f->cgroup_id, &before);

	if (rc < 0)
		return rc;
	net_fence_describe(f, &session);
	session.allowed = before.allowed;
	session.denied = before.denied;
	session.lost = before.lost;
	return bpf_map_update_elem(map, &f->cgroup_id, &session, BPF_EXIST);
}

/* The fence goes on with the rules in n, and n has those before; or all stays as it was. */
static int take_turns(struct net_fence *f, struct rule_set *n, struct pinfold_error *e)
{
	int rc;

	exchange(f, n);
	rc = switch_over(f);
	if (rc == 0)
		return 0;
	exchange(f, n);
	return err_set(e, rc, "network: cannot switch to the new rules: %s", strerror(-rc));
}

int net_fence_reload(struct net_fence *f, const struct policy *p, struct pinfold_error *e)
{
	struct rule_set other = {
		.policy = p,
		.rules = ++f->last_rules,
		.cut = f->cut,
		.slot = !f->slot,
	};
	struct net_grace grace;
	int rc = net_grace_open(&grace);

	if (rc < 0)
		return err_set(e, rc, "network: cannot wait for running programs: %s",
			       strerror(-rc));
	if (p->net.on_revoke == REVOKE_CUT)
		other.cut = other.rules;
	rc = build(f, &other, e);
	if (rc == 0)
		rc = take_turns(f, &other, e);
	drop(f, &other, rc < 0 || net_grace_wait(&grace) == 0);
	net_grace_close(&grace);
	return rc;
}
