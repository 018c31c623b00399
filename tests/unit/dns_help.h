/* SPDX-License-Identifier: MIT */
/* Shared by the tests of src/dns: small policies, and messages built record by record. */
#ifndef PINFOLD_TESTS_DNS_HELP_H
#define PINFOLD_TESTS_DNS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clean.h"
#include "dns/answer.h"
#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/question.h"
#include "dns/reply.h"
#include "policy/names.h"

#define NAME_RULE(kind, text)                                                                      \
	{                                                                                          \
		.host = (kind), .name = (char[]){ text }, .port_high = 65535, .protos = PROTO_TCP  \
	}

/* A message under construction. */
struct made {
	uint8_t buf[20000];
	struct dns_writer w;
};

static inline struct dns_name wire(const char *text)
{
	struct dns_name name = { .len = 1 };

	if (*text)
		assert_int_equal(dns_name_from_text(text, &name), 0);
	return name;
}

static inline void begin(struct made *m, uint16_t id, uint16_t flags, const char *name,
			 uint16_t type)
{
	struct dns_header h = { .id = id, .flags = flags, .n_question = 1 };
	struct dns_name n = wire(name);

	m->w = dns_writer_over(m->buf, sizeof(m->buf));
	dns_put_header(&m->w, &h);
	dns_put_name(&m->w, &n);
	dns_put_u16(&m->w, type);
	dns_put_u16(&m->w, DNS_CLASS_IN);
}

enum section { AT_ANSWER = 6, AT_AUTHORITY = 8, AT_ADDITIONAL = 10 };

static inline void rr(struct made *m, enum section at, const char *owner, uint16_t type,
		      uint32_t ttl, const void *data, size_t n)
{
	struct dns_name name = wire(owner);

	dns_put_name(&m->w, &name);
	dns_put_u16(&m->w, type);
	dns_put_u16(&m->w, DNS_CLASS_IN);
	dns_put_u32(&m->w, ttl);
	dns_put_u16(&m->w, (uint16_t)n);
	dns_put_bytes(&m->w, data, n);
	dns_set_u16(&m->w, at, (uint16_t)((m->buf[at] << 8 | m->buf[at + 1]) + 1));
}

static inline void rr_addr(struct made *m, const char *owner, const char *addr, uint32_t ttl)
{
	struct addr a;

	assert_int_equal(addr_parse(addr, &a), 0);
	if (addr_is_v4(&a))
		rr(m, AT_ANSWER, owner, DNS_TYPE_A, ttl, a.b + 12, 4);
	else
		rr(m, AT_ANSWER, owner, DNS_TYPE_AAAA, ttl, a.b, 16);
}

static inline void rr_cname(struct made *m, const char *owner, const char *target, uint32_t ttl)
{
	struct dns_name t = wire(target);

	rr(m, AT_ANSWER, owner, DNS_TYPE_CNAME, ttl, t.wire, t.len);
}

static inline struct addr ip(const char *text)
{
	struct addr a;

	assert_int_equal(addr_parse(text, &a), 0);
	return a;
}

/* A message of ours, read back. */
struct seen {
	struct dns_header h;
	struct dns_name question;
	struct dns_rr rr[256];
	size_t n_rr;
	unsigned n_addrs;
	uint16_t ede;
	bool opt;
};

static inline void read_back(const uint8_t *msg, size_t len, struct seen *ret)
{
	struct dns_reader r = dns_reader_over(msg, len);
	size_t n;

	memset(ret, 0, sizeof(*ret));
	dns_get_header(&r, &ret->h);
	if (ret->h.n_question) {
		dns_get_name(&r, &ret->question);
		dns_get_u32(&r);
	}
	n = (size_t)ret->h.n_answer + ret->h.n_authority + ret->h.n_additional;
	assert_true(n <= ARRAY_SIZE(ret->rr));
	for (size_t i = 0; i < n; i++) {
		struct dns_rr *rec = &ret->rr[i];

		dns_get_rr(&r, rec);
		ret->n_addrs += rec->type == DNS_TYPE_A || rec->type == DNS_TYPE_AAAA;
		if (rec->type != DNS_TYPE_OPT)
			continue;
		ret->opt = true;
		if (rec->rdlen >= 6)
			ret->ede = (uint16_t)(msg[rec->rdata + 4] << 8 | msg[rec->rdata + 5]);
	}
	ret->n_rr = n;
	assert_false(r.bad);
	assert_int_equal(r.at, len);
}

#endif
