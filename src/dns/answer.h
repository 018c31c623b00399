/* SPDX-License-Identifier: MIT */
/* What an upstream's message says about one question, and nothing else that it says. */
#ifndef PINFOLD_DNS_ANSWER_H
#define PINFOLD_DNS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/name.h"
#include "dns/worker.h"

struct dns_name;
struct dns_question;
struct policy;

#define DNS_CHAIN_MAX 16       /* CNAMEs from the question to the addresses */
#define DNS_RECORDS_MAX 8192   /* bytes of records in one answer */
#define DNS_ANSWER_RECORDS 256 /* records in the answer section of an upstream's message */

/* An answer, shared by all who asked the same.  Ready to be sent but for the header, the
 * question and those addresses that the supervisor keeps. */
struct dns_answer {
	uint16_t rcode;
	uint32_t ttl_s; /* the shortest of the chain, at most DNS_TTL_MAX_S */
	uint16_t n_addrs;
	struct addr addrs[DNS_ADDRS_MAX];
	uint16_t owner;       /* offset in the reply of the name that owns the addresses */
	uint16_t n_answer;    /* records: CNAMEs of the chain, or what was asked for */
	uint16_t n_authority; /* the SOA of a negative answer; then there are no addresses */
	uint16_t len;
	uint8_t records[DNS_RECORDS_MAX]; /* they follow the question */
};

/* How an upstream's message stands to our query. */
enum dns_match {
	DNS_MATCH_NONE = 0,  /* another id or question: somebody else's, or forged */
	DNS_MATCH_CASE,      /* ours but for the case of letters: perhaps forged */
	DNS_MATCH_TRUNCATED, /* ask again over TCP */
	DNS_MATCH_FAILED,    /* the upstream can't or won't */
	DNS_MATCH_NO_EDNS,   /* the upstream does not know EDNS */
	DNS_MATCH_ANSWER,
};

/* What a query of ours asked for. */
struct dns_expected {
	uint16_t id;
	uint16_t type;
	const struct dns_name *name; /* in the case that was sent */
	bool any_case;               /* nobody can forge here: letters may come back in any case */
};

enum dns_match dns_answer_match(const uint8_t *msg, size_t len, const struct dns_expected *ours);

/* Follows the chain of q through a message that matches.  -EBADMSG: malformed.  -ELOOP: the chain
 * loops or is too long.  -EACCES: a name of the chain is refused by the policy; its text is then
 * in ret_denied. */
int dns_answer_read(const uint8_t *msg, size_t len, const struct dns_question *q,
		    const struct policy *p, struct dns_answer *ret,
		    char ret_denied[static NAME_BUF]);

#endif
