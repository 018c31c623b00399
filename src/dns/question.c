/* SPDX-License-Identifier: MIT */
#include "dns/question.h"

#include <errno.h>
#include <string.h>

#include "dns/proto.h"

#define UDP_SIZE_MAX 4096 /* loopback carries it in one piece */
#define ADDITIONAL_MAX 4  /* OPT, and what else a client may add */
#define OPT_VERSION_SHIFT 16
#define OPT_VERSION_MASK 0xffu

/* Options are read over, for their form: none of them changes an answer, none goes upstream. */
static bool options_are_sound(const struct dns_reader *r, const struct dns_rr *rr)
{
	struct dns_reader options = dns_rdata_reader(r, rr);

	while (!options.bad && options.at < options.len) {
		dns_get_u16(&options);
		dns_get_bytes(&options, dns_get_u16(&options));
	}
	return !options.bad;
}

static int parse_opt(const struct dns_reader *r, const struct dns_rr *rr, struct dns_question *q)
{
	if (q->edns || rr->owner.len != 1 || !options_are_sound(r, rr))
		return DNS_FORMERR;
	q->edns = true;
	/* The class of an OPT record is the size of the client's buffer. */
	q->udp_size = rr->class < DNS_UDP_MIN ? DNS_UDP_MIN : rr->class;
	if (q->udp_size > UDP_SIZE_MAX)
		q->udp_size = UDP_SIZE_MAX;
	return (rr->ttl >> OPT_VERSION_SHIFT & OPT_VERSION_MASK) == 0 ? 0 : DNS_BADVERS;
}

static int parse_additional(struct dns_reader *r, unsigned n, struct dns_question *q)
{
	int rcode = 0;

	if (n > ADDITIONAL_MAX)
		return DNS_FORMERR;
	for (unsigned i = 0; i < n && rcode == 0; i++) {
		struct dns_rr rr;

		dns_get_rr(r, &rr);
		if (r->bad)
			return DNS_FORMERR;
		if (rr.type == DNS_TYPE_OPT)
			rcode = parse_opt(r, &rr, q);
	}
	return rcode;
}

int dns_question_parse(const uint8_t *msg, size_t len, struct dns_question *ret)
{
	struct dns_reader r = dns_reader_over(msg, len);
	struct dns_question q = { .udp_size = DNS_UDP_MIN };
	struct dns_header h;
	uint16_t class;
	int rcode;

	dns_get_header(&r, &h);
	/* Answering an answer is how two servers talk for ever. */
	if (r.bad || h.flags & DNS_FLAG_QR)
		return -EBADMSG;
	q.id = h.id;
	q.wants_recursion = h.flags & DNS_FLAG_RD;
	*ret = q;
	if (h.flags & DNS_FLAG_OPCODE)
		return DNS_NOTIMP;
	if (h.n_question != 1 || h.n_answer != 0 || h.n_authority != 0)
		return DNS_FORMERR;
	dns_get_name(&r, &q.name);
	q.type = dns_get_u16(&r);
	class = dns_get_u16(&r);
	if (r.bad)
		return DNS_FORMERR;
	rcode = parse_additional(&r, h.n_additional, &q);
	if (rcode == 0 && r.at != r.len)
		rcode = DNS_FORMERR;
	if (rcode == 0 && class != DNS_CLASS_IN) {
		/* The question is echoed as class IN: better none than a wrong one. */
		q.name.len = 0;
		rcode = DNS_REFUSED;
	}
	if (rcode == DNS_FORMERR)
		return rcode;
	if (dns_name_canonical(&q.name, q.text) < 0)
		q.text[0] = '\0';
	*ret = q;
	return rcode;
}

int dns_question_make(const char *name, uint16_t type, struct dns_question *ret)
{
	struct dns_question q = { .type = type, .wants_recursion = true, .udp_size = DNS_UDP_MIN };

	if (dns_name_from_text(name, &q.name) < 0)
		return -EINVAL;
	dns_name_canonical(&q.name, q.text);
	*ret = q;
	return 0;
}
