/* SPDX-License-Identifier: MIT */
#include "review/spans.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "net/judge.h"
#include "pinfold_review.h"
#include "policy/policy.h"
#include "policy/read.h"

#define WHAT_MAX 384

static const char *const LEVEL_WORDS[] = {
	[LEVEL_SHUT] = "refused",
	[LEVEL_OWN] = "the session's own listeners",
	[LEVEL_VERIFIED] = "allowed with a verified server name",
	[LEVEL_OPEN] = "allowed",
};
_Static_assert(ARRAY_SIZE(LEVEL_WORDS) == LEVELS, "a word for every level");

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* Where something may begin, sorted, the last one behind the last port. */
static size_t find_cuts(const struct net_rule *const *rules, size_t n, uint32_t *ret)
{
	size_t k = 0;
	size_t used = 0;

	ret[k++] = 0;
	ret[k++] = UINT16_MAX + 1u;
	for (size_t i = 0; i < n; i++) {
		ret[k++] = rules[i]->port_low;
		ret[k++] = rules[i]->port_high + 1u;
	}
	qsort(ret, k, sizeof(*ret), by_number);
	for (size_t i = 0; i < k; i++)
		if (used == 0 || ret[used - 1] != ret[i])
			ret[used++] = ret[i];
	return used;
}

static int add_span(struct spans *to, const struct span *s)
{
	struct span *last = to->n ? &to->s[to->n - 1] : NULL;
	struct span *slot;

	if (last && last->proto == s->proto && last->high + 1u == s->low &&
	    memcmp(last->level, s->level, sizeof(s->level)) == 0) {
		last->high = s->high;
		return 0;
	}
	slot = grow(&to->s, to->n, sizeof(*to->s));
	if (!slot)
		return -ENOMEM;
	*slot = *s;
	to->n++;
	return 0;
}

static int judge_stretch(struct span s, span_judge judge, void *data, struct spans *to)
{
	const struct net_rule *rule[DIFF_SIDES] = { NULL };
	enum diff_side wider;

	/* Port 53 of whatever server is the session's resolver. */
	if (s.low == NET_STEERED_PORT && s.high == NET_STEERED_PORT)
		return 0;
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		s.level[i] = judge(data, i, s.proto, s.low ? s.low : 1, &rule[i]);
	if (s.level[DIFF_OLD] == s.level[DIFF_NEW])
		return 0;
	wider = s.level[DIFF_NEW] > s.level[DIFF_OLD] ? DIFF_NEW : DIFF_OLD;
	s.origin = rule[wider] ? rule[wider]->origin : NULL;
	return add_span(to, &s);
}

int spans_find(const struct net_rule *const *rules, size_t n, span_judge judge, void *data,
	       struct spans *ret)
{
	static const unsigned PROTOS[] = { PROTO_TCP, PROTO_UDP };
	auto_free uint32_t *cuts = calloc(2 * n + 2, sizeof(*cuts));
	struct spans found = { 0 };
	int r = 0;
	size_t k;

	if (!cuts)
		return -ENOMEM;
	k = find_cuts(rules, n, cuts);
	for (size_t p = 0; p < ARRAY_SIZE(PROTOS); p++)
		for (size_t i = 0; i + 1 < k && r == 0; i++) {
			struct span s = {
				.proto = PROTOS[p],
				.low = (uint16_t)cuts[i],
				.high = (uint16_t)(cuts[i + 1] - 1),
			};

			r = judge_stretch(s, judge, data, &found);
		}
	if (r < 0)
		spans_done(&found);
	else
		*ret = found;
	return r;
}

bool spans_equal(const struct spans *a, const struct spans *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->s[i].proto != b->s[i].proto || a->s[i].low != b->s[i].low ||
		    a->s[i].high != b->s[i].high ||
		    memcmp(a->s[i].level, b->s[i].level, sizeof(a->s[i].level)) != 0)
			return false;
	return true;
}

void spans_tell(struct diff *d, const char *host, const struct spans *spans)
{
	for (size_t i = 0; i < spans->n; i++) {
		const struct span *s = &spans->s[i];
		const bool opens = s->level[DIFF_NEW] > s->level[DIFF_OLD];
		char what[WHAT_MAX];
		char ports[16] = "";
		struct pinfold_change c = {
			.effect = opens ? PINFOLD_OPENS : PINFOLD_CLOSES,
			.area = "network",
			.what = what,
			.from = LEVEL_WORDS[s->level[DIFF_OLD]],
			.to = LEVEL_WORDS[s->level[DIFF_NEW]],
			.origin = s->origin,
		};

		if (s->low == s->high)
			snprintf(ports, sizeof(ports), ":%u", s->low);
		else if (s->low > 1 || s->high < UINT16_MAX)
			snprintf(ports, sizeof(ports), ":%u-%u", s->low ? s->low : 1u, s->high);
		snprintf(what, sizeof(what), "%s%s/%s", host, ports,
			 s->proto == PROTO_UDP ? "udp" : "tcp");
		diff_tell(d, &c);
	}
}

void spans_done(struct spans *s)
{
	free(s->s);
	*s = (struct spans){ 0 };
}
