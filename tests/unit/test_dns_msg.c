/* SPDX-License-Identifier: MIT */
#include "dns_help.h"

#include <errno.h>
#include <stdlib.h>

#define H "\0\1\1\0\0\1\0\0\0\0\0\0" /* id 1, RD, one question */
#define A_IN "\0\1\0\1"

/* len 0: sizeof less the NUL. */
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

struct malformed {
	const char *why;
	const uint8_t *msg;
	size_t len;
	int expect;
};

static const struct malformed MALFORMED[] = {
	{ "nothing", BYTES(""), -EBADMSG },
	{ "one byte", BYTES("\0"), -EBADMSG },
	{ "eleven bytes", BYTES("\0\1\1\0\0\1\0\0\0\0\0"), -EBADMSG },
	{ "an answer", BYTES("\0\1\x81\x80\0\1\0\0\0\0\0\0\3www\0" A_IN), -EBADMSG },
	{ "all ones", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), -EBADMSG },
	{ "a header alone", BYTES(H), DNS_FORMERR },
	{ "no question", BYTES("\0\1\1\0\0\0\0\0\0\0\0\0"), DNS_FORMERR },
	{ "two questions", BYTES("\0\1\1\0\0\2\0\0\0\0\0\0\1a\0" A_IN "\1b\0" A_IN), DNS_FORMERR },
	{ "huge counts", BYTES("\0\1\1\0\xff\xff\xff\xff\xff\xff\xff\xff"), DNS_FORMERR },
	{ "an answer record", BYTES("\0\1\1\0\0\1\0\1\0\0\0\0\1a\0" A_IN), DNS_FORMERR },
	{ "a pointer to itself", BYTES(H "\xc0\x0c" A_IN), DNS_FORMERR },
	{ "a pointer to its label", BYTES(H "\3www\xc0\x0c" A_IN), DNS_FORMERR },
	{ "a pointer forwards", BYTES(H "\xc0\x0e\0" A_IN), DNS_FORMERR },
	{ "a pointer into the header", BYTES(H "\xc0\x04" A_IN), DNS_FORMERR },
	{ "half a pointer", BYTES(H "\xc0"), DNS_FORMERR },
	{ "a label past the end",
	  BYTES(H "\x3f"
		  "aaaaaaaaaa"),
	  DNS_FORMERR },
	{ "a label of 64",
	  BYTES(H "\x40"
		  "aaaaaaaaaa\0" A_IN),
	  DNS_FORMERR },
	{ "a label type of old",
	  BYTES(H "\x80"
		  "aaaaaaaaaa\0" A_IN),
	  DNS_FORMERR },
	{ "no root", BYTES(H "\1a"), DNS_FORMERR },
	{ "no class", BYTES(H "\1a\0\0\1"), DNS_FORMERR },
	{ "bytes behind", BYTES(H "\1a\0" A_IN "x"), DNS_FORMERR },
	{ "OPT past the end",
	  BYTES("\0\1\1\0\0\1\0\0\0\0\0\1\1a\0" A_IN "\0\0\x29\xff\xff\0\0\0\0\xff\xff"),
	  DNS_FORMERR },
	{ "OPT twice",
	  BYTES("\0\1\1\0\0\1\0\0\0\0\0\2\1a\0" A_IN "\0\0\x29\4\0\0\0\0\0\0\0"
		"\0\0\x29\4\0\0\0\0\0\0\0"),
	  DNS_FORMERR },
	{ "OPT with an owner",
	  BYTES("\0\1\1\0\0\1\0\0\0\0\0\1\1a\0" A_IN "\1a\0\0\x29\4\0\0\0\0\0\0\0"), DNS_FORMERR },
	{ "an option past its record",
	  BYTES("\0\1\1\0\0\1\0\0\0\0\0\1\1a\0" A_IN "\0\0\x29\4\0\0\0\0\0\0\4\0\3\0\x20"),
	  DNS_FORMERR },
	{ "EDNS version 1", BYTES("\0\1\1\0\0\1\0\0\0\0\0\1\1a\0" A_IN "\0\0\x29\4\0\0\1\0\0\0\0"),
	  DNS_BADVERS },
	{ "an update", BYTES("\0\1\x28\0\0\1\0\0\0\0\0\0\1a\0\0\6\0\1"), DNS_NOTIMP },
	{ "class CH", BYTES(H "\7version\4bind\0\0\x10\0\3"), DNS_REFUSED },
	{ "well formed", BYTES(H "\1a\0" A_IN), 0 },
	{ "well formed, with OPT",
	  BYTES("\0\1\1\0\0\1\0\0\0\0\0\1\1a\0" A_IN "\0\0\x29\4\0\0\0\0\0\0\0"), 0 },
};

static void refuses_each_malformed_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MALFORMED); i++) {
		const struct malformed *m = &MALFORMED[i];
		/* On the heap, so that one byte too far is seen. */
		auto_free uint8_t *copy = malloc(m->len + !m->len);
		struct dns_question q;
		int got;

		memcpy(copy, m->msg, m->len);
		got = dns_question_parse(copy, m->len, &q);
		if (got != m->expect)
			fail_msg("%s: %d, not %d", m->why, got, m->expect);
	}
}

static void keeps_the_case_and_judges_in_lower_case(void **state)
{
	static const uint8_t MSG[] = H "\3ApI\4tEsT\0" A_IN;
	struct dns_question q;

	(void)state;
	assert_int_equal(dns_question_parse(MSG, sizeof(MSG) - 1, &q), 0);
	assert_string_equal(q.text, "api.test");
	assert_memory_equal(q.name.wire, "\3ApI\4tEsT", 10);
	assert_int_equal(q.udp_size, 512);
}

static void a_dot_or_nul_inside_a_label_is_no_label_boundary(void **state)
{
	static const struct {
		const uint8_t *msg;
		size_t len;
		const char *print;
	} ODD[] = {
		{ BYTES(H "\10api.test\0" A_IN), "api\\046test" },
		{ BYTES(H "\12api\0.evils\4test\0" A_IN), "api\\000\\046evils.test" },
		{ BYTES(H "\3\"}\n\4test\0" A_IN), "\\034}\\010.test" },
		{ BYTES(H "\2\xc3\xa4\4test\0" A_IN), "\\195\\164.test" },
		{ BYTES(H "\1\\\4test\0" A_IN), "\\092.test" },
		{ BYTES(H "\0" A_IN), "." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ODD); i++) {
		char text[DNS_NAME_PRINT_MAX];
		struct dns_question q;

		assert_int_equal(dns_question_parse(ODD[i].msg, ODD[i].len, &q), 0);
		assert_string_equal(q.text, "");
		dns_name_print(&q.name, text);
		assert_string_equal(text, ODD[i].print);
	}
}

static void takes_names_of_255_bytes_and_no_longer_ones(void **state)
{
	for (size_t last = 61; last <= 62; last++) {
		uint8_t msg[400] = H;
		struct dns_writer w = dns_writer_over(msg, sizeof(msg));
		struct dns_question q;
		int got;

		(void)state;
		w.len = DNS_HEADER_LEN;
		for (int i = 0; i < 4; i++) {
			size_t n = i < 3 ? 63 : last;

			dns_put_u8(&w, (uint8_t)n);
			memset(msg + w.len, 'a', n);
			w.len += n;
		}
		dns_put_u8(&w, 0);
		dns_put_bytes(&w, A_IN, 4);
		got = dns_question_parse(msg, w.len, &q);
		assert_int_equal(got, last == 61 ? 0 : DNS_FORMERR);
		if (got == 0)
			assert_int_equal(strlen(q.text), 253);
	}
}

static void a_printed_name_is_cut_not_overrun(void **state)
{
	struct dns_name name = { .len = 255 };
	char text[DNS_NAME_PRINT_MAX];

	(void)state;
	memset(name.wire, 0x07, 254);
	name.wire[0] = name.wire[64] = name.wire[128] = 63;
	name.wire[192] = 61;
	name.wire[254] = 0;
	dns_name_print(&name, text);
	assert_true(strlen(text) < DNS_NAME_PRINT_MAX);
	assert_true(strlen(text) > DNS_NAME_PRINT_MAX - 8);
}

static void a_writer_that_is_full_stays_so(void **state)
{
	uint8_t buf[3] = { 0, 0, 9 };
	struct dns_writer w = dns_writer_over(buf, 2);

	(void)state;
	dns_put_u8(&w, 1);
	assert_false(w.full);
	dns_put_u16(&w, 2);
	assert_true(w.full);
	dns_put_u8(&w, 3);
	assert_int_equal(w.len, 1);
	assert_int_equal(buf[2], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_each_malformed_message),
		cmocka_unit_test(keeps_the_case_and_judges_in_lower_case),
		cmocka_unit_test(a_dot_or_nul_inside_a_label_is_no_label_boundary),
		cmocka_unit_test(takes_names_of_255_bytes_and_no_longer_ones),
		cmocka_unit_test(a_printed_name_is_cut_not_overrun),
		cmocka_unit_test(a_writer_that_is_full_stays_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
