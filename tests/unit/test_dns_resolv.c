/* SPDX-License-Identifier: MIT */
#include "dns_help.h"

#include <stdlib.h>
#include <unistd.h>

#include "dns/resolv.h"

static void reads_nameservers_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *first;
	} CASES[] = {
		{ "", 0, NULL },
		{ "nameserver 192.0.2.1\n", 1, "192.0.2.1" },
		{ "nameserver\t192.0.2.1 # the first\nnameserver 2001:db8::53", 2, "192.0.2.1" },
		{ "# nameserver 192.0.2.1\n; nameserver 192.0.2.2\nnameserver 2001:db8::53\r\n", 1,
		  "2001:db8::53" },
		{ "nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch .\n", 1, "127.0.0.53" },
		{ "nameserver fe80::1%eth0\nnameserver 192.0.2.2\n", 1, "192.0.2.2" },
		{ "nameserver one.test\nnameserver\nnameservers 192.0.2.3\n", 0, NULL },
		{ "nameserver 192.0.2.010\n", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct dns_upstream up[DNS_UPSTREAMS_MAX];
		char text[ADDR_TEXT_MAX];

		if (dns_resolv_parse(CASES[i].text, up) != CASES[i].n)
			fail_msg("case %zu", i);
		if (CASES[i].n == 0)
			continue;
		addr_format(&up[0].addr, text);
		assert_string_equal(text, CASES[i].first);
		assert_int_equal(up[0].port, 53);
	}
}

static void takes_no_more_nameservers_than_it_has_room_for(void **state)
{
	struct dns_upstream up[DNS_UPSTREAMS_MAX];
	char text[4096] = "";

	(void)state;
	for (int i = 0; i < 20; i++)
		strncat(text, "nameserver 192.0.2.1\n", sizeof(text) - strlen(text) - 1);
	assert_int_equal(dns_resolv_parse(text, up), DNS_UPSTREAMS_MAX);
}

static void the_pens_file_has_one_nameserver_and_sane_lines(void **state)
{
	static const struct {
		const char *host;
		const char *pen;
	} CASES[] = {
		{ "", "nameserver 127.0.0.1\n" },
		{ "nameserver 192.0.2.1\nnameserver 192.0.2.2\n", "nameserver 192.0.2.1\n" },
		{ "domain corp.test\nnameserver 2001:db8::53\n",
		  "nameserver 2001:db8::53\nsearch corp.test\n" },
		{ "search a.test\nsearch b.test c.test\n",
		  "nameserver 127.0.0.1\nsearch b.test c.test\n" },
		{ "search ok.test bad\"name .\nsortlist 10.0.0.0\n",
		  "nameserver 127.0.0.1\nsearch ok.test\n" },
		{ "options ndots:2 trust-ad edns0 ndots:x debug timeout: rotate\n",
		  "nameserver 127.0.0.1\noptions ndots:2 edns0 rotate\n" },
		{ "search a.test b.test c.test d.test e.test f.test g.test\n",
		  "nameserver 127.0.0.1\nsearch a.test b.test c.test d.test e.test f.test\n" },
		{ "options trust-ad\nsearch .\n", "nameserver 127.0.0.1\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		auto_free char *made = NULL;

		assert_int_equal(dns_resolv_render(CASES[i].host, &made), 0);
		assert_string_equal(made, CASES[i].pen);
	}
}

static void an_overlong_word_is_left_out(void **state)
{
	char text[1000] = "search ";
	auto_free char *made = NULL;

	(void)state;
	memset(text + 7, 'a', 600);
	memcpy(text + 607, " ok.test", 9);
	assert_int_equal(dns_resolv_render(text, &made), 0);
	assert_string_equal(made, "nameserver 127.0.0.1\nsearch ok.test\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_nameservers_and_nothing_else),
		cmocka_unit_test(takes_no_more_nameservers_than_it_has_room_for),
		cmocka_unit_test(the_pens_file_has_one_nameserver_and_sane_lines),
		cmocka_unit_test(an_overlong_word_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
