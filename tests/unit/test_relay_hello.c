/* SPDX-License-Identifier: MIT */
/* What the reader of ClientHellos finds, and that it finds the same however the bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clean.h"
#include "relay/hello.h"

#define ROOM 40000

struct made {
	uint8_t b[ROOM];
	size_t n;
};

static void put(struct made *m, size_t value, size_t bytes)
{
	for (size_t i = bytes; i-- > 0;)
		m->b[m->n++] = (uint8_t)(value >> (8 * i));
}

static void put_bytes(struct made *m, const void *bytes, size_t n)
{
	assert_true(m->n + n <= ROOM);
	if (n > 0)
		memcpy(m->b + m->n, bytes, n);
	m->n += n;
}

static void extension(struct made *m, unsigned type, const void *bytes, size_t n)
{
	put(m, type, 2);
	put(m, n, 2);
	put_bytes(m, bytes, n);
}

static void server_name(struct made *m, const char *name)
{
	size_t n = strlen(name);

	put(m, 0, 2);
	put(m, n + 5, 2);
	put(m, n + 3, 2);
	put(m, 0, 1);
	put(m, n, 2);
	put_bytes(m, name, n);
}

/* The message, behind its header. */
static void message(struct made *m, const struct made *extensions, bool with_extensions)
{
	static const uint8_t RANDOM[32];
	static const uint8_t SUITES[] = { 0x0a, 0x0a, 0x13, 0x01, 0xc0, 0x2f };
	struct made body = { .n = 0 };

	put(&body, 0x0303, 2);
	put_bytes(&body, RANDOM, sizeof(RANDOM));
	put(&body, 32, 1);
	put_bytes(&body, RANDOM, 32);
	put(&body, sizeof(SUITES), 2);
	put_bytes(&body, SUITES, sizeof(SUITES));
	put(&body, 1, 1);
	put(&body, 0, 1);
	if (with_extensions) {
		put(&body, extensions->n, 2);
		put_bytes(&body, extensions->b, extensions->n);
	}
	put(m, 1, 1);
	put(m, body.n, 3);
	put_bytes(m, body.b, body.n);
}

/* In records of at most `each` bytes. */
static void records(struct made *m, const struct made *msg, size_t each)
{
	for (size_t at = 0; at < msg->n; at += each) {
		size_t n = msg->n - at < each ? msg->n - at : each;

		put(m, 22, 1);
		put(m, 0x0301, 2);
		put(m, n, 2);
		put_bytes(m, msg->b + at, n);
	}
}

static void whole(struct made *m, const struct made *extensions)
{
	struct made msg = { .n = 0 };

	message(&msg, extensions, true);
	records(m, &msg, 16384);
}

static void usual(struct made *m, const char *name)
{
	struct made e = { .n = 0 };

	extension(&e, 0x1a1a, "", 0); /* GREASE, first and last */
	extension(&e, 0xff01, "\0", 1);
	if (name)
		server_name(&e, name);
	extension(&e, 43, "\x06\x9a\x9a\x03\x04\x03\x03", 7);
	extension(&e, 0x5a5a, "\0", 1);
	whole(m, &e);
}

static struct relay_hello look(const struct made *m, size_t n)
{
	struct relay_hello h;
	/* A copy of its own, so that a sanitizer sees a step too far. */
	auto_free uint8_t *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, m->b, n);
	relay_hello_read(copy, n, &h);
	return h;
}

static void expect(const struct made *m, enum relay_finding want)
{
	struct relay_hello h = look(m, m->n);

	assert_int_equal(h.finding, want);
	if (want != RELAY_NAME)
		assert_string_equal(h.name, "");
}

static void a_name_is_found_whole_and_only_when_all_of_it_is_there(void **state)
{
	struct made m = { .n = 0 };
	struct relay_hello h;

	(void)state;
	usual(&m, "shared-a.test");
	for (size_t n = 0; n < m.n; n++) {
		h = look(&m, n);
		assert_int_equal(h.finding, RELAY_MORE);
		assert_true(h.need > n && h.need <= m.n);
	}
	h = look(&m, m.n);
	assert_int_equal(h.finding, RELAY_NAME);
	assert_string_equal(h.name, "shared-a.test");
	assert_int_equal(h.len, m.n);
	put(&m, 0x1703, 2); /* what follows is not part of it */
	assert_int_equal(look(&m, m.n).len, m.n - 2);
}

static void records_of_any_size_make_no_difference(void **state)
{
	(void)state;
	for (size_t each = 1; each < 200; each++) {
		struct made e = { .n = 0 };
		struct made msg = { .n = 0 };
		struct made m = { .n = 0 };
		struct relay_hello h;

		server_name(&e, "a.test");
		message(&msg, &e, true);
		records(&m, &msg, each);
		h = look(&m, m.n);
		assert_int_equal(h.finding, RELAY_NAME);
		assert_string_equal(h.name, "a.test");
		assert_int_equal(h.len, m.n);
		assert_int_equal(look(&m, m.n - 1).finding, RELAY_MORE);
	}
}

static void what_carries_no_name_or_several_is_not_taken_for_one(void **state)
{
	struct made none = { .n = 0 };
	struct made old = { .n = 0 };
	struct made msg = { .n = 0 };
	struct made twice = { .n = 0 };
	struct made m = { .n = 0 };
	static const struct {
		const char *list;
		size_t n;
	} BAD[] = {
		{ "", 0 },
		{ "\0\0", 2 },
		{ "\0\4\0\0\1a\0", 7 },        /* something behind the list */
		{ "\0\5\0\0\1a", 6 },          /* the list is longer than itself */
		{ "\0\3\0\0\0", 5 },           /* an empty name */
		{ "\0\4\1\0\1a", 6 },          /* a name of another type */
		{ "\0\10\0\0\1a\0\0\1b", 10 }, /* two */
		{ "\0\10\1\0\1a\0\0\1b", 10 }, /* two of different types */
		{ "\0\6\0\0\3a\0b", 8 },       /* a NUL in it */
		{ "\0\6\0\0\3a b", 8 },        /* a blank */
		{ "\0\6\0\0\3a\nb", 8 },
	};

	(void)state;
	usual(&none, NULL);
	expect(&none, RELAY_NO_NAME);
	message(&msg, NULL, false);
	records(&old, &msg, 16384);
	expect(&old, RELAY_NO_NAME);
	server_name(&twice, "a.test");
	server_name(&twice, "b.test");
	whole(&m, &twice);
	expect(&m, RELAY_MALFORMED);
	for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
		struct made e = { .n = 0 };
		struct made bad = { .n = 0 };

		extension(&e, 0, BAD[i].list, BAD[i].n);
		whole(&bad, &e);
		expect(&bad, RELAY_MALFORMED);
	}
}

static void an_encrypted_name_is_told_apart(void **state)
{
	static const unsigned TYPES[] = { 0xfe0d, 0xffce };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TYPES); i++) {
		struct made e = { .n = 0 };
		struct made m = { .n = 0 };

		extension(&e, TYPES[i], "\0\0\1\0\1\7\0\0\0\0", 10);
		server_name(&e, "shared-a.test");
		whole(&m, &e);
		expect(&m, RELAY_ENCRYPTED);
	}
}

static void long_names_and_long_hellos_have_an_end(void **state)
{
	static uint8_t filler[16000];
	char name[300];
	struct made m = { .n = 0 };

	(void)state;
	for (size_t n = 250; n < sizeof(name); n++) {
		struct made e = { .n = 0 };

		memset(name, 'a', n);
		name[n] = '\0';
		server_name(&e, name);
		m.n = 0;
		whole(&m, &e);
		expect(&m, n < RELAY_NAME_BUF ? RELAY_NAME : RELAY_MALFORMED);
	}
	for (size_t n = 15000; n <= sizeof(filler); n += 1000) {
		struct made e = { .n = 0 };

		extension(&e, 21, filler, n);
		server_name(&e, "a.test");
		m.n = 0;
		whole(&m, &e);
		expect(&m, RELAY_NAME);
		assert_true(m.n <= RELAY_HELLO_MAX);
	}
	/* Refused by what it says of itself, before it comes. */
	m.n = 0;
	put(&m, 0x160301, 3);
	put(&m, 16384, 2);
	expect(&m, RELAY_TOO_LONG);
	m.n = 0;
	put(&m, 0x160301, 3);
	put(&m, 4, 2);
	put(&m, 0x01ffffff, 4);
	expect(&m, RELAY_TOO_LONG);
}

static void other_protocols_are_known_by_their_first_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum relay_finding want;
	} ROWS[] = {
		{ "G", 1, RELAY_NOT_TLS },
		{ "SSH-2.0-x\r\n", 11, RELAY_NOT_TLS },
		{ "\x80\x2e\x01\x03\x01", 5, RELAY_NOT_TLS }, /* SSL 2 */
		{ "\x16\xfe\xff", 3, RELAY_NOT_TLS },         /* DTLS */
		{ "\x16\x02", 2, RELAY_NOT_TLS },
		{ "\x15\x03\x01\0\2\2\50", 7, RELAY_NOT_TLS }, /* an alert */
		{ "\x14\x03\x03\0\1\1", 6, RELAY_NOT_TLS },
		{ "\x16\x03\x01\0\0", 5, RELAY_NOT_TLS },         /* an empty record */
		{ "\x16\x03\x01\x40\x01", 5, RELAY_NOT_TLS },     /* a record that is too long */
		{ "\x16\x03\x01\0\1\2", 6, RELAY_MALFORMED },     /* a ServerHello */
		{ "\x16\x03\x01\0\1\1\x17", 7, RELAY_MALFORMED }, /* data in the middle */
		{ "\x16\x03\x01\0\1\1\x16\x03\x01\0\0", 11, RELAY_MALFORMED },
		{ "\x16\x03\x01\0\4\1\0\0\0", 9, RELAY_MALFORMED },    /* nothing in it */
		{ "\x16\x03\x01\0\5\1\0\0\0\0", 10, RELAY_MALFORMED }, /* something behind it */
		{ "", 0, RELAY_MORE },
		{ "\x16", 1, RELAY_MORE },
		{ "\x16\x03\x01\0\1\1", 6, RELAY_MORE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct made m = { .n = 0 };

		put_bytes(&m, ROWS[i].bytes, ROWS[i].n);
		expect(&m, ROWS[i].want);
	}
}

static void no_byte_of_it_can_be_wrong_unseen(void **state)
{
	struct made m = { .n = 0 };

	(void)state;
	usual(&m, "shared-a.test");
	for (size_t i = 0; i < m.n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct relay_hello h;

			m.b[i] ^= (uint8_t)(1u << bit);
			h = look(&m, m.n);
			/* A changed name is another name; all else is refused or harmless. */
			assert_true(h.finding != RELAY_NAME || strlen(h.name) > 0);
			assert_true(h.finding < RELAY_LATE);
			m.b[i] ^= (uint8_t)(1u << bit);
		}
	}
}

static const uint8_t RETRY[] = {
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
	0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
	0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
};

static void answer(struct made *m, unsigned type, unsigned message_type, const uint8_t *random)
{
	put(m, type, 1);
	put(m, 0x0303, 2);
	put(m, 44, 2);
	put(m, message_type, 1);
	put(m, 40, 3);
	put(m, 0x0303, 2);
	put_bytes(m, random, 32);
	put(m, 0, 6);
}

/* However the bytes come. */
static void expect_answer(const struct made *m, enum relay_answer_kind want)
{
	for (size_t cut = 0; cut <= m->n; cut++) {
		struct relay_answer a = { 0 };
		enum relay_answer_kind kind = relay_answer_feed(&a, m->b, cut);

		if (kind == RELAY_ANSWER_MORE)
			kind = relay_answer_feed(&a, m->b + cut, m->n - cut);
		assert_int_equal(kind, want);
	}
}

static void a_retry_is_told_from_an_answer(void **state)
{
	static const uint8_t RANDOM[32] = { 0xcf, 0x21 };
	struct made m = { .n = 0 };

	(void)state;
	answer(&m, 22, 2, RANDOM);
	expect_answer(&m, RELAY_ANSWER_HELLO);
	m.n = 0;
	answer(&m, 22, 2, RETRY);
	expect_answer(&m, RELAY_ANSWER_RETRY);
	m.n = 0;
	put_bytes(&m, "\x15\x03\x03\0\2\1\x70", 7); /* a warning before it */
	answer(&m, 22, 2, RETRY);
	expect_answer(&m, RELAY_ANSWER_RETRY);
	m.n = 0;
	put_bytes(&m, "\x15\x03\x03\0\2\2\x28", 7);
	expect_answer(&m, RELAY_ANSWER_MORE);
}

static void what_is_no_answer_in_tls_is_wrong(void **state)
{
	struct made m = { .n = 0 };

	(void)state;
	put_bytes(&m, "HTTP/1.1 400 Bad Request\r\n", 26);
	expect_answer(&m, RELAY_ANSWER_WRONG);
	m.n = 0;
	answer(&m, 23, 2, RETRY);
	expect_answer(&m, RELAY_ANSWER_WRONG);
	m.n = 0;
	answer(&m, 22, 1, RETRY); /* a ClientHello: an echo */
	expect_answer(&m, RELAY_ANSWER_WRONG);
	m.n = 0;
	put_bytes(&m, "\x16\x03\x03\0\4\2\0\0\0", 9); /* in pieces, as no server sends it */
	expect_answer(&m, RELAY_ANSWER_WRONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_found_whole_and_only_when_all_of_it_is_there),
		cmocka_unit_test(records_of_any_size_make_no_difference),
		cmocka_unit_test(what_carries_no_name_or_several_is_not_taken_for_one),
		cmocka_unit_test(an_encrypted_name_is_told_apart),
		cmocka_unit_test(long_names_and_long_hellos_have_an_end),
		cmocka_unit_test(other_protocols_are_known_by_their_first_bytes),
		cmocka_unit_test(no_byte_of_it_can_be_wrong_unseen),
		cmocka_unit_test(a_retry_is_told_from_an_answer),
		cmocka_unit_test(what_is_no_answer_in_tls_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
