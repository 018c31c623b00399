/* SPDX-License-Identifier: MIT */
/* The messages that we send: replies to clients, queries to upstreams. */
#ifndef PINFOLD_DNS_REPLY_H
#define PINFOLD_DNS_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/answer.h"

struct dns_name;
struct dns_question;

/* The longest reply: an answer, all its addresses, header, question and OPT. */
#define DNS_REPLY_MAX (DNS_RECORDS_MAX + DNS_ADDRS_MAX * 28 + 512)

/* What goes back to one client. */
struct dns_reply {
	uint16_t rcode;
	uint16_t ede;                    /* DNS_EDE_NONE: none */
	const struct dns_answer *answer; /* NULL: no records */
	uint64_t keep;                   /* bit i: addrs[i] is answered */
};

/* Writes the reply to q, at most cap bytes (no less than DNS_UDP_MIN): what does not fit is left
 * out as a whole and the reply marked as truncated.  Returns its length. */
size_t dns_reply_build(const struct dns_question *q, const struct dns_reply *reply, uint8_t *buf,
		       size_t cap);

/* The query to an upstream.  Returns its length; a cap of DNS_UDP_MIN suffices. */
size_t dns_upstream_query(const struct dns_name *asked, uint16_t type, uint16_t id, bool edns,
			  uint8_t *buf, size_t cap);

#endif
