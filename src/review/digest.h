/* SPDX-License-Identifier: MIT */
/* What a record comes to: read once, counted in bounded space.  Behind `log stats` and `report`. */
#ifndef PINFOLD_REVIEW_DIGEST_H
#define PINFOLD_REVIEW_DIGEST_H

#include "pinfold_review.h"
#include "review/judge.h"
#include "review/sessions.h"
#include "review/tally.h"
#include "review/timeline.h"

/* Keys, part by part.  All texts are fit for a terminal. */
enum digest_table {
	DIGEST_REFUSED_DST = 0, /* host, port, proto, reason, verdict; detail: advice */
	DIGEST_REACHED_DST,     /* host, port, proto */
	DIGEST_REFUSED_NAME,    /* name, reason, verdict; detail: advice */
	DIGEST_REACHED_NAME,    /* name */
	DIGEST_STRIPPED,        /* name, reason; detail: advice */
	DIGEST_REFUSED_PATH,    /* path, op, reason, verdict; detail: advice */
	DIGEST_REFUSED_SOCKET,  /* path, op, reason, verdict; detail: advice */
	DIGEST_REFUSED_OTHER,   /* event, op, reason, verdict: binds, calls, tools */
	DIGEST_LEADS,           /* name, address */
	DIGEST_RULES,           /* rule, origin: what decided, as the record says */
	DIGEST_EVENTS,          /* event */
	DIGEST_AGENTS,          /* agent */
	DIGEST_USED,            /* rule, origin: what decided, by the policy as it is now */
	DIGEST_RULE_HOST,       /* rule, host that it let through */
	DIGEST_RULE_PORT,       /* rule, port/proto that it let through */
	DIGEST_TABLES,
};

struct digest {
	struct tally table[DIGEST_TABLES];
	uint64_t verdicts[TIMELINE_MAX];
	struct timeline timeline;
	struct sessions sessions;
	int64_t first_us; /* 0: no line */
	int64_t last_us;
	struct pinfold_log_counts counts;
	const char *path;                    /* borrowed from the query */
	const struct pinfold_policy *policy; /* borrowed; NULL: none */
	struct judge *judge;                 /* NULL: no policy */
	struct judge_ask ask;                /* of the line in hand: too large for a stack */
};

/* free with digest_free(). */
int digest_read(const struct pinfold_log_query *q, struct digest **ret, struct pinfold_error *e);

/* Did an entry decide anything, by the record or by the policy as it is now? */
bool digest_rule_was_used(const struct digest *d, const char *text, const char *origin);

/* Accepts NULL. */
void digest_free(struct digest *d);

#endif
