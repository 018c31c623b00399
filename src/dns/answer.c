/* SPDX-License-Identifier: MIT */
/*
 * DOC: Only the owner chain of the question is believed.  The answer section is searched for the
 * records that the asked name owns, then for those that its CNAME's target owns, and so on;
 * whatever else stands in the message, in whatever section, is not looked at.
 */
#include "dns/answer.h"

#include <errno.h>
#include <string.h>

#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/question.h"
#include "dns/rdata.h"
#include "policy/names.h"

#define OWNER_POINTER 0xc000u

/* One walk along the chain. */
struct walk {
	const struct dns_question *q;
	const struct policy *policy;
	struct dns_header header;
	struct dns_reader answers; /* stands before the answer section */
	struct dns_reader rest;    /* stands behind it, once it was read */
	struct dns_name name[DNS_CHAIN_MAX + 1];
	size_t n_names;        /* the last one is the one to look for */
	struct dns_answer *to; /* borrowed */
	struct dns_writer w;   /* over to->records */
};

enum dns_match dns_answer_match(const uint8_t *msg, size_t len, const struct dns_expected *ours)
{
	struct dns_reader r = dns_reader_over(msg, len);
	struct dns_header h;
	struct dns_name name;
	unsigned rcode;
	bool same;

	dns_get_header(&r, &h);
	if (r.bad || h.id != ours->id || !(h.flags & DNS_FLAG_QR) || h.flags & DNS_FLAG_OPCODE)
		return DNS_MATCH_NONE;
	rcode = h.flags & DNS_FLAG_RCODE;
	/* Servers that choke on EDNS may leave the question out. */
	if (h.n_question == 0 && (rcode == DNS_FORMERR || rcode == DNS_NOTIMP))
		return DNS_MATCH_NO_EDNS;
	if (h.n_question != 1)
		return DNS_MATCH_NONE;
	dns_get_name(&r, &name);
	same = dns_get_u16(&r) == ours->type && dns_get_u16(&r) == DNS_CLASS_IN;
	if (r.bad || !same || !dns_name_equal(&name, ours->name))
		return DNS_MATCH_NONE;
	if (!ours->any_case && memcmp(name.wire, ours->name->wire, name.len) != 0)
		return DNS_MATCH_CASE;
	if (h.flags & DNS_FLAG_TC)
		return DNS_MATCH_TRUNCATED;
	if (rcode == DNS_FORMERR || rcode == DNS_NOTIMP)
		return DNS_MATCH_NO_EDNS;
	return rcode == DNS_NOERROR || rcode == DNS_NXDOMAIN ? DNS_MATCH_ANSWER : DNS_MATCH_FAILED;
}

static uint32_t sane_ttl(uint32_t ttl)
{
	if (ttl > INT32_MAX) /* RFC 2181: the top bit set means zero */
		return 0;
	return ttl < DNS_TTL_MAX_S ? ttl : DNS_TTL_MAX_S;
}

static void lower_ttl(struct dns_answer *a, uint32_t ttl)
{
	if (ttl < a->ttl_s)
		a->ttl_s = ttl;
}

/* Where in the reply the next byte of the records will stand. */
static uint16_t reply_offset(const struct walk *k)
{
	return (uint16_t)(DNS_HEADER_LEN + k->q->name.len + 4 + k->w.len);
}

static void put_record_head(struct dns_writer *w, uint16_t owner, uint16_t type, uint32_t ttl)
{
	dns_put_u16(w, (uint16_t)(OWNER_POINTER | owner));
	dns_put_u16(w, type);
	dns_put_u16(w, DNS_CLASS_IN);
	dns_put_u32(w, ttl);
}

static int take_address(const struct walk *k, const struct dns_rr *rr)
{
	struct dns_reader rdata = dns_rdata_reader(&k->answers, rr);
	const uint8_t *bytes = dns_get_bytes(&rdata, rr->rdlen);
	struct dns_answer *a = k->to;
	uint32_t v4;

	if (!bytes || rr->rdlen != (rr->type == DNS_TYPE_A ? sizeof(v4) : sizeof(a->addrs[0].b)))
		return -EBADMSG;
	if (a->n_addrs == DNS_ADDRS_MAX)
		return 0; /* enough to connect to; what is not answered needs no vouching */
	if (rr->type == DNS_TYPE_A) {
		memcpy(&v4, bytes, sizeof(v4));
		a->addrs[a->n_addrs++] = addr_from_v4(v4);
	} else {
		memcpy(a->addrs[a->n_addrs++].b, bytes, sizeof(a->addrs[0].b));
	}
	return 0;
}

/* A record of the type that was asked for, owned by the last name of the chain. */
static int take_record(struct walk *k, const struct dns_rr *rr)
{
	lower_ttl(k->to, sane_ttl(rr->ttl));
	if (rr->type == DNS_TYPE_A || rr->type == DNS_TYPE_AAAA)
		return take_address(k, rr);
	put_record_head(&k->w, k->to->owner, rr->type, sane_ttl(rr->ttl));
	k->to->n_answer++;
	return dns_rdata_copy(&k->answers, rr, &k->w);
}

/* Takes all records of the wanted type that the last name owns, and leaves its CNAME in *ret_cname
 * (rdlen 0: it has none).  Returns how many were taken. */
static int take_owned(struct walk *k, struct dns_rr *ret_cname)
{
	const struct dns_name *owner = &k->name[k->n_names - 1];
	struct dns_reader r = k->answers;
	int taken = 0;

	ret_cname->rdlen = 0;
	for (unsigned i = 0; i < k->header.n_answer; i++) {
		struct dns_rr rr;

		dns_get_rr(&r, &rr);
		if (r.bad)
			return -EBADMSG;
		if (rr.class != DNS_CLASS_IN || !dns_name_equal(&rr.owner, owner))
			continue;
		if (rr.type == k->q->type) {
			int err = take_record(k, &rr);

			if (err < 0)
				return err;
			taken++;
		} else if (rr.type == DNS_TYPE_CNAME && ret_cname->rdlen == 0) {
			*ret_cname = rr;
		}
	}
	k->rest = r;
	return taken;
}

static bool chain_has(const struct walk *k, const struct dns_name *name)
{
	for (size_t i = 0; i < k->n_names; i++)
		if (dns_name_equal(&k->name[i], name))
			return true;
	return false;
}

/* A target needs no allow entry: it is reachable because the asked name led there.  But what was
 * denied by name stays denied by every name. */
static bool target_is_denied(const struct policy *p, const char *name)
{
	const struct net_rule *rule = NULL;

	if (policy_may_resolve(p, name, &rule))
		return false;
	return rule || (name_is_metadata(name) && !p->net.allow_metadata);
}

static int follow(struct walk *k, const struct dns_rr *cname, char ret_denied[static NAME_BUF])
{
	struct dns_reader rdata = dns_rdata_reader(&k->answers, cname);
	struct dns_name target;
	char text[NAME_BUF];

	dns_get_name(&rdata, &target);
	if (rdata.bad || rdata.at != rdata.len || dns_name_canonical(&target, text) < 0)
		return -EBADMSG;
	if (k->n_names > DNS_CHAIN_MAX || chain_has(k, &target))
		return -ELOOP;
	if (target_is_denied(k->policy, text)) {
		memcpy(ret_denied, text, sizeof(text));
		return -EACCES;
	}
	put_record_head(&k->w, k->to->owner, DNS_TYPE_CNAME, sane_ttl(cname->ttl));
	dns_put_u16(&k->w, target.len);
	k->to->owner = reply_offset(k);
	dns_put_name(&k->w, &target);
	k->to->n_answer++;
	lower_ttl(k->to, sane_ttl(cname->ttl));
	k->name[k->n_names++] = target;
	return 0;
}

static bool zone_holds(const struct dns_name *zone, const struct dns_name *name)
{
	for (size_t at = 0; at < name->len; at += (size_t)name->wire[at] + 1) {
		struct dns_name tail = { .len = (uint8_t)(name->len - at) };

		memcpy(tail.wire, name->wire + at, tail.len);
		if (dns_name_equal(&tail, zone))
			return true;
	}
	return false;
}

/* How long "no" holds stands in the SOA of the zone that says so. */
static int take_soa(struct walk *k)
{
	for (unsigned i = 0; i < k->header.n_authority; i++) {
		struct dns_rr rr;

		dns_get_rr(&k->rest, &rr);
		if (k->rest.bad)
			return -EBADMSG;
		if (rr.type != DNS_TYPE_SOA || rr.class != DNS_CLASS_IN ||
		    !zone_holds(&rr.owner, &k->name[k->n_names - 1]))
			continue;
		dns_put_name(&k->w, &rr.owner);
		dns_put_u16(&k->w, rr.type);
		dns_put_u16(&k->w, rr.class);
		dns_put_u32(&k->w, sane_ttl(rr.ttl));
		k->to->n_authority = 1;
		return dns_rdata_copy(&k->rest, &rr, &k->w);
	}
	return 0;
}

/* Stands before the first record of the answer section. */
static int open_answers(struct walk *k, const uint8_t *msg, size_t len)
{
	struct dns_name name;

	k->answers = dns_reader_over(msg, len);
	dns_get_header(&k->answers, &k->header);
	dns_get_name(&k->answers, &name);
	dns_get_u32(&k->answers); /* type and class */
	return k->answers.bad || k->header.n_answer > DNS_ANSWER_RECORDS ? -EBADMSG : 0;
}

int dns_answer_read(const uint8_t *msg, size_t len, const struct dns_question *q,
		    const struct policy *p, struct dns_answer *ret,
		    char ret_denied[static NAME_BUF])
{
	struct walk k = { .q = q, .policy = p, .to = ret, .n_names = 1 };
	struct dns_rr cname;
	int taken;
	int err = open_answers(&k, msg, len);

	memset(ret, 0, offsetof(struct dns_answer, records));
	ret->ttl_s = DNS_TTL_MAX_S;
	ret->owner = DNS_HEADER_LEN;
	k.w = dns_writer_over(ret->records, sizeof(ret->records));
	k.name[0] = q->name;
	if (err < 0)
		return err;
	for (;;) {
		taken = take_owned(&k, &cname);
		if (taken < 0)
			return taken;
		if (taken > 0 || cname.rdlen == 0)
			break;
		err = follow(&k, &cname, ret_denied);
		if (err < 0)
			return err;
	}
	if (taken == 0) {
		ret->rcode = k.header.flags & DNS_FLAG_RCODE;
		err = take_soa(&k);
	}
	if (err < 0 || k.w.full)
		return -EBADMSG;
	ret->len = (uint16_t)k.w.len;
	return 0;
}
