/* SPDX-License-Identifier: MIT */
#include "net/vouch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "policy/names.h"
#include "policy/policy.h"

#define BUCKETS 4096

struct owner {
	char *name;
	uint64_t until;
};

/* An address; in a bucket's chain and in the list from the longest idle to the newest. */
struct vouched {
	union pf_addr addr;
	struct owner *owner; /* the newest last */
	size_t n_owner;
	struct vouch_block *block; /* what the sink holds */
	size_t n_block;
	uint64_t until; /* the latest of its owners */
	struct vouched *chain;
	struct vouched *older;
	struct vouched *newer;
};

struct vouch_table {
	const struct policy *policy; /* borrowed */
	struct vouch_sink sink;
	struct vouched *bucket[BUCKETS];
	struct vouched *oldest;
	struct vouched *newest;
	size_t n;
	uint64_t evicted; /* that still counted */
	uint64_t now;     /* of the last tick */
};

/* Blocks under construction. */
struct blocks {
	struct vouch_block b[VOUCH_BLOCKS_MAX];
	size_t n;
};

static size_t bucket_of(const union pf_addr *a)
{
	uint64_t h = (a->d[0] ^ (a->d[1] * 0x9e3779b97f4a7c15ULL)) * 0xbf58476d1ce4e5b9ULL;

	return (size_t)(h >> 52) % BUCKETS;
}

static struct vouched *find(const struct vouch_table *t, const union pf_addr *a)
{
	struct vouched *v = t->bucket[bucket_of(a)];

	while (v && memcmp(&v->addr, a, sizeof(*a)) != 0)
		v = v->chain;
	return v;
}

static void unlink_age(struct vouch_table *t, struct vouched *v)
{
	*(v->older ? &v->older->newer : &t->oldest) = v->newer;
	*(v->newer ? &v->newer->older : &t->newest) = v->older;
}

static void link_newest(struct vouch_table *t, struct vouched *v)
{
	v->older = t->newest;
	v->newer = NULL;
	*(t->newest ? &t->newest->newer : &t->oldest) = v;
	t->newest = v;
}

static void forget(struct vouch_table *t, struct vouched *v)
{
	struct vouched **at = &t->bucket[bucket_of(&v->addr)];

	while (*at != v)
		at = &(*at)->chain;
	*at = v->chain;
	unlink_age(t, v);
	for (size_t i = 0; i < v->n_block; i++)
		t->sink.del(t->sink.data, &v->addr, &v->block[i]);
	for (size_t i = 0; i < v->n_owner; i++)
		free(v->owner[i].name);
	free(v->owner);
	free(v->block);
	free(v);
	t->n--;
}

static int remember(struct vouch_table *t, const union pf_addr *a, struct vouched **ret)
{
	struct vouched *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	while (t->oldest && t->n >= t->policy->net.dns.max_addresses) {
		t->evicted += t->oldest->until > t->now;
		forget(t, t->oldest);
	}
	v->addr = *a;
	v->chain = t->bucket[bucket_of(a)];
	t->bucket[bucket_of(a)] = v;
	link_newest(t, v);
	t->n++;
	*ret = v;
	return 0;
}

/* Makes name the newest owner of v. */
static int own(struct vouched *v, const char *name, uint64_t until)
{
	struct owner o = { NULL, until };
	size_t i = 0;

	while (i < v->n_owner && strcmp(v->owner[i].name, name) != 0)
		i++;
	if (i < v->n_owner) {
		o.name = v->owner[i].name;
		o.until = until > v->owner[i].until ? until : v->owner[i].until;
		memmove(&v->owner[i], &v->owner[i + 1], (v->n_owner - i - 1) * sizeof(o));
		v->owner[v->n_owner - 1] = o;
		return 0;
	}
	if (v->n_owner == VOUCH_OWNERS_MAX) { /* the one that was asked for longest ago */
		free(v->owner[0].name);
		memmove(&v->owner[0], &v->owner[1], (v->n_owner - 1) * sizeof(o));
		v->n_owner--;
	}
	struct owner *bigger = reallocarray(v->owner, v->n_owner + 1, sizeof(o));

	if (!bigger)
		return -ENOMEM;
	v->owner = bigger;
	o.name = strdup(name);
	if (!o.name)
		return -ENOMEM;
	v->owner[v->n_owner++] = o;
	return 0;
}

/* Of two entries for a port the one that wants a verified name holds, as long as it is known: who
 * asked for that of an address would not have another entry take it back. */
static int add_block(struct blocks *to, const struct vouch_block *b)
{
	bool verify;

	for (size_t i = 0; i < to->n; i++) {
		struct vouch_block *have = &to->b[i];

		if (have->proto != b->proto || have->block.port != b->block.port ||
		    have->block.len != b->block.len)
			continue;
		verify = have->verify || b->verify;
		if (have->until < b->until)
			*have = *b;
		have->verify = verify;
		return 0;
	}
	if (to->n == VOUCH_BLOCKS_MAX)
		return -E2BIG;
	to->b[to->n++] = *b;
	return 0;
}

static int add_rule_blocks(struct blocks *to, const struct net_rule *r, uint32_t rule,
			   uint64_t until)
{
	struct net_block parts[NET_RANGE_PARTS_MAX];
	size_t n = net_range_split(r->port_low, r->port_high, parts);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		struct vouch_block b = { PF_TCP, parts[i], rule, until, r->verify_sni };

		if (r->protos & PROTO_TCP)
			rc = add_block(to, &b);
		b.proto = PF_UDP;
		if (rc == 0 && (r->protos & PROTO_UDP))
			rc = add_block(to, &b);
	}
	return rc;
}

static bool covers(const struct vouch_block *outer, const struct vouch_block *inner)
{
	return outer->proto == inner->proto && outer->block.len < inner->block.len &&
	       net_block_has(&outer->block, inner->block.port);
}

/* A longer block hides a shorter one that covers it, so it must live as long, and be as strict. */
static void inherit(struct blocks *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct vouch_block *inner = &all->b[i];

		for (size_t k = 0; k < all->n; k++) {
			if (!covers(&all->b[k], inner))
				continue;
			inner->verify |= all->b[k].verify;
			if (all->b[k].until <= inner->until)
				continue;
			inner->until = all->b[k].until;
			inner->rule = all->b[k].rule;
		}
	}
}

static int collect(const struct vouch_table *t, const struct vouched *v, struct blocks *ret)
{
	const struct net_rules *allow = &t->policy->net.allow;
	struct vouch_block alone = { .rule = PF_RULE_NONE };
	int rc = 0;

	ret->n = 0;
	for (size_t o = 0; o < v->n_owner; o++)
		if (v->owner[o].until > alone.until)
			alone.until = v->owner[o].until;
	rc = add_block(ret, &alone);
	for (size_t o = 0; o < v->n_owner; o++)
		for (size_t i = 0; i < allow->n && rc == 0; i++)
			if (net_rule_matches_name(&allow->rule[i], v->owner[o].name))
				rc = add_rule_blocks(ret, &allow->rule[i], (uint32_t)i,
						     v->owner[o].until);
	inherit(ret);
	return rc;
}

static bool holds(const struct blocks *all, const struct vouch_block *b)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->b[i].proto == b->proto && all->b[i].block.port == b->block.port &&
		    all->b[i].block.len == b->block.len)
			return true;
	return false;
}

/* Brings the sink in line.  Shorter blocks go in after the longer ones that inherit from them, so
 * that nothing is wider on the way than in the end. */
static int project(struct vouch_table *t, struct vouched *v)
{
	auto_free struct blocks *all = malloc(sizeof(*all));
	auto_free struct vouch_block *kept = NULL;
	int rc;

	if (!all)
		return -ENOMEM;
	rc = collect(t, v, all);
	if (rc < 0)
		return rc;
	kept = malloc(all->n * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	memcpy(kept, all->b, all->n * sizeof(*kept));
	for (size_t i = 0; i < v->n_block; i++)
		if (!holds(all, &v->block[i]))
			t->sink.del(t->sink.data, &v->addr, &v->block[i]);
	free(v->block);
	v->n_block = all->n;
	v->block = take_ptr(kept);
	v->until = all->b[0].until;
	for (size_t i = 0; i < v->n_block && rc == 0; i++)
		rc = t->sink.put(t->sink.data, &v->addr, &v->block[i]);
	return rc;
}

int vouch_table_new(const struct policy *p, const struct vouch_sink *sink, struct vouch_table **ret)
{
	struct vouch_table *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->policy = p;
	t->sink = *sink;
	*ret = t;
	return 0;
}

int vouch_table_add(struct vouch_table *t, const union pf_addr *a, const char *name, uint64_t until)
{
	struct vouched *v = find(t, a);
	int rc = 0;

	if (t->policy->net.dns.max_addresses == 0)
		return -E2BIG;
	if (!v)
		rc = remember(t, a, &v);
	if (rc < 0)
		return rc;
	unlink_age(t, v);
	link_newest(t, v);
	rc = own(v, name, until);
	if (rc == 0)
		rc = project(t, v);
	if (rc < 0)
		forget(t, v);
	return rc;
}

static int adopt_one(struct vouch_table *t, const struct vouched *from)
{
	const struct net_rule *rule;
	struct vouched *v = NULL;
	int rc = 0;

	for (size_t i = 0; i < from->n_owner && rc == 0; i++) {
		const struct owner *o = &from->owner[i];

		if (!policy_may_resolve(t->policy, o->name, &rule))
			continue;
		if (!v)
			rc = remember(t, &from->addr, &v);
		if (rc == 0)
			rc = own(v, o->name, o->until);
	}
	if (rc == 0 && v)
		rc = project(t, v);
	if (rc == -E2BIG) { /* as when an answer would make it so: the address is given up */
		forget(t, v);
		return 0;
	}
	return rc;
}

int vouch_table_adopt(struct vouch_table *t, const struct vouch_table *from)
{
	int rc = 0;

	for (const struct vouched *v = from->oldest; v && rc == 0; v = v->newer)
		if (t->policy->net.dns.max_addresses > 0)
			rc = adopt_one(t, v);
	t->evicted += from->evicted;
	t->now = from->now;
	return rc;
}

bool vouch_table_look_up(const struct vouch_table *t, const struct pf_ask *ask,
			 struct pf_vouch *ret)
{
	const struct vouched *v = find(t, &ask->addr);
	const struct vouch_block *best = NULL;

	for (size_t i = 0; v && i < v->n_block; i++) {
		const struct vouch_block *b = &v->block[i];

		if (b->proto != 0 &&
		    (b->proto != ask->proto || !net_block_has(&b->block, ask->port)))
			continue;
		if (!best || best->proto == 0 || (b->proto != 0 && b->block.len > best->block.len))
			best = b;
	}
	if (best)
		*ret = (struct pf_vouch){
			.until = best->until,
			.rule = best->rule | (best->verify ? PF_RULE_VERIFY : 0),
		};
	return best != NULL;
}

void vouch_table_list(const struct vouch_table *t, uint64_t now,
		      void (*fn)(void *data, const union pf_addr *a, const char *name,
				 uint64_t until),
		      void *data)
{
	for (const struct vouched *v = t->oldest; v; v = v->newer)
		for (size_t i = 0; i < v->n_owner; i++)
			if (v->owner[i].until > now)
				fn(data, &v->addr, v->owner[i].name, v->owner[i].until);
}

/* Names whose time has passed give their ports back; the address itself lingers. */
static bool drop_owners(struct vouched *v, uint64_t now)
{
	size_t kept = 0;

	if (v->until + VOUCH_LINGER_NS < now)
		return false;
	for (size_t i = 0; i < v->n_owner; i++) {
		if (v->owner[i].until + VOUCH_LINGER_NS < now)
			free(v->owner[i].name);
		else
			v->owner[kept++] = v->owner[i];
	}
	v->n_owner = kept;
	return true;
}

void vouch_table_tick(struct vouch_table *t, uint64_t now)
{
	struct vouched *newer;

	t->now = now;
	for (struct vouched *v = t->oldest; v; v = newer) {
		size_t before = v->n_owner;

		newer = v->newer;
		if (!drop_owners(v, now) || (v->n_owner != before && project(t, v) < 0))
			forget(t, v);
	}
}

bool vouch_table_has(const struct vouch_table *t, const union pf_addr *a, const char *name,
		     uint64_t at)
{
	const struct vouched *v = find(t, a);

	for (size_t i = 0; v && i < v->n_owner; i++)
		if (strcmp(v->owner[i].name, name) == 0)
			return at < v->owner[i].until;
	return false;
}

const char *vouch_table_name(const struct vouch_table *t, const union pf_addr *a)
{
	const struct vouched *v = find(t, a);

	return v && v->n_owner > 0 ? v->owner[v->n_owner - 1].name : NULL;
}

uint64_t vouch_table_evicted(const struct vouch_table *t)
{
	return t->evicted;
}

size_t vouch_table_count(const struct vouch_table *t)
{
	return t->n;
}

void vouch_table_free(struct vouch_table *t)
{
	if (!t)
		return;
	while (t->oldest)
		forget(t, t->oldest);
	free(t);
}
