/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"

static void reads_and_prints_addresses(void **state)
{
	static const struct {
		const char *text;
		const char *printed; /* NULL: refused */
	} rows[] = {
		{ "0.0.0.0", "0.0.0.0" },
		{ "203.0.113.9", "203.0.113.9" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "::", "::" },
		{ "::1", "::1" },
		{ "2001:DB8:0:0::7", "2001:db8::7" },
		{ "::ffff:203.0.113.9", "203.0.113.9" },
		{ "::ffff:cb00:7109", "203.0.113.9" },
		{ "64:ff9b::203.0.113.9", "64:ff9b::cb00:7109" },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
		{ "", NULL },
		{ "1", NULL },
		{ "1.2.3", NULL },
		{ "1.2.3.4.5", NULL },
		{ "1.2.3.256", NULL },
		{ "1.2.3.-4", NULL },
		{ "01.2.3.4", NULL },
		{ "1.2.3.04", NULL },
		{ "1.2.3.0x4", NULL },
		{ "1.2.3.4 ", NULL },
		{ " 1.2.3.4", NULL },
		{ "1.2.3.4/8", NULL },
		{ ":", NULL },
		{ ":::", NULL },
		{ "[::1]", NULL },
		{ "::1%lo", NULL },
		{ "::1/128", NULL },
		{ "1:2:3:4:5:6:7", NULL },
		{ "1:2:3:4:5:6:7:8:9", NULL },
		{ "12345::", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[ADDR_TEXT_MAX];
		struct addr a;
		int rc = addr_parse(rows[i].text, &a);

		if (rc != (rows[i].printed ? 0 : -EINVAL))
			fail_msg("'%s': %d", rows[i].text, rc);
		if (!rows[i].printed)
			continue;
		addr_format(&a, text);
		assert_string_equal(text, rows[i].printed);
		assert_int_equal(addr_is_v4(&a), strchr(text, ':') == NULL);
	}
}

static void compares_prefixes_bit_by_bit(void **state)
{
	static const struct {
		const char *addr;
		const char *net;
		unsigned len;
		bool inside;
	} rows[] = {
		{ "203.0.113.9", "203.0.113.0", 120, true },
		{ "203.0.114.9", "203.0.113.0", 120, false },
		{ "203.0.113.9", "203.0.113.8", 127, true },
		{ "203.0.113.10", "203.0.113.8", 127, false },
		{ "203.0.113.9", "203.0.113.9", 128, true },
		{ "203.0.113.8", "203.0.113.9", 128, false },
		{ "10.0.0.1", "0.0.0.0", 96, true },
		{ "2001:db8::1", "0.0.0.0", 96, false },
		{ "2001:db8::1", "::", 0, true },
		{ "8000::", "::", 1, false },
		{ "7fff::", "::", 1, true },
		{ "::", "::", 129, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct addr a;
		struct addr net;

		assert_int_equal(addr_parse(rows[i].addr, &a), 0);
		assert_int_equal(addr_parse(rows[i].net, &net), 0);
		if (addr_in_prefix(&a, &net, rows[i].len) != rows[i].inside)
			fail_msg("%s in %s/%u", rows[i].addr, rows[i].net, rows[i].len);
	}
}

static void reads_socket_addresses_of_both_families(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(443) };
	struct sockaddr other = { .sa_family = AF_UNIX };
	struct addr wanted;
	struct addr a;
	uint16_t port;

	(void)state;
	assert_int_equal(addr_parse("192.0.2.1", &wanted), 0);
	in.sin_addr.s_addr = htonl(0xc0000201);
	assert_int_equal(addr_from_sockaddr((struct sockaddr *)&in, &a, &port), 0);
	assert_true(addr_equal(&a, &wanted) && port == 80);
	memcpy(&in6.sin6_addr, wanted.b, sizeof(wanted.b));
	assert_int_equal(addr_from_sockaddr((struct sockaddr *)&in6, &a, &port), 0);
	assert_true(addr_equal(&a, &wanted) && port == 443);
	assert_int_equal(addr_from_sockaddr(&other, &a, &port), -EAFNOSUPPORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_and_prints_addresses),
		cmocka_unit_test(compares_prefixes_bit_by_bit),
		cmocka_unit_test(reads_socket_addresses_of_both_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
