/* SPDX-License-Identifier: MIT */
/* What becomes of a question: answered here, refused, or asked of an upstream. */
#ifndef PINFOLD_DNS_GATE_H
#define PINFOLD_DNS_GATE_H

#include <stddef.h>
#include <stdint.h>

#include "dns/worker.h"

struct dns_question;
struct policy;

/* Names that were seen under wildcard entries lately; must be a power of two. */
#define DNS_SEEN_MAX 16384

/* Tokens for new names under one wildcard entry. */
struct dns_bucket {
	uint64_t filled_ms;
	uint64_t tokens_milli;
};

struct dns_gate {
	const struct policy *policy; /* borrowed */
	struct dns_bucket *bucket;   /* one for each entry of allowOutbound */
	uint64_t *seen;              /* DNS_SEEN_MAX hashes; a lost one only costs a token */
	uint64_t seed;               /* unknown to the pen */
};

enum dns_action {
	DNS_ACT_REFUSE = 0, /* with the reason in `refusal` */
	DNS_ACT_LOCALHOST,  /* answered here with loopback addresses */
	DNS_ACT_EMPTY,      /* no error, no records */
	DNS_ACT_FORWARD,
};

struct dns_verdict {
	enum dns_action action;
	enum dns_refusal refusal;
};

/* -ENOMEM. */
int dns_gate_prepare(struct dns_gate *g, const struct policy *p, uint64_t seed);
void dns_gate_done(struct dns_gate *g);

struct dns_verdict dns_gate_judge(struct dns_gate *g, const struct dns_question *q,
				  uint64_t now_ms);

/* RCODE and Extended DNS Error of a refusal. */
uint16_t dns_refusal_rcode(const struct policy *p, enum dns_refusal refusal);
uint16_t dns_refusal_ede(enum dns_refusal refusal);

/* A hash for tables that the pen can fill. */
uint64_t dns_hash(uint64_t seed, const void *bytes, size_t n);

#endif
