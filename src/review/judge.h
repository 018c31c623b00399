/* SPDX-License-Identifier: MIT */
/* What a policy decides on what a line of the record tells, by the code that enforces. */
#ifndef PINFOLD_REVIEW_JUDGE_H
#define PINFOLD_REVIEW_JUDGE_H

#include "base/addr.h"
#include "pinfold_review.h"

#define JUDGE_SUBJECT_MAX 4352

enum judged {
	JUDGED_NOT = 0, /* no question to a policy (a session began), or too little is known */
	JUDGED_DENY,
	JUDGED_ALLOW,
};

/* The kinds of thing that are judged.  The words are those of `pinfold why`. */
enum judge_kind { JUDGE_CONNECT = 0, JUDGE_RESOLVE, JUDGE_FILE, JUDGE_UNIX, JUDGE_KINDS };

/* What a line tells, taken apart. */
struct judge_ask {
	enum judge_kind kind;
	enum judged was;                 /* what was decided then; would_deny counts as a denial */
	char subject[JUDGE_SUBJECT_MAX]; /* raw: a path, a canonical name, or a host */
	struct addr addr;                /* JUDGE_CONNECT */
	bool has_name;                   /* JUDGE_CONNECT: subject is a name, not the address */
	uint16_t port;
	unsigned proto;
	char op[128];
	char reason[32]; /* the record's word */
};

struct judge_answer {
	enum judged now;
	const char *rule; /* as written, or NULL; these live as long as the policy */
	const char *origin;
	const char *reason; /* a sentence */
};

struct judge; /* heap object */

/* The word for a kind: "connect", "resolve", "file", "unix". */
const char *judge_kind_word(enum judge_kind kind);

/* False: the line is no question to a policy. */
bool judge_take(const struct pinfold_log_line *l, struct judge_ask *ret);

/* "api.test:443/udp", "[2001:db8::1]:443", a name, a path: fit for a terminal. */
void judge_say(const struct judge_ask *ask, char *ret, size_t size);

/* The policy is borrowed.  Reads the accounts and this host's addresses. */
int judge_new(const struct pinfold_policy *p, struct judge **ret, struct pinfold_error *e);

struct judge_answer judge_ask(struct judge *j, const struct judge_ask *ask);

/* Accepts NULL. */
void judge_free(struct judge *j);

#endif
