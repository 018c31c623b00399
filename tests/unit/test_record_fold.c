/* wrap: clock_gettime */
/* SPDX-License-Identifier: MIT */
/* Floods: what is counted instead of written, and that no count is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"
#include "pinfold.h"

#define TEXT_MAX (64 << 20)

static time_t later_s;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	int r = __real_clock_gettime(id, ts);

	ts->tv_sec += later_s;
	return r;
}

struct fixture {
	char dir[32];
	char path[64];
};

static const struct record_who who = { .session = "s-1" };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	later_s = 0;
	snprintf(f->dir, sizeof(f->dir), "/tmp/pinfold-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/audit.jsonl", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static struct record *open_record(const char *path)
{
	struct pinfold_error e = { "" };
	struct record *r = NULL;

	if (record_open(path, &who, &r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void say(struct record *r, const char *event)
{
	struct record_line *l = record_begin(r, event);

	record_text(l, "dst", "192.0.2.1");
	record_end(l);
}

static char *content(const char *path)
{
	char *text = NULL;
	size_t len;

	assert_int_equal(io_read_file(AT_FDCWD, path, TEXT_MAX, &text, &len), 0);
	return text;
}

/* Counts whole lines of this event, and sums up a number of theirs; broken lines are counted in
 * *ret_broken. */
static unsigned count(const char *path, const char *event, const char *number, double *ret_sum,
		      unsigned *ret_broken)
{
	auto_free char *text = content(path);
	unsigned n = 0;
	char *end;

	*ret_sum = 0;
	*ret_broken = 0;
	for (char *s = text; (end = strchr(s, '\n')); s = end + 1) {
		cJSON *o;
		const char *is;

		*end = '\0';
		o = cJSON_ParseWithOpts(s, NULL, true);
		is = cJSON_GetStringValue(cJSON_GetObjectItem(o, "event"));
		if (!o)
			++*ret_broken;
		if (is && strcmp(is, event) == 0) {
			const cJSON *v = cJSON_GetObjectItem(o, number);

			n++;
			*ret_sum += v ? v->valuedouble : 0;
		}
		cJSON_Delete(o);
	}
	return n;
}

static bool contains(const char *path, const char *part)
{
	auto_free char *text = content(path);

	return strstr(text, part) != NULL;
}

static unsigned lines(const char *path, const char *event)
{
	unsigned broken;
	double sum;

	return count(path, event, "none", &sum, &broken);
}

static void deny(struct record *r, const char *key)
{
	if (!record_fold(r, "net_deny", key))
		say(r, "net_deny");
}

static void folds_100000_denials_into_two_lines(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	unsigned broken;
	double sum;

	for (int i = 0; i < 100000; i++)
		deny(r, "rule 192.0.2.1:80");
	assert_int_equal(lines(f->path, "net_deny"), 1);
	record_tick(r);
	assert_int_equal(count(f->path, "net_deny", "suppressed", &sum, &broken), 2);
	assert_true(sum == 99999);
	assert_int_equal(broken, 0);
	assert_true(
	    contains(f->path, "\"dst\":\"192.0.2.1\",\"verdict\":\"deny\",\"suppressed\":"));
	record_free(r);
}

static void writes_again_at_once_after_a_quiet_second(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	deny(r, "a");
	deny(r, "b");
	assert_int_equal(lines(f->path, "net_deny"), 2);
	deny(r, "a");
	assert_int_equal(lines(f->path, "net_deny"), 2);
	record_tick(r);
	assert_int_equal(lines(f->path, "net_deny"), 3);
	later_s += 2;
	deny(r, "a");
	assert_int_equal(lines(f->path, "net_deny"), 4);
	record_free(r);
}

static void loses_no_count_when_there_are_more_keys_than_places(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	unsigned n;
	unsigned broken;
	double sum;
	char key[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "192.0.2.%d", i);
		if (!record_fold(r, "dns_deny", key))
			say(r, "dns_deny");
	}
	record_free(r);
	n = count(f->path, "dns_deny", "suppressed", &sum, &broken);
	assert_in_range(n, 2, 2000);
	/* One line is the summary itself. */
	assert_true(n - 1 + sum == 20000);
	assert_int_equal(broken, 0);
}

static void keeps_the_verdict_in_a_summary(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	for (int i = 0; i < 3; i++) {
		struct record_line *l;

		if (record_fold(r, "fs_deny", "x"))
			continue;
		l = record_begin(r, "fs_deny");
		record_verdict(l, RECORD_WOULD_DENY);
		record_end(l);
	}
	record_free(r);
	assert_true(contains(f->path, "\"verdict\":\"would_deny\",\"suppressed\":2}\n"));
	assert_false(contains(f->path, "\"verdict\":\"deny\""));
}

static void fits_the_summary_of_a_full_line(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	struct record_line *l;
	char value[4096];
	unsigned broken;
	double sum;

	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	assert_false(record_fold(r, "fs_deny", value));
	l = record_begin(r, "fs_deny");
	for (int i = 0; i < 6; i++)
		record_text(l, "path", value);
	record_end(l);
	assert_true(record_fold(r, "fs_deny", value));
	record_free(r);
	assert_int_equal(count(f->path, "fs_deny", "suppressed", &sum, &broken), 2);
	assert_true(sum == 1);
	assert_int_equal(broken, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(folds_100000_denials_into_two_lines),
		TEST(writes_again_at_once_after_a_quiet_second),
		TEST(loses_no_count_when_there_are_more_keys_than_places),
		TEST(keeps_the_verdict_in_a_summary),
		TEST(fits_the_summary_of_a_full_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
