/* SPDX-License-Identifier: MIT */
/*
 * DOC: each line that answers a question to a policy is asked again.  What the record says was
 * decided (would_deny counts as a denial: the policy of the time refused it, and observing let it
 * pass) is compared with what the policy in hand says now.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "audit/line.h"
#include "base/clean.h"
#include "base/err.h"
#include "policy/handle.h"
#include "review/json.h"
#include "review/judge.h"
#include "review/review.h"

#define TOP_MAX 1000
#define KEY_MAX (JUDGE_SUBJECT_MAX + 1024)

enum change { CHANGE_ALLOWED = 0, CHANGE_DENIED, CHANGE_STILL_DENIED, CHANGE_NONE, CHANGES };

struct replay {
	struct judge *judge;
	struct judge_ask ask;
	struct tally table[CHANGES]; /* kind, subject, address, op, rule, origin, reason */
	uint64_t count[CHANGES];
	uint64_t not_judged;
	int failed;
};

static enum change change_of(enum judged was, enum judged now)
{
	if (was == now)
		return now == JUDGED_ALLOW ? CHANGE_NONE : CHANGE_STILL_DENIED;
	return now == JUDGED_ALLOW ? CHANGE_ALLOWED : CHANGE_DENIED;
}

static int note(struct replay *r, enum change c, const struct judge_answer *a,
		const struct pinfold_log_line *l)
{
	char subject[JUDGE_SUBJECT_MAX];
	char address[ADDR_TEXT_MAX] = "";
	char rule[300];
	char key[KEY_MAX];

	r->count[c] += line_weight(l);
	if (c == CHANGE_NONE)
		return 0;
	judge_say(&r->ask, subject, sizeof(subject));
	if (r->ask.kind == JUDGE_CONNECT && r->ask.has_name)
		addr_format(&r->ask.addr, address);
	snprintf(rule, sizeof(rule), "%s", a->rule ? a->rule : "");
	line_clean(rule);
	line_clean(r->ask.op);
	if (snprintf(key, sizeof(key), "%s\t%s\t%s\t%s\t%s\t%.300s\t%s",
		     judge_kind_word(r->ask.kind), subject, address, r->ask.op, rule,
		     a->origin ? a->origin : "", a->reason) < 0)
		return -EINVAL;
	return tally_add(&r->table[c], key, NULL, line_weight(l), l->time_us);
}

static bool is_verdict(const struct pinfold_log_line *l)
{
	return pinfold_log_line_verdict(l)[0] != '\0' || line_text_is(l, "event", "dns_strip");
}

static int replay_line(void *data, const struct pinfold_log_line *l)
{
	struct replay *r = data;
	struct judge_answer a;

	if (!judge_take(l, &r->ask)) {
		r->not_judged += is_verdict(l) ? line_weight(l) : 0;
		return 0;
	}
	a = judge_ask(r->judge, &r->ask);
	r->failed = note(r, change_of(r->ask.was, a.now), &a, l);
	return r->failed;
}

static int print(const struct replay *r, const struct pinfold_log_query *q,
		 const struct pinfold_log_counts *counts, char **ret, struct pinfold_error *e)
{
	static const char *const PARTS[] = { "kind", "subject", "address", "op",
					     "rule", "origin",  "reason",  NULL };
	static const char *const KEYS[] = {
		[CHANGE_ALLOWED] = "newlyAllowed",
		[CHANGE_DENIED] = "newlyDenied",
		[CHANGE_STILL_DENIED] = "stillDenied",
	};
	cJSON *o = cJSON_CreateObject();
	cJSON *same;
	int rc = 0;

	cJSON_AddStringToObject(o, "policy", q->policy->policy.source);
	cJSON_AddStringToObject(o, "record", review_log_path(q));
	json_add_counts(o, counts);
	for (size_t i = 0; i < ARRAY_SIZE(KEYS) && rc == 0; i++)
		rc = json_add_tally(o, KEYS[i], &r->table[i], TOP_MAX, PARTS, NULL);
	same = cJSON_AddObjectToObject(o, "unchanged");
	cJSON_AddNumberToObject(same, "allowed", (double)r->count[CHANGE_NONE]);
	cJSON_AddNumberToObject(same, "denied", (double)r->count[CHANGE_STILL_DENIED]);
	cJSON_AddNumberToObject(o, "notJudged", (double)r->not_judged);
	if (rc < 0) {
		cJSON_Delete(o);
		return err_set(e, rc, "out of memory");
	}
	return json_print(o, ret, e);
}

static int run(struct replay *r, const struct pinfold_log_query *q, char **ret,
	       struct pinfold_error *e)
{
	struct pinfold_log_query once = *q;
	struct pinfold_log_counts counts;
	int rc = judge_new(q->policy, &r->judge, e);

	once.follow = false;
	if (rc == 0)
		rc = pinfold_log_read(&once, replay_line, r, &counts, e);
	if (rc == 0 && r->failed < 0)
		rc = err_set(e, r->failed, "out of memory");
	if (rc == 0)
		rc = print(r, q, &counts, ret, e);
	if (rc < 0)
		return rc;
	return r->count[CHANGE_ALLOWED] > 0 || r->count[CHANGE_DENIED] > 0;
}

int pinfold_log_replay(const struct pinfold_log_query *q, char **ret, struct pinfold_error *e)
{
	struct replay *r;
	int rc;

	if (!q->policy)
		return err_set(e, -EINVAL, "a replay needs a policy");
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	rc = run(r, q, ret, e);
	for (int i = 0; i < CHANGES; i++)
		tally_done(&r->table[i]);
	judge_free(r->judge);
	free(r);
	return rc;
}
