/* SPDX-License-Identifier: MIT */
#include "dns/rdata.h"

#include <errno.h>

#include "base/clean.h"
#include "dns/msg.h"
#include "dns/proto.h"

/* Fixed bytes, then names, then fixed bytes or character strings or free bytes. */
struct form {
	uint16_t type;
	uint8_t before;
	uint8_t names;
	uint8_t after;
	enum { REST_NONE = 0, REST_STRINGS, REST_FREE } rest;
};

static const struct form FORMS[] = {
	{ DNS_TYPE_NS, 0, 1, 0, REST_NONE },
	{ DNS_TYPE_CNAME, 0, 1, 0, REST_NONE },
	{ DNS_TYPE_SOA, 0, 2, 20, REST_NONE },
	{ DNS_TYPE_PTR, 0, 1, 0, REST_NONE },
	{ DNS_TYPE_MX, 2, 1, 0, REST_NONE },
	{ DNS_TYPE_TXT, 0, 0, 0, REST_STRINGS },
	{ DNS_TYPE_SRV, 6, 1, 0, REST_NONE },
	{ DNS_TYPE_CAA, 2, 0, 0, REST_FREE }, /* flags and the tag's length */
};

static const struct form *find_form(uint16_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(FORMS); i++)
		if (FORMS[i].type == type)
			return &FORMS[i];
	return NULL;
}

static void copy_bytes(struct dns_reader *r, size_t n, struct dns_writer *w)
{
	const uint8_t *bytes = dns_get_bytes(r, n);

	if (bytes)
		dns_put_bytes(w, bytes, n);
}

static void copy_string(struct dns_reader *r, struct dns_writer *w)
{
	uint8_t n = dns_get_u8(r);

	dns_put_u8(w, n);
	copy_bytes(r, n, w);
}

int dns_rdata_copy(const struct dns_reader *r, const struct dns_rr *rr, struct dns_writer *w)
{
	const struct form *form = find_form(rr->type);
	struct dns_reader rdata = dns_rdata_reader(r, rr);
	size_t length_at = w->len;

	if (!form)
		return -EOPNOTSUPP;
	dns_put_u16(w, 0);
	copy_bytes(&rdata, form->before, w);
	for (unsigned i = 0; i < form->names; i++) {
		struct dns_name name;

		dns_get_name(&rdata, &name);
		dns_put_name(w, &name);
	}
	copy_bytes(&rdata, form->after, w);
	while (form->rest == REST_STRINGS && !rdata.bad && rdata.at < rdata.len)
		copy_string(&rdata, w);
	if (form->rest == REST_FREE && !rdata.bad)
		copy_bytes(&rdata, rdata.len - rdata.at, w);
	if (rdata.bad || rdata.at != rdata.len)
		return -EBADMSG;
	if (!w->full)
		dns_set_u16(w, length_at, (uint16_t)(w->len - length_at - 2));
	return 0;
}
