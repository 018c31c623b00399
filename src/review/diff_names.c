/* SPDX-License-Identifier: MIT */
/*
 * DOC: all names there are fall into classes within which no rule of either policy tells one from
 * another: each name that a rule mentions, what lies below it (but not at or below a longer one
 * that is mentioned), and all the rest.  One name of each class is judged; a star where a label
 * would stand is a label that no rule mentions.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/name.h"
#include "policy/names.h"
#include "policy/policy.h"
#include "policy/read.h"
#include "review/diff.h"
#include "review/spans.h"

/* A rule under the name that it mentions ("" for the star alone). */
struct entry {
	const char *key;
	const struct net_rule *rule;
	enum diff_side side;
	bool deny;
};

struct names {
	struct diff *d;
	struct entry *entry; /* sorted by key */
	size_t n;
	/* The class that is judged. */
	const char *name;
	const struct entry **match;
	size_t n_match;
	bool shut[DIFF_SIDES]; /* whatever the port */
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return strcmp(x->key, y->key);
}

static void add_rules(struct names *w, enum diff_side side, const struct net_rules *l, bool deny)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct net_rule *r = &l->rule[i];

		if (r->name || r->host == HOST_ANY)
			w->entry[w->n++] = (struct entry){ r->name ? r->name : "", r, side, deny };
	}
}

static int index_rules(struct names *w)
{
	size_t space = 1;

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		space += w->d->side[i]->net.allow.n + w->d->side[i]->net.deny.n;
	w->entry = calloc(space, sizeof(*w->entry));
	w->match = calloc(space, sizeof(const struct entry *));
	if (!w->entry || !w->match)
		return -ENOMEM;
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++) {
		add_rules(w, i, &w->d->side[i]->net.allow, false);
		add_rules(w, i, &w->d->side[i]->net.deny, true);
	}
	qsort(w->entry, w->n, sizeof(*w->entry), by_key);
	return 0;
}

/* The first entry whose key is not less. */
static size_t lower_bound(const struct names *w, const char *key)
{
	size_t low = 0;
	size_t high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(w->entry[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void match_key(struct names *w, const char *key)
{
	for (size_t i = lower_bound(w, key); i < w->n && strcmp(w->entry[i].key, key) == 0; i++) {
		const struct entry *at = &w->entry[i];

		if (!net_rule_matches_name(at->rule, w->name))
			continue;
		if (at->deny)
			w->shut[at->side] = true;
		else
			w->match[w->n_match++] = at;
	}
}

/* Rules for a name are kept under the name itself or one that it lies below. */
static void find_matches(struct names *w, const char *name)
{
	w->name = name;
	w->n_match = 0;
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		w->shut[i] = name_is_metadata(name) && !w->d->side[i]->net.allow_metadata;
	for (const char *key = name; key; key = strchr(key, '.')) {
		key += *key == '.';
		match_key(w, key);
	}
	match_key(w, "");
}

static enum diff_level judge_name(void *data, enum diff_side side, unsigned proto, uint16_t port,
				  const struct net_rule **ret_rule)
{
	const struct names *w = data;
	enum diff_level level = LEVEL_SHUT;

	if (w->shut[side])
		return LEVEL_SHUT;
	for (size_t i = 0; i < w->n_match; i++) {
		const struct net_rule *r = w->match[i]->rule;

		if (w->match[i]->side != side || !(r->protos & proto) || port < r->port_low ||
		    port > r->port_high)
			continue;
		/* Of two entries for one port, the one that verifies holds. */
		if (level == LEVEL_SHUT || r->verify_sni) {
			level = r->verify_sni ? LEVEL_VERIFIED : LEVEL_OPEN;
			*ret_rule = r;
		}
	}
	return level;
}

static int judge_class(struct names *w, const char *name, struct spans *ret)
{
	size_t n;

	find_matches(w, name);
	n = w->n_match;

	auto_free const struct net_rule **rules = calloc(n + 1, sizeof(const struct net_rule *));

	if (!rules)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rules[i] = w->match[i]->rule;
	return spans_find(rules, n, judge_name, w, ret);
}

/* The longest mentioned name that this one lies below; NULL: none. */
static const char *parent_of(const struct names *w, const char *name)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t i = lower_bound(w, dot + 1);

		if (i < w->n && strcmp(w->entry[i].key, dot + 1) == 0)
			return w->entry[i].key;
	}
	return NULL;
}

static int judge_below(struct names *w, const char *name, struct spans *ret)
{
	char below[NAME_BUF + 3];
	int r;

	snprintf(below, sizeof(below), "*%s%s", name ? "." : "", name ? name : "");
	r = judge_class(w, below, ret);
	w->name = NULL;
	return r;
}

/* A class that changes as the one around it does goes without saying. */
static void tell_name(struct names *w, const char *name, const struct spans s[3])
{
	enum { ITSELF, BELOW, AROUND };
	const bool same = spans_equal(&s[ITSELF], &s[BELOW]);
	char host[NAME_BUF + 4];

	if (!spans_equal(&s[ITSELF], &s[AROUND])) {
		snprintf(host, sizeof(host), "%s%s", same ? "**." : "", name);
		spans_tell(w->d, host, &s[ITSELF]);
	}
	if (!same && !spans_equal(&s[BELOW], &s[AROUND])) {
		snprintf(host, sizeof(host), "*.%s", name);
		spans_tell(w->d, host, &s[BELOW]);
	}
}

static int look_at(struct names *w, const char *name)
{
	struct spans s[3] = { { 0 } };
	int r = judge_class(w, name, &s[0]);

	if (r == 0)
		r = judge_below(w, name, &s[1]);
	if (r == 0)
		r = judge_below(w, parent_of(w, name), &s[2]);
	if (r == 0)
		tell_name(w, name, s);
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		spans_done(&s[i]);
	return r;
}

int diff_names(struct diff *d)
{
	struct names w = { .d = d };
	struct spans all = { 0 };
	int r = index_rules(&w);

	if (r == 0)
		r = judge_below(&w, NULL, &all);
	if (r == 0)
		spans_tell(d, "* (every other name)", &all);
	spans_done(&all);
	for (size_t i = 0; i < w.n && r == 0; i++)
		if (w.entry[i].key[0] &&
		    (i == 0 || strcmp(w.entry[i - 1].key, w.entry[i].key) != 0))
			r = look_at(&w, w.entry[i].key);
	free(w.entry);
	free(w.match);
	return r;
}
