/* SPDX-License-Identifier: MIT */
/* What a line says: members, escaping, cutting, redaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"
#include "pinfold.h"

#define TEXT_MAX (64 << 20)

struct fixture {
	char dir[32];
	char path[64];
	struct record *r;
};

static const struct record_who who = { "s-1", "agent\n1", "lane", NULL };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pinfold_error e;

	if (!f)
		return -1;
	snprintf(f->dir, sizeof(f->dir), "/tmp/pinfold-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/audit.jsonl", f->dir);
	*state = f;
	return record_open(f->path, &who, &f->r, &e);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_free(f->r);
	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static char *content(const struct fixture *f)
{
	char *text = NULL;
	size_t len;

	assert_int_equal(io_read_file(AT_FDCWD, f->path, TEXT_MAX, &text, &len), 0);
	return text;
}

/* Every line is a whole JSON object of at most 4096 bytes; returns the last one. */
static cJSON *last_line(const struct fixture *f)
{
	auto_free char *text = content(f);
	cJSON *last = NULL;

	for (char *line = text; *line;) {
		char *end = strchr(line, '\n');
		const char *rest;

		assert_non_null(end);
		assert_in_range(end - line + 1, 2, RECORD_LINE_MAX);
		*end = '\0';
		cJSON_Delete(last);
		last = cJSON_ParseWithOpts(line, &rest, true);
		assert_true(cJSON_IsObject(last));
		line = end + 1;
	}
	assert_non_null(last);
	return last;
}

static const char *text_of(const cJSON *o, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static void writes_the_common_members_first_and_in_order(void **state)
{
	static const char *const keys[] = { "v",     "ts",   "seq",  "event", "session",
					    "agent", "lane", "path", "op" };
	struct fixture *f = *state;
	struct record_line *l = record_begin(f->r, "attach");
	const char *ts;
	cJSON *o;
	cJSON *m;
	size_t i = 0;

	record_text(l, "path", "/x");
	record_text(l, "nothing", NULL);
	record_text(l, "op", "read");
	record_end(l);
	o = last_line(f);
	cJSON_ArrayForEach(m, o) {
		assert_in_range(i, 0, sizeof(keys) / sizeof(keys[0]) - 1);
		assert_string_equal(m->string, keys[i++]);
	}
	assert_int_equal(i, sizeof(keys) / sizeof(keys[0]));
	assert_int_equal(cJSON_GetObjectItem(o, "v")->valueint, RECORD_SCHEMA);
	assert_int_equal(cJSON_GetObjectItem(o, "seq")->valueint, 1);
	assert_string_equal(text_of(o, "agent"), "agent\n1");
	ts = text_of(o, "ts");
	assert_int_equal(strlen(ts), strlen("2026-01-02T03:04:05.678901Z"));
	assert_int_equal(ts[10], 'T');
	assert_int_equal(ts[19], '.');
	assert_int_equal(ts[26], 'Z');
	cJSON_Delete(o);
}

static void makes_the_file_private_and_appends_to_it(void **state)
{
	struct fixture *f = *state;
	auto_free char *before = NULL;
	auto_free char *after = NULL;
	struct pinfold_error e;
	struct stat st;

	record_end(record_begin(f->r, "attach"));
	before = content(f);
	record_free(f->r);
	f->r = NULL;
	assert_int_equal(record_open(f->path, &who, &f->r, &e), 0);
	record_end(record_begin(f->r, "detach"));
	after = content(f);
	assert_int_equal(strncmp(before, after, strlen(before)), 0);
	assert_true(strlen(after) > strlen(before));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void says_a_verdict_in_every_deny_line_and_in_no_other(void **state)
{
	struct fixture *f = *state;
	struct record_line *l;
	cJSON *o;

	record_end(record_begin(f->r, "net_deny"));
	o = last_line(f);
	assert_string_equal(text_of(o, "verdict"), "deny");
	cJSON_Delete(o);
	l = record_begin(f->r, "fs_deny");
	record_verdict(l, RECORD_WOULD_DENY);
	record_end(l);
	o = last_line(f);
	assert_string_equal(text_of(o, "verdict"), "would_deny");
	cJSON_Delete(o);
	record_end(record_begin(f->r, "fs_deny"));
	o = last_line(f);
	assert_string_equal(text_of(o, "verdict"), "deny");
	cJSON_Delete(o);
	record_end(record_begin(f->r, "net_allow"));
	o = last_line(f);
	assert_null(text_of(o, "verdict"));
	cJSON_Delete(o);
}

static void escapes_controls_and_replaces_invalid_utf8(void **state)
{
	static const struct {
		const char *value, *written;
	} cases[] = {
		{ "a\"b\\c\nd\re\tf", "a\\\"b\\\\c\\nd\\re\\tf" },
		{ "\x01\x1b[2J\x7f", "\\u0001\\u001b[2J\\u007f" },
		{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		  "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc2\x9b\xe2\x80\xae\xe2\x80\xa8", "\\u009b\\u202e\\u2028" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_line *l = record_begin(f->r, "attach");
		auto_free char *text = NULL;
		char expected[256];

		record_text(l, "path", cases[i].value);
		record_end(l);
		text = content(f);
		snprintf(expected, sizeof(expected), "\"path\":\"%s\"}\n", cases[i].written);
		assert_string_equal(text + strlen(text) - strlen(expected), expected);
		cJSON_Delete(last_line(f));
	}
}

/* Fills a line with text of characters of 1 to 6 written bytes, shifted so that each place of the
 * cut is met. */
static void stays_valid_and_within_4_kib_wherever_it_is_cut(void **state)
{
	static const char *const units[] = { "x",    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
					     "\x01", "\"" };
	struct fixture *f = *state;

	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		for (size_t shift = 0; shift < 8; shift++) {
			struct record_line *l = record_begin(f->r, "fs_deny");
			char value[8192];
			size_t n = shift;
			cJSON *o;

			memset(value, '.', shift);
			while (n + 8 < sizeof(value)) {
				memcpy(value + n, units[u], strlen(units[u]));
				n += strlen(units[u]);
			}
			value[n] = '\0';
			for (int k = 0; k < 6; k++)
				record_text(l, "path", value);
			record_number(l, "pid", INT64_MIN);
			record_end(l);
			o = last_line(f);
			assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "cut")));
			assert_string_equal(text_of(o, "verdict"), "deny");
			assert_non_null(strstr(text_of(o, "path"), "\xe2\x80\xa6"));
			cJSON_Delete(o);
		}
	}
}

static void leaves_room_for_what_follows_a_long_value(void **state)
{
	struct fixture *f = *state;
	struct record_line *l = record_begin(f->r, "fs_deny");
	char value[8192];
	cJSON *o;

	memset(value, '.', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	record_text(l, "path", value);
	record_text(l, "rule", "deny ~/.ssh");
	record_end(l);
	o = last_line(f);
	assert_string_equal(text_of(o, "rule"), "deny ~/.ssh");
	cJSON_Delete(o);
}

static void writes_numbers_booleans_lists_and_objects(void **state)
{
	static const char *const argv[] = { "curl", "--password", "hunter2", "https://u:p@e.org/" };
	struct fixture *f = *state;
	struct record_line *l = record_begin(f->r, "tool_execution");
	auto_free char *text = NULL;
	const char *at;

	record_texts(l, "argv", argv, 4);
	record_texts(l, "none", NULL, 0);
	record_object(l, "approval");
	record_bool(l, "required", true);
	record_object(l, "inner");
	record_object_end(l);
	record_number(l, "latencyMs", -5);
	record_object_end(l);
	record_bool(l, "sandbox", false);
	record_end(l);
	text = content(f);
	at = strstr(text, "\"argv\"");
	assert_non_null(at);
	assert_string_equal(at, "\"argv\":[\"curl\",\"--password\",\"[redacted]\","
				"\"https://[redacted]@e.org/\"],\"none\":[],"
				"\"approval\":{\"required\":true,\"inner\":{},\"latencyMs\":-5},"
				"\"sandbox\":false}\n");
}

static void closes_what_the_caller_left_open_or_had_no_room_for(void **state)
{
	struct fixture *f = *state;
	struct record_line *l = record_begin(f->r, "net_deny");
	const char *many[4096];
	char value[4096];
	cJSON *o;

	memset(value, '\x02', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	for (size_t i = 0; i < 4096; i++)
		many[i] = i % 2 ? value : "";
	for (int i = 0; i < 9; i++)
		record_object(l, "deep");
	for (int i = 0; i < 6; i++)
		record_object_end(l);
	for (int i = 0; i < 4; i++)
		record_texts(l, "addrs", many, 4096);
	record_object(l, "late");
	record_text(l, "key", value);
	record_end(l);
	o = last_line(f);
	assert_string_equal(text_of(o, "verdict"), "deny");
	cJSON_Delete(o);
}

static void names_the_process_as_far_as_proc_tells(void **state)
{
	struct fixture *f = *state;
	struct record_line *l = record_begin(f->r, "net_deny");
	char exe[256] = "";
	cJSON *o;

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	record_process(l, getpid());
	record_end(l);
	o = last_line(f);
	assert_int_equal(cJSON_GetObjectItem(o, "pid")->valueint, getpid());
	assert_string_equal(text_of(o, "comm"), "test_record");
	assert_string_equal(text_of(o, "exe"), exe);
	assert_int_equal(cJSON_GetObjectItem(o, "uid")->valueint, getuid());
	cJSON_Delete(o);
	l = record_begin(f->r, "net_deny");
	record_process(l, INT32_MAX);
	record_end(l);
	o = last_line(f);
	assert_int_equal(cJSON_GetObjectItem(o, "pid")->valueint, INT32_MAX);
	assert_null(cJSON_GetObjectItem(o, "comm"));
	cJSON_Delete(o);
}

static void accepts_a_line_that_could_not_be_begun(void **state)
{
	(void)state;
	record_text(NULL, "a", "b");
	record_verdict(NULL, RECORD_DENY);
	record_number(NULL, "a", 1);
	record_bool(NULL, "a", true);
	record_texts(NULL, "a", NULL, 0);
	record_object(NULL, "a");
	record_object_end(NULL);
	record_process(NULL, 1);
	record_end(NULL);
	record_free(NULL);
}

static void writes_nothing_and_loses_nothing_without_a_path(void **state)
{
	struct record_who nobody = { 0 };
	struct pinfold_error e;
	struct record *r;

	(void)state;
	assert_int_equal(record_open(NULL, &nobody, &r, &e), 0);
	record_end(record_begin(r, "net_deny"));
	record_tick(r);
	assert_int_equal(record_lost(r), 0);
	assert_int_equal(record_reopen(r, &e), 0);
	record_free(r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_the_common_members_first_and_in_order),
		TEST(makes_the_file_private_and_appends_to_it),
		TEST(says_a_verdict_in_every_deny_line_and_in_no_other),
		TEST(escapes_controls_and_replaces_invalid_utf8),
		TEST(stays_valid_and_within_4_kib_wherever_it_is_cut),
		TEST(leaves_room_for_what_follows_a_long_value),
		TEST(writes_numbers_booleans_lists_and_objects),
		TEST(closes_what_the_caller_left_open_or_had_no_room_for),
		TEST(names_the_process_as_far_as_proc_tells),
		cmocka_unit_test(accepts_a_line_that_could_not_be_begun),
		cmocka_unit_test(writes_nothing_and_loses_nothing_without_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
