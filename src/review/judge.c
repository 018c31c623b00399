/* SPDX-License-Identifier: MIT */
/*
 * DOC: the same question comes thousands of times, and paths and names are looked for in lists.  So
 * answers are kept by the whole question, each in one place that a later question may take.
 */
#include "review/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "net/judge.h"
#include "policy/handle.h"
#include "policy/names.h"
#include "policy/paths.h"
#include "review/hash.h"

#define KEPT 65536 /* a power of two */

struct kept {
	char *question;
	struct judge_answer answer;
};

struct judge {
	const struct policy *policy;
	struct net_judge net;
	struct path_set paths;
	struct kept kept[KEPT];
};

/* ---- by kind -------------------------------------------------------------------------------- */

static struct judge_answer answer_of(enum judged now, const char *rule, const char *origin,
				     const char *reason)
{
	return (struct judge_answer){ now, rule, origin, reason };
}

/* Refused for what the record alone knows: a policy that lets the question through in general does
 * not change that. */
static bool stays_refused(const struct judge_ask *ask, enum pf_reason now)
{
	return (strcmp(ask->reason, "expired") == 0 && now == PF_ALLOW_VOUCHED) ||
	       (strcmp(ask->reason, "sni_mismatch") == 0 && now == PF_ALLOW_VERIFY);
}

static bool is_own(const struct judge_ask *ask)
{
	return ask->was == JUDGED_ALLOW &&
	       (strcmp(ask->reason, "own") == 0 || strcmp(ask->reason, "nosend") == 0);
}

static struct judge_answer judge_connect(const struct judge *j, const struct judge_ask *ask)
{
	struct net_judgement n;
	enum judged now;

	if (is_own(ask))
		return answer_of(JUDGED_ALLOW, NULL, NULL, "it is the session's own");
	n = net_judge_ask(&j->net, &ask->addr, ask->port, ask->proto,
			  ask->has_name ? ask->subject : NULL);
	now = n.reason >= PF_ALLOW && !stays_refused(ask, n.reason) ? JUDGED_ALLOW : JUDGED_DENY;
	return answer_of(now, n.rule ? n.rule->text : NULL, n.rule ? n.rule->origin : NULL,
			 net_reason_text(n.reason));
}

static struct judge_answer judge_resolve(const struct judge *j, const struct judge_ask *ask)
{
	const struct net_rule *rule = NULL;
	bool may = policy_may_resolve(j->policy, ask->subject, &rule);

	return answer_of(may ? JUDGED_ALLOW : JUDGED_DENY, rule ? rule->text : NULL,
			 rule ? rule->origin : NULL,
			 may    ? "an entry of allowOutbound matches that name"
			 : rule ? "an entry of denyOutbound names it"
				: "no entry of allowOutbound matches that name");
}

/* What an operation, in the words of the record, needs. */
static bool right_suffices(enum path_right right, const char *op)
{
	bool reads = strstr(op, "read_") || strcmp(op, "appear") == 0;
	bool executes = strstr(op, "execute") != NULL;
	bool writes = strstr(op, "write_") || strstr(op, "make_") || strstr(op, "remove_") ||
		      strstr(op, "refer") || strstr(op, "truncate") || (!reads && !executes);

	switch (right) {
	case PATH_RW:
		return true;
	case PATH_ROX:
		return !writes;
	case PATH_RO:
		return !writes && !executes;
	case PATH_DENY:
		break;
	}
	return false;
}

static struct judge_answer judge_file(const struct judge *j, const struct judge_ask *ask)
{
	struct path_judgement p = path_set_judge(&j->paths, ask->subject);
	bool may = right_suffices(p.right, ask->op);

	return answer_of(may ? JUDGED_ALLOW : JUDGED_DENY, p.rule ? p.rule->text : NULL,
			 p.rule ? p.rule->origin : NULL,
			 may                    ? "the longest matching entry grants it"
			 : !p.rule              ? "nothing grants that path"
			 : p.right == PATH_DENY ? "a deny covers it, and denies always win"
						: "the longest matching entry does not grant that");
}

static struct judge_answer judge_unix(const struct judge *j, const struct judge_ask *ask)
{
	struct path_judgement p;

	if (ask->subject[0] == '@')
		return answer_of(JUDGED_DENY, NULL, NULL,
				 "abstract sockets made outside the session are out of reach");
	for (size_t i = 0; i < j->policy->n_unix_allow; i++) {
		const struct unix_rule *r = &j->policy->unix_allow[i];

		if (strcmp(r->path, ask->subject) == 0)
			return answer_of(JUDGED_ALLOW, r->text, r->origin,
					 "unixSockets.allow names it");
	}
	p = path_set_judge(&j->paths, ask->subject);
	if (p.rule && p.right == PATH_RW)
		return answer_of(JUDGED_ALLOW, p.rule->text, p.rule->origin,
				 "it lies in a writable tree of the session");
	return answer_of(JUDGED_DENY, NULL, NULL,
			 "only sockets in the session's own writable trees are within reach");
}

/* ---- asking --------------------------------------------------------------------------------- */

static struct judge_answer judge_anew(const struct judge *j, const struct judge_ask *ask)
{
	static struct judge_answer (*const BY_KIND[])(const struct judge *j,
						      const struct judge_ask *ask) = {
		[JUDGE_CONNECT] = judge_connect,
		[JUDGE_RESOLVE] = judge_resolve,
		[JUDGE_FILE] = judge_file,
		[JUDGE_UNIX] = judge_unix,
	};
	_Static_assert(ARRAY_SIZE(BY_KIND) == JUDGE_KINDS, "a judge for every kind");

	return BY_KIND[ask->kind](j, ask);
}

struct judge_answer judge_ask(struct judge *j, const struct judge_ask *ask)
{
	char question[JUDGE_SUBJECT_MAX + 320];
	char address[ADDR_TEXT_MAX] = "";
	struct kept *k;

	if (ask->kind == JUDGE_CONNECT)
		addr_format(&ask->addr, address);
	snprintf(question, sizeof(question), "%d %d %s %u %u %s %s %s", ask->kind, ask->was,
		 address, ask->port, ask->proto, ask->op, ask->reason, ask->subject);
	k = &j->kept[hash_text(question) & (KEPT - 1)];
	if (k->question && strcmp(k->question, question) == 0)
		return k->answer;
	free(k->question);
	k->question = strdup(question); /* without memory it is asked again */
	k->answer = judge_anew(j, ask);
	return k->answer;
}

int judge_new(const struct pinfold_policy *p, struct judge **ret, struct pinfold_error *e)
{
	struct judge *j = calloc(1, sizeof(*j));
	int r;

	if (!j)
		return err_set(e, -ENOMEM, "out of memory");
	j->policy = &p->policy;
	r = net_judge_prepare(&j->net, &p->policy, e);
	if (r < 0) {
		free(j);
		return r;
	}
	r = path_set_build(&p->policy, &p->context.policy, p->policy.identity.home, &j->paths, e);
	if (r < 0) {
		net_judge_done(&j->net);
		free(j);
		return r;
	}
	*ret = j;
	return 0;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free(j->kept[i].question);
	net_judge_done(&j->net);
	path_set_done(&j->paths);
	free(j);
}
