/* SPDX-License-Identifier: MIT */
#include "dns/gate.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "dns/proto.h"
#include "dns/question.h"
#include "policy/names.h"

#define MILLI 1000u
#define MINUTE_S 60u

enum rcode_choice { RCODE_OF_POLICY = 0, RCODE_REFUSED, RCODE_NOTIMP };

static const struct {
	enum rcode_choice rcode;
	uint16_t ede;
} REFUSALS[] = {
	[DNS_REFUSAL_NONE] = { RCODE_OF_POLICY, DNS_EDE_BLOCKED },
	[DNS_REFUSAL_NAME] = { RCODE_OF_POLICY, DNS_EDE_BLOCKED },
	[DNS_REFUSAL_FORM] = { RCODE_OF_POLICY, DNS_EDE_BLOCKED },
	[DNS_REFUSAL_CHAIN] = { RCODE_OF_POLICY, DNS_EDE_BLOCKED },
	[DNS_REFUSAL_TYPE] = { RCODE_NOTIMP, DNS_EDE_NOT_SUPPORTED },
	[DNS_REFUSAL_RATE] = { RCODE_REFUSED, DNS_EDE_BLOCKED },
	[DNS_REFUSAL_ABSENT] = { RCODE_REFUSED, DNS_EDE_BLOCKED },
};
_Static_assert(ARRAY_SIZE(REFUSALS) == DNS_REFUSAL_MAX, "a row for each refusal");

/* What programs need.  Anything else, ANY and zone transfers too, gets NOTIMP.  Hints of
 * HTTPS and SVCB records would have to be vouched for like addresses: the empty answer makes
 * programs ask for the addresses themselves. */
static const struct {
	uint16_t type;
	enum dns_action action;
} TYPES[] = {
	{ DNS_TYPE_A, DNS_ACT_FORWARD },     { DNS_TYPE_AAAA, DNS_ACT_FORWARD },
	{ DNS_TYPE_CNAME, DNS_ACT_FORWARD }, { DNS_TYPE_HTTPS, DNS_ACT_EMPTY },
	{ DNS_TYPE_SVCB, DNS_ACT_EMPTY },    { DNS_TYPE_PTR, DNS_ACT_FORWARD },
	{ DNS_TYPE_SRV, DNS_ACT_FORWARD },   { DNS_TYPE_MX, DNS_ACT_FORWARD },
	{ DNS_TYPE_TXT, DNS_ACT_FORWARD },   { DNS_TYPE_NS, DNS_ACT_FORWARD },
	{ DNS_TYPE_SOA, DNS_ACT_FORWARD },   { DNS_TYPE_CAA, DNS_ACT_FORWARD },
};

uint64_t dns_hash(uint64_t seed, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	uint64_t hash = seed ^ 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ b[i]) * 0x100000001b3u;
	/* The low bits of a product know only low bits: stir. */
	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}

uint16_t dns_refusal_rcode(const struct policy *p, enum dns_refusal refusal)
{
	enum rcode_choice choice = RCODE_REFUSED;

	if (refusal < DNS_REFUSAL_MAX)
		choice = REFUSALS[refusal].rcode;
	if (choice == RCODE_NOTIMP)
		return DNS_NOTIMP;
	if (choice == RCODE_OF_POLICY && p->net.dns.denied_answer == ANSWER_NXDOMAIN)
		return DNS_NXDOMAIN;
	return DNS_REFUSED;
}

uint16_t dns_refusal_ede(enum dns_refusal refusal)
{
	return refusal < DNS_REFUSAL_MAX ? REFUSALS[refusal].ede : DNS_EDE_BLOCKED;
}

int dns_gate_prepare(struct dns_gate *g, const struct policy *p, uint64_t seed)
{
	auto_free struct dns_bucket *bucket = calloc(p->net.allow.n + 1, sizeof(*bucket));
	auto_free uint64_t *seen = calloc(DNS_SEEN_MAX, sizeof(*seen));

	if (!bucket || !seen)
		return -ENOMEM;
	*g = (struct dns_gate){
		.policy = p,
		.bucket = take_ptr(bucket),
		.seen = take_ptr(seen),
		.seed = seed,
	};
	return 0;
}

void dns_gate_done(struct dns_gate *g)
{
	free(g->bucket);
	free(g->seen);
	*g = (struct dns_gate){ 0 };
}

static bool is_localhost(const char *name)
{
	return strcmp(name, "localhost") == 0 || name_is_below(name, "localhost");
}

/* The last label is a number in any spelling that inet_aton takes: programs would take the name
 * for an address, and no such top-level domain exists. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;

	if (last[0] == '0' && last[1] == 'x')
		return last[2 + strspn(last + 2, "0123456789abcdef")] == '\0';
	return last[strspn(last, "0123456789")] == '\0';
}

static bool is_wildcard(const struct net_rule *rule)
{
	return rule->host == HOST_BELOW || rule->host == HOST_BELOW_SELF || rule->host == HOST_ANY;
}

static bool bucket_take(struct dns_bucket *b, uint64_t per_minute, uint64_t now_ms)
{
	uint64_t most = per_minute * MILLI;

	if (b->filled_ms == 0) {
		b->tokens_milli = most;
		b->filled_ms = now_ms;
	} else {
		/* per_minute tokens in 60 s are per_minute / 60 milli-tokens a millisecond. */
		uint64_t idle_ms = now_ms - b->filled_ms;

		if (idle_ms > (uint64_t)MINUTE_S * MILLI)
			idle_ms = (uint64_t)MINUTE_S * MILLI;
		b->tokens_milli += idle_ms * per_minute / MINUTE_S;
		/* Time too short for a milli-token is not lost. */
		if (idle_ms * per_minute >= MINUTE_S)
			b->filled_ms = now_ms;
	}
	if (b->tokens_milli > most)
		b->tokens_milli = most;
	if (b->tokens_milli < MILLI)
		return false;
	b->tokens_milli -= MILLI;
	return true;
}

/* Names below a wildcard can carry data out, one query each.  Asking again for a known one is free.
 */
static bool within_rate(struct dns_gate *g, const struct net_rule *rule, const char *name,
			uint64_t now_ms)
{
	uint64_t hash = dns_hash(g->seed, name, strlen(name)) | 1; /* 0 is an empty slot */
	uint64_t *slot = &g->seen[hash >> 1 & (DNS_SEEN_MAX - 1)];
	unsigned limit = g->policy->net.dns.new_names_per_minute;
	size_t at = (size_t)(rule - g->policy->net.allow.rule);

	if (limit == 0 || !is_wildcard(rule) || *slot == hash)
		return true;
	if (at >= g->policy->net.allow.n || !bucket_take(&g->bucket[at], limit, now_ms))
		return false;
	*slot = hash;
	return true;
}

static enum dns_action action_of_type(uint16_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(TYPES); i++)
		if (TYPES[i].type == type)
			return TYPES[i].action;
	return DNS_ACT_REFUSE;
}

static struct dns_verdict refuse(enum dns_refusal refusal)
{
	return (struct dns_verdict){ .action = DNS_ACT_REFUSE, .refusal = refusal };
}

/* The name is judged before the type: all questions about a refused name look the same. */
struct dns_verdict dns_gate_judge(struct dns_gate *g, const struct dns_question *q, uint64_t now_ms)
{
	const struct net_rule *rule = NULL;
	enum dns_action action = action_of_type(q->type);

	if (q->text[0] == '\0' || ends_in_number(q->text))
		return refuse(DNS_REFUSAL_FORM);
	if (is_localhost(q->text))
		return (struct dns_verdict){ .action = DNS_ACT_LOCALHOST };
	if (!policy_may_resolve(g->policy, q->text, &rule) || !rule)
		return refuse(DNS_REFUSAL_NAME);
	if (action == DNS_ACT_REFUSE)
		return refuse(DNS_REFUSAL_TYPE);
	if (action == DNS_ACT_FORWARD && !within_rate(g, rule, q->text, now_ms))
		return refuse(DNS_REFUSAL_RATE);
	return (struct dns_verdict){ .action = action };
}
