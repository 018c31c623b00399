/* SPDX-License-Identifier: MIT */
/* The policies and questions of test_agree_net.c. */
#ifndef PINFOLD_TESTS_AGREE_NET_MAKE_H
#define PINFOLD_TESTS_AGREE_NET_MAKE_H

#include "agree.h"
#include "agree_net.h"
#include "agree_unix.h"
#include "policy/net_entry.h"

#define QUESTIONS 160 /* of one policy */
#define LOOKUPS 24
#define SOCKETS 40
#define TEXT_MAX 65536

static const char *const ADDRESS[] = {
	"198.51.100.10",
	"198.51.100.10",
	"198.51.100.11",
	"198.51.100.20",
	"198.51.100.22",
	"198.51.100.77",
	"203.0.113.7",
	"203.0.113.9",
	"192.0.2.5",
	"8.8.8.8",
	HOST_OWN,
	"1.1.1.1",
	"10.9.9.9",
	"10.9.9.10",
	"172.16.5.5",
	"172.32.0.1",
	"192.168.77.7",
	"100.64.1.1",
	"100.63.255.255",
	"198.18.5.5",
	"169.254.169.254",
	"169.254.1.1",
	"100.100.100.200",
	"168.63.129.16",
	"192.0.0.192",
	"192.0.0.1",
	"127.0.0.1",
	"127.0.0.1",
	"127.0.0.2",
	"127.255.255.254",
	"0.0.0.0",
	"0.0.0.1",
	"224.0.0.251",
	"240.0.0.1",
	"255.255.255.255",
	"2001:db8::10",
	"2001:db8::10",
	"2001:db8::20",
	"2001:db8::77",
	"2606:4700::1111",
	"fd00:ec2::254",
	"fc00::7",
	"fd12::7",
	"fe80::7",
	"fec0::1",
	"::1",
	"::1",
	"::",
	"ff02::fb",
	"64:ff9b::c633:640a",
	"64:ff9b::a09:909",
	"64:ff9b::a9fe:a9fe",
	"64:ff9b:1::c633:640a",
	"2002:c633:640a::1",
	"2002:a09:909::1",
	"::ffff:0:198.51.100.10",
	"::198.51.100.10",
	"2001:0:c633:640a::1",
	"2001:db8::5efe:c633:640a",
	"fd20:ce::254",
	"fd00:42::42",
};

static const char *const NAME[] = {
	"api.test",
	"www.test",
	"API.test",
	"a.wild.test",
	"b.a.wild.test",
	"wild.test",
	"xwild.test",
	"bad.wild.test",
	"shared-a.test",
	"shared-b.test",
	"other.test",
	"dual.test",
	"v6only.test",
	"mixed.test",
	"artifactory.test",
	"rebind-meta.test",
	"rebind-priv.test",
	"rebind-lo.test",
	"rebind-map.test",
	"rebind-nat64.test",
	"rebind-meta6.test",
	"chain1.test",
	"chain8.test",
	"steered.test",
	"nothere.test",
	"git.test",
	"metadata.google.internal",
	"metadata",
	"instance-data.test",
	"localhost",
	"foo.localhost",
	"wild.test.evil.test",
};

static const uint16_t PORT[] = { 22, 80, 81, 443, 443, 444, 5432, 8000, 8443, 8999, 1, 65535, 123 };
/* What processes of the lab listen on, on every address. */
static const uint16_t LISTENED[] = { 22, 25, 80, 443, 853, 5432, 8080, 8443 };

static inline void make_address(struct agree *g, char ret[static INET6_ADDRSTRLEN])
{
	struct in6_addr a = { 0 };
	const char *text = PICK(g, ADDRESS);
	const bool is_v4 = !strchr(text, ':');

	snprintf(ret, INET6_ADDRSTRLEN, "%s", text);
	if (below(g, 4) != 0)
		return;
	/* its neighbourhood, or anything */
	assert_int_equal(inet_pton(is_v4 ? AF_INET : AF_INET6, text, &a), 1);
	for (size_t n = below(g, 3); n < 3; n++) {
		const size_t bit = below(g, is_v4 ? 32 : 128);

		a.s6_addr[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_non_null(inet_ntop(is_v4 ? AF_INET : AF_INET6, &a, ret, INET6_ADDRSTRLEN));
}

static inline void make_prefix(struct agree *g, char *ret, size_t size)
{
	static const unsigned V4[] = { 0, 1, 8, 9, 12, 16, 20, 24, 24, 28, 31, 32 };
	static const unsigned V6[] = { 0, 1, 7, 10, 16, 32, 48, 64, 96, 120, 127, 128 };
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a = { 0 };
	unsigned len;
	bool is_v4;

	make_address(g, text);
	is_v4 = !strchr(text, ':');
	len = is_v4 ? PICK(g, V4) : PICK(g, V6);
	assert_int_equal(inet_pton(is_v4 ? AF_INET : AF_INET6, text, &a), 1);
	for (unsigned bit = len; bit < 128; bit++)
		a.s6_addr[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	assert_non_null(inet_ntop(is_v4 ? AF_INET : AF_INET6, &a, text, sizeof(text)));
	snprintf(ret, size, is_v4 ? "%s/%u" : "[%s/%u]", text, len);
}

static inline void make_host(struct agree *g, char *ret, size_t size)
{
	static const char *const BASE[] = { "test", "wild.test", "a.wild.test", "internal" };
	char address[INET6_ADDRSTRLEN];

	switch (below(g, 12)) {
	case 0:
		snprintf(ret, size, "*.%s", PICK(g, BASE));
		break;
	case 1:
		snprintf(ret, size, "**.%s", PICK(g, BASE));
		break;
	case 2:
		snprintf(ret, size, "%s", below(g, 2) ? "*" : "localhost");
		break;
	case 3:
	case 4:
	case 5:
		make_address(g, address);
		snprintf(ret, size, strchr(address, ':') ? "[%s]" : "%s", address);
		break;
	case 6:
	case 7:
		make_prefix(g, ret, size);
		break;
	default:
		snprintf(ret, size, "%s", PICK(g, NAME));
	}
}

/* One entry that loads. */
static inline void make_entry(struct agree *g, enum net_use use, char *ret, size_t size)
{
	static const char *const PROTO[] = { "", "", "", "/tcp", "/udp", "/udp" };
	struct pinfold_error e;
	struct net_rule r;
	char host[128];
	char port[32];

	do {
		const uint16_t a = PICK(g, PORT);
		const uint16_t b = PICK(g, PORT);

		make_host(g, host, sizeof(host));
		port[0] = '\0';
		if (below(g, 4) == 0)
			snprintf(port, sizeof(port), ":%u-%u", a < b ? a : b, a < b ? b : a);
		else if (below(g, 3) != 0)
			snprintf(port, sizeof(port), ":%u", a);
		snprintf(ret, size, "%s%s%s", host, port, PICK(g, PROTO));
	} while (net_entry_parse(ret, use, &r, &e) < 0);
	net_rule_done(&r);
}

__attribute__((format(printf, 2, 3))) static inline void append(char *text, const char *format, ...)
{
	const size_t at = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + at, TEXT_MAX - at, format, ap);
	va_end(ap);
}

static inline void append_list(struct agree *g, char *text, const char *name, enum net_use use,
			       size_t n)
{
	char entry[256];

	append(text, "\"%s\": [", name);
	for (size_t i = 0; i < n; i++) {
		make_entry(g, use, entry, sizeof(entry));
		append(text, "%s\"%s\"", i ? ", " : "", entry);
	}
	append(text, "]");
}

static inline void make_policy(struct agree *g, char *text)
{
	const bool metadata = below(g, 6) == 0;
	char sockets[4096];

	text[0] = '\0';
	append(text, "{\"version\": 1, \"workspace\": \"%s/ws\", \"network\": {", g->base);
	append_list(g, text, "allowOutbound",
		    metadata ? NET_USE_ALLOW_WITH_METADATA : NET_USE_ALLOW, below(g, 13));
	append(text, ", ");
	append_list(g, text, "denyOutbound", NET_USE_DENY, below(g, 3) ? below(g, 5) : 0);
	unix_policy(g, sockets, sizeof(sockets));
	append(text, "%s}, %s}", metadata ? ", \"dangerouslyAllowMetadata\": true" : "", sockets);
}

/* Near what an entry of the policy is about: an address at or just outside its prefix, a port at
 * or just outside its range. */
static inline void aim(struct agree *g, const struct net_rules *l, struct question *q)
{
	const struct net_rule *r = l->n ? &l->rule[below(g, l->n)] : NULL;
	struct addr a;

	if (!r)
		return;
	q->port = (uint16_t)((below(g, 2) ? r->port_low : r->port_high) + below(g, 3) - 1);
	if (q->port == 0)
		q->port = 1;
	if (r->host != HOST_PREFIX)
		return;
	a = r->addr;
	for (unsigned n = 0; n < 4; n++) {
		const unsigned bit = r->prefix_len + (unsigned)below(g, 128 - r->prefix_len + 1);

		if (bit < 128)
			a.b[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
	}
	if (r->prefix_len > 96 && below(g, 8) == 0)
		a.b[(r->prefix_len - 1) / 8] ^= (uint8_t)(0x80u >> (r->prefix_len - 1) % 8);
	addr_format(&a, q->host);
	q->by_name = false;
	q->mapped = addr_is_v4(&a) && below(g, 4) == 0;
}

static inline void make_question(struct agree *g, const struct net_policy *p, bool names,
				 struct question *ret)
{
	*ret = (struct question){ .how = (enum how)(ASK_TCP + below(g, 3)),
				  .port = below(g, 30) ? PICK(g, PORT) : 53 };
	if (names && below(g, 4) == 0) {
		ret->by_name = true;
		snprintf(ret->host, sizeof(ret->host), "%s", PICK(g, NAME));
	} else {
		make_address(g, ret->host);
		ret->mapped = !strchr(ret->host, ':') && below(g, 4) == 0;
	}
	if (below(g, 3) == 0)
		aim(g, below(g, 3) ? &p->allow : &p->deny, ret);
}

static inline void make_questions(struct agree *g, const struct net_policy *p,
				  struct question q[static QUESTIONS])
{
	const size_t first = (QUESTIONS - LOOKUPS - SOCKETS) / 3;
	size_t at = below(g, ARRAY_SIZE(NAME));

	for (size_t i = 0; i < QUESTIONS; i++)
		make_question(g, p, i >= first + LOOKUPS, &q[i]);
	for (size_t i = first; i < first + LOOKUPS; i++) {
		q[i] = (struct question){ .how = ASK_NAME, .by_name = true };
		snprintf(q[i].host, sizeof(q[i].host), "%s", NAME[at]);
		at = (at + 5) % ARRAY_SIZE(NAME);
	}
	for (size_t i = QUESTIONS - SOCKETS; i < QUESTIONS; i++)
		make_unix_question(g, &q[i]);
}

#endif
