/* SPDX-License-Identifier: MIT */
/* What an upstream sends, all the way: matched, read, vouched for, and answered to a client.  The
 * first byte picks the type that was asked for, the next eight are the ruling. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "dns/answer.h"
#include "dns/msg.h"
#include "dns/notes.h"
#include "dns/proto.h"
#include "dns/question.h"
#include "dns/reply.h"
#include "dns/worker.h"
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint16_t TYPES[] = {
	DNS_TYPE_A,   DNS_TYPE_AAAA, DNS_TYPE_CNAME, DNS_TYPE_PTR, DNS_TYPE_MX,
	DNS_TYPE_TXT, DNS_TYPE_SRV,  DNS_TYPE_SOA,   DNS_TYPE_NS,  DNS_TYPE_CAA,
};

static void check(int holds)
{
	if (!holds)
		abort();
}

/* What the worker would tell passes the supervisor's checks. */
static void check_note(const struct dns_question *q, const struct dns_answer *a)
{
	struct dns_worker w = DNS_WORKER_EMPTY;
	struct dns_notes *notes = calloc(1, sizeof(*notes));
	struct dns_note note;
	int pair[2];

	check(notes && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) == 0);
	notes->channel = w.channel = pair[0];
	w.supervisor = pair[1];
	check(dns_notes_vouch(notes, 1, q, a) == 0);
	check(dns_note_receive(&w, &note) == 0);
	check(note.n_addrs == a->n_addrs && note.ttl_s == a->ttl_s);
	dns_worker_done(&w);
	free(notes);
}

/* Our own reply can be read, and holds what was kept and nothing else. */
static void check_reply(const struct dns_question *q, const struct dns_answer *a, uint64_t keep,
			size_t cap)
{
	const struct dns_reply reply = { .rcode = a->rcode, .answer = a, .keep = keep };
	uint8_t *buf = malloc(cap);
	struct dns_header h;
	struct dns_reader r;
	struct dns_rr rr;
	unsigned kept = 0;
	unsigned addrs = 0;

	check(buf != NULL);
	r = dns_reader_over(buf, dns_reply_build(q, &reply, buf, cap));
	check(r.len <= cap);
	for (unsigned i = 0; i < a->n_addrs; i++)
		kept += keep >> i & 1;
	dns_get_header(&r, &h);
	dns_get_name(&r, &rr.owner);
	check(dns_name_equal(&rr.owner, &q->name));
	dns_get_u32(&r);
	for (unsigned i = 0; i < (unsigned)h.n_answer + h.n_authority + h.n_additional; i++) {
		dns_get_rr(&r, &rr);
		addrs += rr.type == DNS_TYPE_A || rr.type == DNS_TYPE_AAAA;
	}
	check(!r.bad && r.at == r.len);
	check(addrs == (h.flags & DNS_FLAG_TC ? 0 : kept));
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char www[] = "www.test";
	static char bad[] = "bad.test";
	static struct net_rule allow[] = {
		{ .host = HOST_NAME, .name = www, .protos = PROTO_TCP },
	};
	static struct net_rule deny[] = {
		{ .host = HOST_NAME, .name = bad, .protos = PROTO_TCP },
	};
	static const struct policy POLICY = { .net = { .allow = { allow, 1 },
						       .deny = { deny, 1 } } };
	char denied[NAME_BUF];
	struct dns_question q;
	struct dns_answer a;
	struct dns_expected ours = { .id = 7, .any_case = true };
	uint64_t keep;

	if (size < 9)
		return 0;
	check(dns_question_make("www.test", TYPES[data[0] % ARRAY_SIZE(TYPES)], &q) == 0);
	memcpy(&keep, data + 1, sizeof(keep));
	data += 9;
	size -= 9;
	q.edns = keep & 1;
	ours.name = &q.name;
	ours.type = q.type;
	dns_answer_match(data, size, &ours);
	if (dns_answer_read(data, size, &q, &POLICY, &a, denied) < 0)
		return 0;
	check(a.n_addrs <= DNS_ADDRS_MAX && a.ttl_s <= DNS_TTL_MAX_S);
	if (a.n_addrs > 0)
		check_note(&q, &a);
	check_reply(&q, &a, keep, DNS_UDP_MIN);
	check_reply(&q, &a, keep, DNS_REPLY_MAX);
	return 0;
}
