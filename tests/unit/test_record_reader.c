/* SPDX-License-Identifier: MIT */
/* Reading a record back, and the last denial in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/reader.h"
#include "base/clean.h"
#include "base/json5.h"
#include "pinfold.h"

#define LINE_LIMIT 4096

static int make_file(void **state)
{
	char *path = strdup("/tmp/pinfold-reader.XXXXXX");
	int fd = path ? mkstemp(path) : -1;

	assert_true(fd >= 0);
	close(fd);
	*state = path;
	return 0;
}

static int remove_file(void **state)
{
	unlink(*state);
	free(*state);
	return 0;
}

static void put(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* The values of "n" of all lines, as one text. */
static void assert_lines(const char *path, const char *want, uint64_t skipped)
{
	struct record_reader *r = NULL;
	struct pinfold_error e;
	const struct json5 *line;
	char got[256] = "";
	size_t len = 0;

	assert_int_equal(record_reader_open(path, &r, &e), 0);
	while (record_reader_next(r, &line) > 0)
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%lld ",
					(long long)record_member_number(line, "n", -1));
	assert_string_equal(got, want);
	assert_int_equal(record_reader_skipped(r), skipped);
	assert_int_equal(record_reader_next(r, &line), 0);
	record_reader_free(r);
}

static void test_whole_lines_are_read_and_others_are_passed_over(void **state)
{
	static const char TEXT[] = "{\"n\":1}\n"
				   "{\"n\":2,\"tor\n"
				   "{\"n\":3}\n"
				   "[1]\n"
				   "\n"
				   "{\"n\":4}\n"
				   "{\"n\":5}";

	put(*state, TEXT, sizeof(TEXT) - 1);
	assert_lines(*state, "1 3 4 ", 4);
	put(*state, "", 0);
	assert_lines(*state, "", 0);
}

static void test_bytes_that_are_no_text_are_passed_over(void **state)
{
	static const char TEXT[] = "{\"n\":1}\n\0\0\0\n\xff\xfe{}\n{\"n\":2}\n";

	put(*state, TEXT, sizeof(TEXT) - 1);
	assert_lines(*state, "1 2 ", 2);
}

/* One line that is length bytes long, between two others. */
static void put_long(const char *path, size_t length)
{
	static char text[100000];
	size_t n = (size_t)snprintf(text, sizeof(text), "{\"n\":1}\n{\"n\":2,\"x\":\"");

	while (n < 8 + length - 2)
		text[n++] = 'x';
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\"}\n{\"n\":3}\n");
	put(path, text, n);
}

static void test_a_line_is_read_up_to_the_limit_and_skipped_beyond_it(void **state)
{
	put_long(*state, LINE_LIMIT - 1); /* and its newline */
	assert_lines(*state, "1 2 3 ", 0);
	put_long(*state, LINE_LIMIT);
	assert_lines(*state, "1 3 ", 1);
	put_long(*state, 90000);
	assert_lines(*state, "1 3 ", 1);
}

static void test_many_lines_cross_the_buffer_unharmed(void **state)
{
	FILE *f = fopen(*state, "we");
	struct record_reader *r = NULL;
	struct pinfold_error e;
	const struct json5 *line;
	int n = 0;

	assert_non_null(f);
	for (int i = 0; i < 5000; i++)
		fprintf(f, "{\"n\":%d,\"pad\":\"%0*d\"}\n", i, i % 997, 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(record_reader_open(*state, &r, &e), 0);
	for (; record_reader_next(r, &line) > 0; n++)
		assert_int_equal(record_member_number(line, "n", -1), n);
	assert_int_equal(n, 5000);
	assert_int_equal(record_reader_skipped(r), 0);
	record_reader_free(r);
}

static void test_only_a_regular_file_is_a_record(void **state)
{
	struct record_reader *r = NULL;
	struct pinfold_error e;

	(void)state;
	assert_int_equal(record_reader_open("/tmp", &r, &e), -ENOTSUP);
	assert_int_equal(record_reader_open("/dev/null", &r, &e), -ENOTSUP);
	assert_int_equal(record_reader_open("/no/such/record", &r, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/no/such/record"));
	assert_null(r);
}

/* ---- the last denial ------------------------------------------------------------------------ */

#define START(id) "{\"event\":\"session_start\",\"session\":\"" id "\",\"ts\":\"t0\"}\n"
#define END(id, code) "{\"event\":\"session_end\",\"session\":\"" id "\",\"exitCode\":" code "}\n"
#define NET(id, name, reason)                                                                      \
	"{\"event\":\"net_deny\",\"verdict\":\"deny\",\"session\":\"" id "\",\"ts\":\"t1\","       \
	"\"pid\":7,\"comm\":\"node\",\"dst\":\"10.0.0.7\",\"port\":443,\"proto\":\"tcp\","         \
	"\"name\":\"" name "\",\"op\":\"connect\",\"reason\":\"" reason "\"}\n"

static void ask(const char *path, const char *text, const char *session, struct pinfold_last *ret)
{
	struct pinfold_error e = { 0 };

	put(path, text, strlen(text));
	if (pinfold_why_last(NULL, path, session, ret, &e) < 0)
		fail_msg("%s", e.text);
}

static void test_the_newest_session_is_asked_and_its_last_denial_told(void **state)
{
	struct pinfold_last l;

	ask(*state,
	    START("a") NET("a", "one.test", "port") START("b") NET("b", "two.test", "unmatched")
		NET("a", "late.test", "port") NET("b", "three.test", "port") END("b", "7"),
	    NULL, &l);
	assert_string_equal(l.session, "b");
	assert_string_equal(l.subject, "three.test:443");
	assert_string_equal(l.process, "node (pid 7)");
	assert_int_equal(l.answer.verdict, PINFOLD_DENY);
	assert_int_equal(l.denials, 2);
	assert_non_null(strstr(l.answer.reason, "this port or protocol"));
	assert_false(l.observed);
}

static void test_a_session_can_be_named(void **state)
{
	static const char TEXT[] = START("a") NET("a", "one.test", "port") START("b") END("b", "0");
	struct pinfold_error e = { 0 };
	struct pinfold_last l;

	ask(*state, TEXT, "a", &l);
	assert_string_equal(l.subject, "one.test:443");
	assert_int_equal(pinfold_why_last(NULL, *state, "c", &l, &e), -ENOENT);
	assert_non_null(strstr(e.text, "no session 'c'"));
}

static void test_private_space_is_told_by_its_address(void **state)
{
	struct pinfold_last l;

	ask(*state, START("a") NET("a", "db.test", "private"), NULL, &l);
	assert_string_equal(l.subject, "10.0.0.7:443");
}

static void test_a_failure_without_a_denial_is_not_ours(void **state)
{
	struct pinfold_last l;

	ask(*state, START("a") NET("a", "one.test", "port") START("b") END("b", "3"), NULL, &l);
	assert_int_equal(l.answer.verdict, PINFOLD_NOT_OURS);
	assert_non_null(strstr(l.answer.reason, "exit status 3"));
	assert_int_equal(l.denials, 0);
}

static void test_a_timeout_is_ours(void **state)
{
	struct pinfold_last l;

	ask(*state,
	    START("a") "{\"event\":\"session_end\",\"session\":\"a\",\"signal\":15,"
		       "\"reason\":\"timeout\"}\n",
	    NULL, &l);
	assert_int_equal(l.answer.verdict, PINFOLD_DENY);
	assert_string_equal(l.answer.rule, "limits.timeout");
}

static void test_a_record_that_begins_in_the_middle_still_answers(void **state)
{
	struct pinfold_last l;

	ask(*state, NET("a", "one.test", "port") NET("b", "two.test", "port"), NULL, &l);
	assert_string_equal(l.session, "b");
	assert_string_equal(l.subject, "two.test:443");
}

static void test_names_in_a_record_cannot_steer_a_terminal(void **state)
{
	struct pinfold_last l;

	ask(*state, START("a") NET("a", "x\\u001b[2J\\u202ey", "port"), NULL, &l);
	assert_string_equal(l.subject, "x?[2J???y:443");
}

static void test_a_policy_answers_anew(void **state)
{
	struct pinfold_policy *p = NULL;
	struct pinfold_error e = { 0 };
	struct pinfold_last l;

	ask(*state, START("a") NET("a", "one.test", "unmatched"), NULL, &l);
	assert_int_equal(pinfold_policy_default("/usr", &p, &e), 0);
	assert_int_equal(pinfold_why_last(p, *state, NULL, &l, &e), 0);
	assert_false(l.allowed_now);
	assert_non_null(strstr(l.answer.fix, "one.test:443"));
	assert_int_equal(pinfold_policy_add(p, PINFOLD_RULE_ALLOW, "one.test:443", &e), 0);
	assert_int_equal(pinfold_why_last(p, *state, NULL, &l, &e), 0);
	assert_true(l.allowed_now);
	assert_int_equal(l.answer.verdict, PINFOLD_DENY);
	pinfold_policy_free(p);
}

static void test_without_a_record_the_remedy_is_told(void **state)
{
	struct pinfold_error e = { 0 };
	struct pinfold_last l;

	(void)state;
	assert_int_equal(setenv("PINFOLD_LOG", "/nonexistent/record", 1), 0);
	assert_int_equal(pinfold_why_last(NULL, NULL, NULL, &l, &e), -ENOENT);
	assert_non_null(strstr(e.text, "'/nonexistent/record'"));
	assert_non_null(strstr(e.text, "--log"));
	assert_int_equal(unsetenv("PINFOLD_LOG"), 0);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, make_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILE(test_whole_lines_are_read_and_others_are_passed_over),
		WITH_FILE(test_bytes_that_are_no_text_are_passed_over),
		WITH_FILE(test_a_line_is_read_up_to_the_limit_and_skipped_beyond_it),
		WITH_FILE(test_many_lines_cross_the_buffer_unharmed),
		cmocka_unit_test(test_only_a_regular_file_is_a_record),
		WITH_FILE(test_the_newest_session_is_asked_and_its_last_denial_told),
		WITH_FILE(test_a_session_can_be_named),
		WITH_FILE(test_private_space_is_told_by_its_address),
		WITH_FILE(test_a_failure_without_a_denial_is_not_ours),
		WITH_FILE(test_a_timeout_is_ours),
		WITH_FILE(test_a_record_that_begins_in_the_middle_still_answers),
		WITH_FILE(test_names_in_a_record_cannot_steer_a_terminal),
		WITH_FILE(test_a_policy_answers_anew),
		cmocka_unit_test(test_without_a_record_the_remedy_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
