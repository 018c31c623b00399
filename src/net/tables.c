/* SPDX-License-Identifier: MIT */
#include "net/tables.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/policy.h"

/* One literal of one entry. */
struct literal {
	union pf_addr addr;
	unsigned len;
	uint32_t rule;
	const struct net_rule *entry; /* borrowed from the policy; NULL: a barrier */
};

union pf_addr net_addr(const struct addr *a)
{
	union pf_addr r;

	memcpy(r.b, a->b, sizeof(r.b));
	return r;
}

static union pf_addr v4(uint32_t network_order)
{
	const struct addr a = addr_from_v4(network_order);

	return net_addr(&a);
}

static union pf_addr v6_loopback(void)
{
	return (union pf_addr){ .b = { [15] = 1 } };
}

static bool prefix_covers(const union pf_addr *net, unsigned len, const union pf_addr *a)
{
	struct addr x;
	struct addr y;

	memcpy(x.b, a->b, sizeof(x.b));
	memcpy(y.b, net->b, sizeof(y.b));
	return addr_in_prefix(&x, &y, len);
}

bool net_block_has(const struct net_block *b, uint16_t port)
{
	return ((unsigned)(b->port ^ port) >> (16 - b->len)) == 0;
}

size_t net_range_split(uint16_t low, uint16_t high, struct net_block ret[NET_RANGE_PARTS_MAX])
{
	uint32_t at = low;
	size_t n = 0;

	while (at <= high && n < NET_RANGE_PARTS_MAX) {
		unsigned bits = 0; /* that vary inside the block */

		while (bits < 16 && (at & ((2u << bits) - 1)) == 0 && at + (2u << bits) - 1 <= high)
			bits++;
		ret[n].port = (uint16_t)at;
		ret[n].len = (uint8_t)(16 - bits);
		n++;
		at += 1u << bits;
	}
	return n;
}

const struct net_rule *net_rule_of(const struct policy *p, uint32_t index)
{
	const struct net_rules *rules = (index & PF_RULE_DENY) ? &p->net.deny : &p->net.allow;
	size_t at = index & ~(PF_RULE_DENY | PF_RULE_VERIFY);

	if (index == PF_RULE_NONE || at >= rules->n)
		return NULL;
	return &rules->rule[at];
}

uint32_t net_tables_find_prefix(const struct net_tables *t, enum pf_tries which,
				const union pf_addr *a)
{
	const struct net_prefix *best = NULL;

	for (size_t i = 0; i < t->n_prefix[which]; i++) {
		const struct net_prefix *p = &t->prefix[which][i];

		if (prefix_covers(&p->addr, p->len, a) && (!best || p->len > best->len))
			best = p;
	}
	return best ? best->set : PF_SET_NONE;
}

static size_t first_of_set(const struct net_tables *t, uint32_t set)
{
	size_t low = 0;
	size_t high = t->n_port;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->port[middle].set < set)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool net_tables_find_port(const struct net_tables *t, uint32_t set, const struct pf_ask *ask,
			  uint32_t *ret_rule)
{
	const struct net_port *best = NULL;

	for (size_t i = first_of_set(t, set); i < t->n_port && t->port[i].set == set; i++) {
		const struct net_port *p = &t->port[i];

		if (p->proto != ask->proto || !net_block_has(&p->block, ask->port))
			continue;
		if (!best || p->block.len > best->block.len)
			best = p;
	}
	if (best)
		*ret_rule = best->rule;
	return best != NULL;
}

static int add_block(struct net_tables *t, const struct net_port *port)
{
	if (t->n_port == NET_PORTS_MAX)
		return -E2BIG;
	if (t->n_port == t->port_space) {
		size_t space = t->port_space ? t->port_space * 2 : 64;
		struct net_port *bigger = reallocarray(t->port, space, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		t->port = bigger;
		t->port_space = space;
	}
	t->port[t->n_port++] = *port;
	return 0;
}

struct port_range {
	uint16_t low;
	uint16_t high;
	unsigned protos;
	uint32_t rule;
};

static int add_range(struct net_tables *t, uint32_t set, const struct port_range *r)
{
	static const struct {
		unsigned bit;
		uint16_t proto;
	} PROTOS[] = { { PROTO_TCP, PF_TCP }, { PROTO_UDP, PF_UDP } };
	struct net_block blocks[NET_RANGE_PARTS_MAX];
	size_t n = net_range_split(r->low, r->high, blocks);
	const struct net_port ping = { set, PF_ICMP, { 0, 0 }, r->rule };
	int rc = 0;

	if (t->flags & PF_WITH_ICMP) /* it has no ports: any entry of the address speaks of it */
		rc = add_block(t, &ping);
	for (size_t i = 0; i < ARRAY_SIZE(PROTOS); i++) {
		if (!(r->protos & PROTOS[i].bit))
			continue;
		for (size_t k = 0; k < n && rc == 0; k++) {
			const struct net_port port = { set, PROTOS[i].proto, blocks[k], r->rule };

			rc = add_block(t, &port);
		}
	}
	return rc;
}

static int add_rule(struct net_tables *t, uint32_t set, const struct net_rule *r, uint32_t index)
{
	const struct port_range range = { r->port_low, r->port_high, r->protos, index };

	return add_range(t, set, &range);
}

static int compare_literals(const void *va, const void *vb)
{
	const struct literal *a = va;
	const struct literal *b = vb;
	int order = memcmp(a->addr.b, b->addr.b, sizeof(a->addr.b));

	if (order == 0)
		order = (a->len > b->len) - (a->len < b->len);
	if (order == 0)
		order = (a->rule > b->rule) - (a->rule < b->rule);
	return order;
}

static int compare_blocks(const void *va, const void *vb)
{
	const struct net_port *a = va;
	const struct net_port *b = vb;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->proto != b->proto)
		return a->proto < b->proto ? -1 : 1;
	if (a->block.port != b->block.port)
		return a->block.port < b->block.port ? -1 : 1;
	return (a->block.len > b->block.len) - (a->block.len < b->block.len);
}

static bool must_verify(uint32_t rule)
{
	return rule != PF_RULE_NONE && (rule & (PF_RULE_DENY | PF_RULE_INBOUND)) == 0 &&
	       (rule & PF_RULE_VERIFY);
}

/* Of two entries for a port the one that wants a verified name holds.  Blocks are sorted, what
 * covers before what is covered, and either hold one another or have nothing in common. */
static void inherit_verify(struct net_tables *t)
{
	const struct net_port *cover = NULL;

	for (size_t i = 0; i < t->n_port; i++) {
		struct net_port *p = &t->port[i];

		if (cover && (cover->set != p->set || cover->proto != p->proto ||
			      !net_block_has(&cover->block, p->block.port)))
			cover = NULL;
		if (cover)
			p->rule |= PF_RULE_VERIFY;
		else if (must_verify(p->rule))
			cover = p;
	}
}

/* Keeps one of each block of a set.  Which entry names it does not change the verdict, but for
 * verifying. */
static void sort_ports(struct net_tables *t)
{
	size_t kept = 0;

	if (t->n_port == 0)
		return;
	qsort(t->port, t->n_port, sizeof(*t->port), compare_blocks);
	for (size_t i = 1; i < t->n_port; i++) {
		if (compare_blocks(&t->port[kept], &t->port[i]) != 0)
			t->port[++kept] = t->port[i];
		else if (must_verify(t->port[i].rule))
			t->port[kept].rule |= PF_RULE_VERIFY;
	}
	t->n_port = kept + 1;
	inherit_verify(t);
}

static const union pf_addr NAT64 = { .b = { 0, 0x64, 0xff, 0x9b } };
static const union pf_addr TRANSLATED = { .b = { [8] = 0xff, 0xff } };
static const union pf_addr SIX_TO_FOUR = { .b = { 0x20, 0x02 } };

/* A prefix of a form with an IPv4 address inside stands for that address, as verdicts do. */
static void unwrap(struct literal *l)
{
	uint32_t inside;

	if (l->len >= 96 &&
	    (prefix_covers(&NAT64, 96, &l->addr) || prefix_covers(&TRANSLATED, 96, &l->addr))) {
		memcpy(&inside, l->addr.b + 12, sizeof(inside));
	} else if (l->len >= 16 && prefix_covers(&SIX_TO_FOUR, 16, &l->addr)) {
		memcpy(&inside, l->addr.b + 2, sizeof(inside));
		l->len = l->len < 48 ? l->len + 80 : NET_ADDR_LEN_MAX;
	} else {
		return;
	}
	l->addr = v4(inside);
}

/* Literals of the entries of one list, unsorted.  ret has room for two each and two barriers. */
static size_t collect(const struct net_rules *rules, enum pf_tries which, struct literal *ret)
{
	const uint32_t base = which == PF_TRIE_DENY ? PF_RULE_DENY : 0;
	size_t n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		const struct net_rule *r = &rules->rule[i];
		struct literal l = { .rule = base | (uint32_t)i, .entry = r };

		if (r->host == HOST_LOCALHOST) {
			l.len = NET_ADDR_LEN_MAX;
			l.addr = v4(htonl(INADDR_LOOPBACK));
			ret[n++] = l;
			l.addr = v6_loopback();
			ret[n++] = l;
		} else if (r->host == HOST_PREFIX) {
			l.len = r->prefix_len;
			l.addr = net_addr(&r->addr);
			unwrap(&l);
			ret[n++] = l;
		} else if (r->host == HOST_ANY && which == PF_TRIE_DENY) {
			ret[n++] = l;
		}
	}
	if (which == PF_TRIE_DENY)
		return n;
	/* Loopback is opened by an entry that names loopback, not by one that happens to cover it:
	 * these stop inheritance. */
	ret[n++] = (struct literal){ v4(htonl(0x7f000000)), 104, PF_RULE_NONE, NULL };
	ret[n++] = (struct literal){ v6_loopback(), NET_ADDR_LEN_MAX, PF_RULE_NONE, NULL };
	return n;
}

/* literals [first, end) are those of one prefix. */
struct node {
	size_t first;
	size_t end;
	bool barrier;
};

static int fill_set(struct net_tables *t, uint32_t set, const struct literal *l,
		    const struct node *node)
{
	int rc = 0;

	for (size_t i = node->first; i < node->end && rc == 0; i++)
		if (l[i].entry)
			rc = add_rule(t, set, l[i].entry, l[i].rule);
	return rc;
}

static struct node next_node(const struct literal *l, size_t n, size_t first)
{
	struct node node = { first, first, false };

	while (node.end < n && l[node.end].len == l[first].len &&
	       memcmp(&l[node.end].addr, &l[first].addr, sizeof(l->addr)) == 0) {
		node.barrier |= !l[node.end].entry;
		node.end++;
	}
	return node;
}

/* Sorted literals are a trie in pre-order: the prefixes that cover the current one are a stack. */
static int build_tries(struct net_tables *t, enum pf_tries which, const struct literal *l, size_t n)
{
	struct node above[NET_ADDR_LEN_MAX + 2];
	size_t depth = 0;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i = above[depth - 1].end) {
		struct net_prefix *p = &t->prefix[which][t->n_prefix[which]++];

		while (depth > 0 && !prefix_covers(&l[above[depth - 1].first].addr,
						   l[above[depth - 1].first].len, &l[i].addr))
			depth--;
		above[depth++] = next_node(l, n, i);
		p->addr = l[i].addr;
		p->len = l[i].len;
		p->set = PF_SET_FIRST +
			 (uint32_t)(t->n_prefix[PF_TRIE_DENY] + t->n_prefix[PF_TRIE_ALLOW]);
		for (size_t d = depth; d-- > 0 && rc == 0;) {
			rc = fill_set(t, p->set, l, &above[d]);
			if (above[d].barrier)
				break;
		}
	}
	return rc;
}

static int add_literals(struct net_tables *t, const struct net_rules *rules, enum pf_tries which)
{
	auto_free struct literal *l = calloc(rules->n * 2 + 2, sizeof(*l));
	size_t n;

	if (!l)
		return -ENOMEM;
	n = collect(rules, which, l);
	t->prefix[which] = calloc(n + 1, sizeof(*t->prefix[which]));
	if (!t->prefix[which])
		return -ENOMEM;
	qsort(l, n, sizeof(*l), compare_literals);
	return build_tries(t, which, l, n);
}

/* The sets that no prefix leads to: "*" and inbound. */
static int add_fixed_sets(struct net_tables *t, const struct net_policy *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->allow.n && rc == 0; i++) {
		if (p->allow.rule[i].host != HOST_ANY)
			continue;
		t->flags |= PF_HAS_ANY;
		rc = add_rule(t, PF_SET_ANY, &p->allow.rule[i],
			      (uint32_t)i | (p->allow.rule[i].verify_sni ? PF_RULE_VERIFY : 0));
	}
	for (size_t i = 0; i < p->n_inbound && rc == 0; i++) {
		const struct inbound_rule *r = &p->inbound[i];
		const struct port_range range = { r->port, r->port, r->protos,
						  PF_RULE_INBOUND | (uint32_t)i };

		t->flags |= PF_HAS_INBOUND;
		rc = add_range(t, r->loopback_only ? PF_SET_INBOUND_LOCAL : PF_SET_INBOUND, &range);
	}
	return rc;
}

static uint32_t policy_flags(const struct policy *p)
{
	return (p->net.icmp ? PF_WITH_ICMP : 0) | (p->net.allow_metadata ? PF_WITH_METADATA : 0) |
	       (p->audit.allowed ? PF_TELL_ALLOWED : 0);
}

int net_tables_build(const struct policy *p, struct net_tables *ret, struct pinfold_error *e)
{
	struct net_tables t = { .flags = policy_flags(p) };
	int rc = add_fixed_sets(&t, &p->net);

	if (rc == 0)
		rc = add_literals(&t, &p->net.deny, PF_TRIE_DENY);
	if (rc == 0)
		rc = add_literals(&t, &p->net.allow, PF_TRIE_ALLOW);
	if (rc < 0) {
		net_tables_done(&t);
		return err_set(e, rc,
			       rc == -E2BIG ? "network: too many entries cover one another"
					    : "network: out of memory for the rules");
	}
	sort_ports(&t);
	t.flags |= t.n_prefix[PF_TRIE_DENY] ? PF_HAS_DENY : 0;
	*ret = t;
	return 0;
}

void net_tables_done(struct net_tables *t)
{
	free(t->prefix[PF_TRIE_DENY]);
	free(t->prefix[PF_TRIE_ALLOW]);
	free(t->port);
	memset(t, 0, sizeof(*t));
}
