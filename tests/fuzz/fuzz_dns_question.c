/* SPDX-License-Identifier: MIT */
/* What a client sends: parsed, judged for its form, answered. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dns/proto.h"
#include "dns/question.h"
#include "dns/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_reply reply = { .ede = DNS_EDE_BLOCKED };
	struct dns_question q;
	struct dns_question again;
	char print[DNS_NAME_PRINT_MAX];
	uint8_t buf[DNS_UDP_MIN];
	size_t len;
	int rcode = dns_question_parse(data, size, &q);

	if (rcode < 0)
		return 0;
	if (q.name.len > 0)
		dns_name_print(&q.name, print);
	if (q.name.len > 0 && q.text[0]) {
		struct dns_name name;

		/* The canonical text is the same name, and nothing but it. */
		check(dns_name_from_text(q.text, &name) == 0 && dns_name_equal(&name, &q.name));
		for (const char *c = print; *c; c++)
			check(*c > ' ' && *c <= '~');
	}
	reply.rcode = (uint16_t)rcode;
	len = dns_reply_build(&q, &reply, buf, sizeof(buf));
	check(len >= DNS_HEADER_LEN && len <= sizeof(buf));
	/* As a question, our reply would say the same. */
	buf[2] &= 0x7f;
	if (rcode == 0) {
		check(dns_question_parse(buf, len, &again) == 0);
		check(again.id == q.id && again.type == q.type && again.edns == q.edns);
		check(again.name.len == q.name.len &&
		      memcmp(again.name.wire, q.name.wire, q.name.len) == 0);
	}
	return 0;
}
