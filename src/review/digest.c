/* SPDX-License-Identifier: MIT */
#include "review/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/filter.h"
#include "audit/line.h"
#include "base/clean.h"
#include "base/err.h"
#include "policy/handle.h"
#include "review/review.h"

#define PART_MAX 1100
#define KEY_MAX 4096
#define PARTS_MAX 5
#define RULES_MAX 65536 /* more than a policy holds: what was used is never forgotten */

/* ---- keys ----------------------------------------------------------------------------------- */

/* The members' texts, cleaned and joined; an empty one for what is absent.  The verdict is not only
 * a member. */
static void join(const struct pinfold_log_line *l, const char *const keys[PARTS_MAX],
		 char ret[static KEY_MAX])
{
	size_t used = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < PARTS_MAX && keys[i]; i++) {
		char part[PART_MAX] = "";
		size_t len;

		if (strcmp(keys[i], "verdict") == 0)
			snprintf(part, sizeof(part), "%s", log_verdict(l));
		else
			line_text(l, keys[i], part, sizeof(part));
		line_clean(part);
		len = strlen(part);
		if (used + len + 2 > KEY_MAX)
			return;
		if (i > 0)
			ret[used++] = TALLY_SEPARATOR;
		memcpy(ret + used, part, len + 1);
		used += len;
	}
}

static int count(struct digest *d, enum digest_table table, const struct pinfold_log_line *l,
		 const char *key)
{
	char advice[PART_MAX];
	bool has = line_text(l, "advice", advice, sizeof(advice)) && table != DIGEST_REACHED_DST;

	line_clean(advice);
	return tally_add(&d->table[table], key, has ? advice : NULL, line_weight(l), l->time_us);
}

static int count_members(struct digest *d, enum digest_table table,
			 const struct pinfold_log_line *l, const char *const keys[PARTS_MAX])
{
	char key[KEY_MAX];

	join(l, keys, key);
	return count(d, table, l, key);
}

/* ---- by event ------------------------------------------------------------------------------- */

struct event_row {
	const char *event;
	int (*add)(struct digest *d, const struct pinfold_log_line *l, const struct event_row *row);
	enum digest_table table;
	const char *keys[PARTS_MAX];
};

static int add_plain(struct digest *d, const struct pinfold_log_line *l,
		     const struct event_row *row)
{
	return count_members(d, row->table, l, row->keys);
}

/* A destination goes by its name where it has one; the name's addresses are kept beside it. */
static int add_destination(struct digest *d, const struct pinfold_log_line *l,
			   const struct event_row *row)
{
	static const char *const LEAD[PARTS_MAX] = { "name", "dst" };
	const char *keys[PARTS_MAX];
	bool named = line_find(l, "name") != NULL;
	int r = 0;

	memcpy(keys, row->keys, sizeof(keys));
	if (named)
		keys[0] = "name";
	if (named && line_find(l, "dst"))
		r = count_members(d, DIGEST_LEADS, l, LEAD);
	return r < 0 ? r : count_members(d, row->table, l, keys);
}

static int add_vouched(struct digest *d, const struct pinfold_log_line *l,
		       const struct event_row *row)
{
	const struct line_value *addrs = line_find(l, "addrs");
	char name[PART_MAX];
	char addr[64];
	char key[KEY_MAX];
	size_t at = 0;
	int r = 0;

	line_text(l, "name", name, sizeof(name));
	line_clean(name);
	while (r == 0 && addrs && addrs->type == LINE_ARRAY &&
	       line_list_next(addrs, &at, addr, sizeof(addr))) {
		line_clean(addr);
		snprintf(key, sizeof(key), "%s%c%s", name, TALLY_SEPARATOR, addr);
		r = tally_add(&d->table[DIGEST_LEADS], key, NULL, 1, l->time_us);
	}
	return r < 0 ? r : count_members(d, row->table, l, row->keys);
}

static const struct event_row EVENTS[] = {
	{ "net_deny",
	  add_destination,
	  DIGEST_REFUSED_DST,
	  { "dst", "port", "proto", "reason", "verdict" } },
	{ "net_allow", add_destination, DIGEST_REACHED_DST, { "dst", "port", "proto" } },
	{ "dns_deny", add_plain, DIGEST_REFUSED_NAME, { "name", "reason", "verdict" } },
	{ "dns_vouch", add_vouched, DIGEST_REACHED_NAME, { "name" } },
	{ "dns_strip", add_plain, DIGEST_STRIPPED, { "name", "reason" } },
	{ "fs_deny", add_plain, DIGEST_REFUSED_PATH, { "path", "op", "reason", "verdict" } },
	{ "unix_deny", add_plain, DIGEST_REFUSED_SOCKET, { "path", "op", "reason", "verdict" } },
};

static int add_event(struct digest *d, const struct pinfold_log_line *l)
{
	static const char *const OTHER[PARTS_MAX] = { "event", "op", "reason", "verdict" };

	for (size_t i = 0; i < ARRAY_SIZE(EVENTS); i++)
		if (line_text_is(l, "event", EVENTS[i].event))
			return EVENTS[i].add(d, l, &EVENTS[i]);
	if (log_verdict(l)[0] && strcmp(log_verdict(l), "allow") != 0)
		return count_members(d, DIGEST_REFUSED_OTHER, l, OTHER);
	return 0;
}

/* ---- with a policy -------------------------------------------------------------------------- */

static int add_pair(struct digest *d, enum digest_table table, const char *a, const char *b,
		    const struct pinfold_log_line *l)
{
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "%.2000s%c%.2000s", a, TALLY_SEPARATOR, b);
	return tally_add(&d->table[table], key, NULL, line_weight(l), l->time_us);
}

static int add_judged(struct digest *d, const struct pinfold_log_line *l)
{
	struct judge_answer a;
	char port[32];
	int r;

	if (!d->judge || !judge_take(l, &d->ask))
		return 0;
	a = judge_ask(d->judge, &d->ask);
	if (!a.rule)
		return 0;
	r = add_pair(d, DIGEST_USED, a.rule, a.origin ? a.origin : "", l);
	if (r < 0 || a.now != JUDGED_ALLOW || d->ask.kind == JUDGE_FILE ||
	    d->ask.kind == JUDGE_UNIX)
		return r;
	r = add_pair(d, DIGEST_RULE_HOST, a.rule, d->ask.subject, l);
	if (r < 0 || d->ask.kind != JUDGE_CONNECT)
		return r;
	snprintf(port, sizeof(port), "%u/%s", d->ask.port,
		 d->ask.proto == PROTO_UDP ? "udp" : "tcp");
	return add_pair(d, DIGEST_RULE_PORT, a.rule, port, l);
}

bool digest_rule_was_used(const struct digest *d, const char *text, const char *origin)
{
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "%.2000s%c%.2000s", text, TALLY_SEPARATOR, origin ? origin : "");
	return tally_find(&d->table[DIGEST_USED], key) || tally_find(&d->table[DIGEST_RULES], key);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void add_verdict(struct digest *d, const struct pinfold_log_line *l)
{
	static const char *const WORDS[] = {
		[TIMELINE_DENIED] = "deny",
		[TIMELINE_WOULD_DENY] = "would_deny",
		[TIMELINE_ALLOWED] = "allow",
	};
	_Static_assert(ARRAY_SIZE(WORDS) == TIMELINE_MAX, "a word for every series");
	const char *verdict = log_verdict(l);

	for (int i = 0; i < TIMELINE_MAX; i++)
		if (strcmp(verdict, WORDS[i]) == 0) {
			d->verdicts[i] += line_weight(l);
			timeline_add(&d->timeline, (enum timeline_series)i, line_weight(l),
				     l->time_us);
		}
}

static int add_all(struct digest *d, const struct pinfold_log_line *l)
{
	static const char *const EVENT[PARTS_MAX] = { "event" };
	static const char *const AGENT[PARTS_MAX] = { "agent" };
	static const char *const RULE[PARTS_MAX] = { "rule", "origin" };
	int r = sessions_add(&d->sessions, l);

	if (r == 0)
		r = add_event(d, l);
	if (r == 0)
		r = count_members(d, DIGEST_EVENTS, l, EVENT);
	if (r == 0 && line_find(l, "agent"))
		r = count_members(d, DIGEST_AGENTS, l, AGENT);
	if (r == 0 && line_find(l, "rule"))
		r = count_members(d, DIGEST_RULES, l, RULE);
	return r < 0 ? r : add_judged(d, l);
}

struct reading {
	struct digest *d;
	int failed;
};

static int add_line(void *data, const struct pinfold_log_line *l)
{
	struct reading *reading = data;
	struct digest *d = reading->d;

	if (d->first_us == 0 || l->time_us < d->first_us)
		d->first_us = l->time_us;
	if (l->time_us > d->last_us)
		d->last_us = l->time_us;
	add_verdict(d, l);
	reading->failed = add_all(d, l);
	return reading->failed;
}

int digest_read(const struct pinfold_log_query *q, struct digest **ret, struct pinfold_error *e)
{
	struct digest *d = calloc(1, sizeof(*d));
	struct reading reading = { .d = d };
	struct pinfold_log_query once = *q;
	int r = d ? 0 : err_set(e, -ENOMEM, "out of memory");

	if (r == 0) {
		d->path = review_log_path(q);
		d->policy = q->policy;
		d->table[DIGEST_RULES].max = RULES_MAX;
		d->table[DIGEST_USED].max = RULES_MAX;
	}
	once.follow = false;
	if (r == 0 && q->policy)
		r = judge_new(q->policy, &d->judge, e);
	if (r == 0)
		r = pinfold_log_read(&once, add_line, &reading, &d->counts, e);
	if (r == 0 && reading.failed < 0)
		r = err_set(e, reading.failed, "out of memory");
	if (r < 0) {
		digest_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void digest_free(struct digest *d)
{
	if (!d)
		return;
	for (int i = 0; i < DIGEST_TABLES; i++)
		tally_done(&d->table[i]);
	sessions_done(&d->sessions);
	judge_free(d->judge);
	free(d);
}
