/* SPDX-License-Identifier: MIT */
#include "dns/reply.h"

#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/question.h"

#define OWNER_POINTER 0xc000u
#define OPT_RCODE_SHIFT 24
#define RCODE_EXTENDED_SHIFT 4
#define OUR_UDP_SIZE 1232 /* what fits every path without fragments */
#define EDE_LEN 2

/* Offsets of the counts in the header. */
#define AT_FLAGS 2
#define AT_N_ANSWER 6
#define AT_N_AUTHORITY 8
#define AT_N_ADDITIONAL 10

static void put_question(struct dns_writer *w, const struct dns_name *name, uint16_t type)
{
	dns_put_name(w, name);
	dns_put_u16(w, type);
	dns_put_u16(w, DNS_CLASS_IN);
}

static void put_opt(struct dns_writer *w, uint16_t size, uint16_t rcode, uint16_t ede)
{
	dns_put_u8(w, 0);
	dns_put_u16(w, DNS_TYPE_OPT);
	dns_put_u16(w, size);
	dns_put_u32(w, (uint32_t)(rcode >> RCODE_EXTENDED_SHIFT) << OPT_RCODE_SHIFT);
	if (ede == DNS_EDE_NONE) {
		dns_put_u16(w, 0);
		return;
	}
	dns_put_u16(w, 4 + EDE_LEN);
	dns_put_u16(w, DNS_OPTION_EDE);
	dns_put_u16(w, EDE_LEN);
	dns_put_u16(w, ede);
}

static unsigned put_addresses(struct dns_writer *w, const struct dns_question *q,
			      const struct dns_answer *a, uint64_t keep)
{
	bool v4 = q->type == DNS_TYPE_A;
	uint16_t len = v4 ? 4 : sizeof(a->addrs[0].b);
	unsigned n = 0;

	for (unsigned i = 0; i < a->n_addrs; i++) {
		if (!(keep >> i & 1))
			continue;
		dns_put_u16(w, (uint16_t)(OWNER_POINTER | a->owner));
		dns_put_u16(w, q->type);
		dns_put_u16(w, DNS_CLASS_IN);
		dns_put_u32(w, a->ttl_s);
		dns_put_u16(w, len);
		dns_put_bytes(w, a->addrs[i].b + sizeof(a->addrs[i].b) - len, len);
		n++;
	}
	return n;
}

static void put_answer(struct dns_writer *w, const struct dns_question *q,
		       const struct dns_reply *reply)
{
	const struct dns_answer *a = reply->answer;
	unsigned n;

	dns_put_bytes(w, a->records, a->len);
	n = put_addresses(w, q, a, reply->keep);
	dns_set_u16(w, AT_N_ANSWER, (uint16_t)(a->n_answer + n));
	dns_set_u16(w, AT_N_AUTHORITY, a->n_authority);
}

size_t dns_reply_build(const struct dns_question *q, const struct dns_reply *reply, uint8_t *buf,
		       size_t cap)
{
	struct dns_writer w = dns_writer_over(buf, cap);
	struct dns_writer bare;
	size_t opt_len = q->edns ? 11 + (reply->ede == DNS_EDE_NONE ? 0 : 4 + EDE_LEN) : 0;
	struct dns_header h = {
		.id = q->id,
		.flags = (uint16_t)(DNS_FLAG_QR | (q->wants_recursion ? DNS_FLAG_RD : 0) |
				    DNS_FLAG_RA | (reply->rcode & DNS_FLAG_RCODE)),
		.n_question = q->name.len > 0,
		.n_additional = q->edns,
	};

	dns_put_header(&w, &h);
	if (q->name.len > 0)
		put_question(&w, &q->name, q->type);
	w.cap -= opt_len;
	bare = w;
	if (reply->answer)
		put_answer(&w, q, reply);
	if (w.full) {
		w = bare;
		dns_set_u16(&w, AT_N_ANSWER, 0);
		dns_set_u16(&w, AT_N_AUTHORITY, 0);
		dns_set_u16(&w, AT_FLAGS, (uint16_t)(h.flags | DNS_FLAG_TC));
	}
	w.cap = cap;
	if (q->edns)
		put_opt(&w, OUR_UDP_SIZE, reply->rcode, reply->ede);
	return w.len;
}

size_t dns_upstream_query(const struct dns_name *asked, uint16_t type, uint16_t id, bool edns,
			  uint8_t *buf, size_t cap)
{
	struct dns_writer w = dns_writer_over(buf, cap);
	struct dns_header h = {
		.id = id,
		.flags = DNS_FLAG_RD,
		.n_question = 1,
		.n_additional = edns,
	};

	dns_put_header(&w, &h);
	put_question(&w, asked, type);
	if (edns)
		put_opt(&w, OUR_UDP_SIZE, 0, DNS_EDE_NONE);
	return w.len;
}
