/* SPDX-License-Identifier: MIT */
/* Lines looked at in place, points in time, filters, and files that were rotated away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/files.h"
#include "audit/filter.h"
#include "audit/line.h"
#include "audit/when.h"
#include "base/clean.h"
#include "pinfold_review.h"

#define HEAD "{\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"e\""
#define TEXT_MAX 4096

/* Scans text as a line of a record; the line lives until the next call. */
static int scan(const char *text, struct pinfold_log_line *ret)
{
	static char buf[65536 + 2];
	size_t len = strlen(text);

	assert_true(len + 1 < sizeof(buf));
	memcpy(buf, text, len);
	buf[len] = '\n';
	return line_scan(buf, len, ret);
}

static void tells_objects_from_what_is_none(void **state)
{
	static const struct {
		const char *text;
		int want;
	} CASES[] = {
		{ "{}", 0 },
		{ " { } ", 0 },
		{ "{\"a\":1}", 0 },
		{ "{ \"a\" : -1.5e+3 , \"b\" : [ 1 , {\"c\":[]} , \"x\" ] }", 0 },
		{ "{\"a\":true,\"b\":false,\"c\":null}", 0 },
		{ "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"}", 0 },
		{ "{\"a\":\"\xc3\xa9\xf0\x9f\x90\x91\"}", 0 },
		{ "{\"a\":{\"b\":{\"c\":{\"d\":[[[[]]]]}}}}", 0 },
		{ "", -EINVAL },
		{ "[]", -EINVAL },
		{ "{", -EINVAL },
		{ "{}x", -EINVAL },
		{ "{}{}", -EINVAL },
		{ "{,}", -EINVAL },
		{ "{\"a\"}", -EINVAL },
		{ "{\"a\":}", -EINVAL },
		{ "{\"a\":1,}", -EINVAL },
		{ "{\"a\":1 \"b\":2}", -EINVAL },
		{ "{a:1}", -EINVAL },
		{ "{'a':1}", -EINVAL },
		{ "{\"a\":01}", -EINVAL },
		{ "{\"a\":+1}", -EINVAL },
		{ "{\"a\":1.}", -EINVAL },
		{ "{\"a\":.5}", -EINVAL },
		{ "{\"a\":1e}", -EINVAL },
		{ "{\"a\":NaN}", -EINVAL },
		{ "{\"a\":tru}", -EINVAL },
		{ "{\"a\":\"\\x\"}", -EINVAL },
		{ "{\"a\":\"\\u12g4\"}", -EINVAL },
		{ "{\"a\":\"x}", -EINVAL },
		{ "{\"a\":\"\x01\"}", -EINVAL },
		{ "{\"a\":\"\xff\"}", -EINVAL },
		{ "{\"a\":\"\xed\xa0\x80\"}", -EINVAL },
		{ "{\"a\":[1,]}", -EINVAL },
		{ "{\"a\":[1}", -EINVAL },
		{ "{\"a\":{\"b\":1]}", -EINVAL },
		{ "{\"a\":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}", -EINVAL },
		{ "{\t}", -EINVAL },
		{ "{}\r", -EINVAL },
		{ "{\"a\":1,\"a\":2}", -EBADMSG },
		{ "{\"\\u0061\":1}", -EBADMSG },
		{ "{\"a\xe2\x80\xae\":1}", -EBADMSG },
		{ "{\"a\":\"\xe2\x80\xae\",\"b\":1}", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct pinfold_log_line l;

		if (scan(CASES[i].text, &l) != CASES[i].want)
			fail_msg("%s: not %d", CASES[i].text, CASES[i].want);
	}
}

static void refuses_more_members_than_it_keeps(void **state)
{
	char text[TEXT_MAX] = "{";
	struct pinfold_log_line l;

	(void)state;
	for (int i = 0; i < LINE_MEMBERS_MAX; i++)
		snprintf(text + strlen(text), 16, "%s\"k%d\":1", i ? "," : "", i);
	memcpy(text + strlen(text), "}", 2);
	assert_int_equal(scan(text, &l), 0);
	assert_int_equal(l.n, LINE_MEMBERS_MAX);
	memcpy(text + strlen(text) - 1, ",\"more\":1}", 11);
	assert_int_equal(scan(text, &l), -EBADMSG);
}

static void asks_for_what_every_line_has(void **state)
{
	static const struct {
		const char *text;
		int want;
	} CASES[] = {
		{ HEAD "}", 0 },
		{ "{\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"e\"}", -EBADMSG },
		{ "{\"v\":2,\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"e\"}", -EBADMSG },
		{ "{\"v\":\"1\",\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"e\"}", -EBADMSG },
		{ "{\"v\":1,\"ts\":\"soon\",\"event\":\"e\"}", -EBADMSG },
		{ "{\"v\":1,\"ts\":1,\"event\":\"e\"}", -EBADMSG },
		{ "{\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\"}", -EBADMSG },
		{ "{\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"\"}", -EBADMSG },
		{ "{\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\",\"event\":7}", -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct pinfold_log_line l;

		assert_int_equal(scan(CASES[i].text, &l), 0);
		if (line_check(&l) != CASES[i].want)
			fail_msg("%s: not %d", CASES[i].text, CASES[i].want);
	}
}

static void decodes_texts_and_cuts_them_between_characters(void **state)
{
	struct pinfold_log_line l;
	char text[64];
	char small[4];

	(void)state;
	assert_int_equal(scan("{\"a\":\"x\\u00e9\\n\\\"\\ud83d\\udc11\\ud800\\u0000/\",\"n\":-42,"
			      "\"o\":{},\"big\":12345678901234567890}",
			      &l),
			 0);
	assert_true(line_text(&l, "a", text, sizeof(text)));
	assert_string_equal(text, "x\xc3\xa9\n\"\xf0\x9f\x90\x91\xef\xbf\xbd\xef\xbf\xbd/");
	assert_true(line_text(&l, "a", small, sizeof(small)));
	assert_string_equal(small, "x\xc3\xa9");
	assert_true(line_text(&l, "n", text, sizeof(text)));
	assert_string_equal(text, "-42");
	assert_false(line_text(&l, "o", text, sizeof(text)));
	assert_string_equal(text, "");
	assert_int_equal(line_number(&l, "n", 7), -42);
	assert_int_equal(line_number(&l, "big", 7), 7);
	assert_int_equal(line_number(&l, "a", 7), 7);
}

static void what_steers_a_terminal_is_never_printed(void **state)
{
	static const char ODD[] = HEAD
	    ",\"a\":\"\x7f|\xc2\x9b|\xe2\x80\xae|\xd8\x9c\",\"b\":\"\\u001b\\u202e\\u0007ok\"}";
	struct pinfold_log_line l;
	char text[TEXT_MAX];
	size_t n;

	(void)state;
	assert_int_equal(scan(ODD, &l), 0);
	assert_true(l.odd);
	assert_true(pinfold_log_line_text(&l, "a", text, sizeof(text)));
	assert_string_equal(text, "?|?|?|?");
	assert_true(pinfold_log_line_text(&l, "b", text, sizeof(text)));
	assert_string_equal(text, "???ok");
	n = pinfold_log_line_json(&l, text, sizeof(text) - 1);
	text[n] = '\0';
	assert_non_null(strstr(text, "\"a\":\"\\u007f|\\u009b|\\u202e|\\u061c\""));
	assert_int_equal(pinfold_log_line_json(&l, text, 20), 0);
}

static void lists_are_walked_element_by_element(void **state)
{
	struct pinfold_log_line l;
	char text[32];
	size_t at = 0;

	(void)state;
	assert_int_equal(scan("{\"l\":[\"a\", 1,[\"no\"],\"b\\u0041\"],\"e\":[]}", &l), 0);
	assert_true(line_list_next(line_find(&l, "l"), &at, text, sizeof(text)));
	assert_string_equal(text, "a");
	assert_true(line_list_next(line_find(&l, "l"), &at, text, sizeof(text)));
	assert_string_equal(text, "bA");
	assert_false(line_list_next(line_find(&l, "l"), &at, text, sizeof(text)));
	at = 0;
	assert_false(line_list_next(line_find(&l, "e"), &at, text, sizeof(text)));
}

/* ---- time ----------------------------------------------------------------------------------- */

static void reads_points_in_time(void **state)
{
	static const int64_t NOW = 1000000000LL * 1000000;
	static const struct {
		const char *text;
		int64_t want; /* in seconds; -1: refused */
	} CASES[] = {
		{ "now", 1000000000 },
		{ "2h", 1000000000 - 7200 },
		{ "90s", 1000000000 - 90 },
		{ "1d12h", 1000000000 - 129600 },
		{ "1w", 1000000000 - 604800 },
		{ "1970-01-01", 0 },
		{ "2000-03-01", 951868800 },
		{ "2024-02-29", 1709164800 },
		{ "2026-03-01T12:00:00Z", 1772366400 },
		{ "2026-03-01T12:00:00.999999999Z", 1772366400 },
		{ "2026-03-01 12:00:00z", 1772366400 },
		{ "2026-03-01T13:30:00+01:30", 1772366400 },
		{ "2026-03-01T06:00:00-06:00", 1772366400 },
		{ "2026-12-31T23:59:60Z", 1798761599 },
		{ "", -1 },
		{ "h", -1 },
		{ "2", -1 },
		{ "2y", -1 },
		{ "-2h", -1 },
		{ "99999999999999999999h", -1 },
		{ "yesterday", -1 },
		{ "2023-02-29", -1 },
		{ "2026-13-01", -1 },
		{ "2026-03-01T24:00:00Z", -1 },
		{ "2026-03-01T12:00:00", -1 },
		{ "2026-03-01T12:00:00.Z", -1 },
		{ "2026-03-01T12:00:00+1", -1 },
		{ "2026-03-01T12:00:00Zx", -1 },
		{ "1969-12-31T23:59:59Z", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		int64_t got = -1000000;
		int r = when_parse(CASES[i].text, NOW, &got, NULL);

		if (r != (CASES[i].want < 0 ? -EINVAL : 0) || got / 1000000 != CASES[i].want)
			fail_msg("%s: %lld", CASES[i].text, (long long)got);
	}
}

/* ---- filters -------------------------------------------------------------------------------- */

static void filters_let_pass_what_they_say(void **state)
{
	static const char LINE[] =
	    "{\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\",\"event\":\"net_deny\",\"session\":\"abcd\","
	    "\"agent\":\"coder\",\"dst\":\"203.0.113.7\",\"port\":443,\"proto\":\"tcp\",\"name\":"
	    "\"API.test\",\"path\":\"/srv/a\",\"verdict\":\"deny\"}";
	static const struct {
		enum pinfold_log_field field;
		const char *text;
		bool want;
	} CASES[] = {
		{ PINFOLD_LOG_SESSION, "ab", true },
		{ PINFOLD_LOG_SESSION, "b", false },
		{ PINFOLD_LOG_AGENT, "coder", true },
		{ PINFOLD_LOG_AGENT, "code", false },
		{ PINFOLD_LOG_AGENT, "c*r", true },
		{ PINFOLD_LOG_AGENT, "Coder", false },
		{ PINFOLD_LOG_LANE, "*", false },
		{ PINFOLD_LOG_EVENT, "*_deny", true },
		{ PINFOLD_LOG_EVENT, "*_deny_", false },
		{ PINFOLD_LOG_EVENT, "*n*t*y*", true },
		{ PINFOLD_LOG_VERDICT, "deny", true },
		{ PINFOLD_LOG_VERDICT, "allow", false },
		{ PINFOLD_LOG_NAME, "api.TEST", true },
		{ PINFOLD_LOG_NAME, "*.test", true },
		{ PINFOLD_LOG_NAME, "test", false },
		{ PINFOLD_LOG_PATH, "/", true },
		{ PINFOLD_LOG_PATH, "/srv", true },
		{ PINFOLD_LOG_PATH, "/srv/", true },
		{ PINFOLD_LOG_PATH, "/srv/a", true },
		{ PINFOLD_LOG_PATH, "/sr", false },
		{ PINFOLD_LOG_PATH, "/srv/a/b", false },
		{ PINFOLD_LOG_DST, "203.0.113.7", true },
		{ PINFOLD_LOG_DST, "203.0.113.7:443", true },
		{ PINFOLD_LOG_DST, "203.0.113.7:443/tcp", true },
		{ PINFOLD_LOG_DST, "203.0.113.7/udp", false },
		{ PINFOLD_LOG_DST, "203.0.113.7:80", false },
		{ PINFOLD_LOG_DST, "203.0.113.0/24", true },
		{ PINFOLD_LOG_DST, "203.0.113.0/24:443", true },
		{ PINFOLD_LOG_DST, "203.0.113.0/24:80", false },
		{ PINFOLD_LOG_DST, "203.0.0.0/30", false },
		{ PINFOLD_LOG_DST, "0.0.0.0/0", true },
		{ PINFOLD_LOG_DST, "::/0", true },
		{ PINFOLD_LOG_DST, "[2001:db8::1]:443", false },
		{ PINFOLD_LOG_DST, "api.test:443", true },
		{ PINFOLD_LOG_DST, "*.test", true },
		{ PINFOLD_LOG_DST, "other.test", false },
		{ PINFOLD_LOG_SINCE, "2026-03-01T12:00:00Z", true },
		{ PINFOLD_LOG_SINCE, "2026-03-01T12:00:01Z", false },
		{ PINFOLD_LOG_UNTIL, "2026-03-01T12:00:00Z", true },
		{ PINFOLD_LOG_UNTIL, "2026-03-01", false },
	};
	struct pinfold_log_line l;

	(void)state;
	assert_int_equal(scan(LINE, &l), 0);
	assert_int_equal(line_check(&l), 0);
	assert_true(log_filter_passes(NULL, &l));
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct pinfold_log_filter *f = NULL;
		bool got;

		assert_int_equal(pinfold_log_filter_new(&f, NULL), 0);
		assert_int_equal(pinfold_log_filter_add(f, CASES[i].field, CASES[i].text, NULL), 0);
		got = log_filter_passes(f, &l);
		pinfold_log_filter_free(f);
		if (got != CASES[i].want)
			fail_msg("%d %s", CASES[i].field, CASES[i].text);
	}
}

static void several_wishes_of_a_field_are_alternatives(void **state)
{
	struct pinfold_log_filter *f = NULL;
	struct pinfold_log_line l;

	(void)state;
	assert_int_equal(scan(HEAD ",\"agent\":\"b\",\"session\":\"s\"}", &l), 0);
	assert_int_equal(line_check(&l), 0);
	assert_int_equal(pinfold_log_filter_new(&f, NULL), 0);
	assert_int_equal(pinfold_log_filter_add(f, PINFOLD_LOG_AGENT, "a", NULL), 0);
	assert_false(log_filter_passes(f, &l));
	assert_int_equal(pinfold_log_filter_add(f, PINFOLD_LOG_AGENT, "b", NULL), 0);
	assert_true(log_filter_passes(f, &l));
	assert_int_equal(pinfold_log_filter_add(f, PINFOLD_LOG_SESSION, "t", NULL), 0);
	assert_false(log_filter_passes(f, &l));
	pinfold_log_filter_free(f);
}

static void malformed_wishes_are_refused_and_change_nothing(void **state)
{
	static const struct {
		enum pinfold_log_field field;
		const char *text;
	} CASES[] = {
		{ PINFOLD_LOG_AGENT, "" },
		{ PINFOLD_LOG_VERDICT, "denied" },
		{ PINFOLD_LOG_DST, "203.0.113.7:0" },
		{ PINFOLD_LOG_DST, "203.0.113.7:x" },
		{ PINFOLD_LOG_DST, ":443" },
		{ PINFOLD_LOG_DST, "203.0.113.0/33" },
		{ PINFOLD_LOG_DST, "a.test/24" },
		{ PINFOLD_LOG_DST, "[2001:db8::1]:70000" },
		{ PINFOLD_LOG_SINCE, "later" },
		{ PINFOLD_LOG_FIELDS, "x" },
	};
	struct pinfold_log_filter *f = NULL;
	struct pinfold_log_line l;

	(void)state;
	assert_int_equal(scan(HEAD "}", &l), 0);
	assert_int_equal(line_check(&l), 0);
	assert_int_equal(pinfold_log_filter_new(&f, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++)
		if (pinfold_log_filter_add(f, CASES[i].field, CASES[i].text, NULL) != -EINVAL)
			fail_msg("%d %s", CASES[i].field, CASES[i].text);
	assert_true(log_filter_passes(f, &l));
	pinfold_log_filter_free(f);
}

/* ---- rotated files -------------------------------------------------------------------------- */

static void rotated_files_come_oldest_first_and_once(void **state)
{
	static const char *const NAMES[] = {
		"l",
		"l.1",
		"l.2.gz",
		"l.2",
		"l.10.xz",
		"l.bak",
		"l.1.x",
		"l-20260102.zst",
		"l-20260101",
		"l-2026",
		"lx.1",
		"l.1234567",
		"l.",
		"l-20260102-000001",
		"l-abcdefgh.gz",
	};
	static const char *const WANT[] = {
		"l-20260101", "l-20260102.zst", "l-20260102-000001", "l.10.xz", "l.2", "l.1", "l"
	};
	char dir[] = "/tmp/pinfold-files.XXXXXX";
	char path[64];
	struct record_files *f = calloc(1, sizeof(*f));

	(void)state;
	assert_non_null(f);
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, NAMES[i]);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	snprintf(path, sizeof(path), "%s/l.3", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/l", dir);
	assert_int_equal(record_files_open(path, false, f, NULL), 0);
	assert_true(f->has_current);
	assert_int_equal(f->n, ARRAY_SIZE(WANT));
	for (size_t i = 0; i < ARRAY_SIZE(WANT); i++)
		assert_string_equal(f->file[i].path + strlen(dir) + 1, WANT[i]);
	record_files_done(f);
	assert_int_equal(record_files_open(path, true, f, NULL), 0);
	assert_int_equal(f->n, 1);
	record_files_done(f);
	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, NAMES[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/l", dir);
	assert_int_equal(record_files_open(path, false, f, NULL), -ENOENT);
	assert_int_equal(record_files_open(dir, true, f, NULL), -ENOTSUP);
	snprintf(path, sizeof(path), "%s/l.3", dir);
	rmdir(path);
	rmdir(dir);
	free(f);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tells_objects_from_what_is_none),
		TEST(refuses_more_members_than_it_keeps),
		TEST(asks_for_what_every_line_has),
		TEST(decodes_texts_and_cuts_them_between_characters),
		TEST(what_steers_a_terminal_is_never_printed),
		TEST(lists_are_walked_element_by_element),
		TEST(reads_points_in_time),
		TEST(filters_let_pass_what_they_say),
		TEST(several_wishes_of_a_field_are_alternatives),
		TEST(malformed_wishes_are_refused_and_change_nothing),
		TEST(rotated_files_come_oldest_first_and_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
